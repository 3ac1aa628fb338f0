"""Training: curriculum, annealing and sparse steps of each restart; the shortest description is selected."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from functools import partial

import numpy as np

from r5._util.runtime.budget import Budget, TimeLimitError
from r5.grammar.corpus.corpus import Corpus
from r5.grammar.counts import ExpectedCounts
from r5.grammar.model import FittedGrammar, Grammar
from r5.grammar.rule_index import RuleIndex
from r5.grammar.settings import GrammarSettings
from r5.grammar.training.checkpoint import Checkpointer, State
from r5.grammar.training.em import expect, maximise
from r5.grammar.training.restarts import initial_smoothings, run_restarts
from r5.grammar.training.rule_candidates import find_candidates, uniform_grammar, with_confusions
from r5.grammar.training.runs import Run, RunState, Tick, run_parallel
from r5.grammar.training.schedule import schedule, sparse_prior
from r5.parallel.cluster import Cluster
from r5.parallel.local_cluster import LocalCluster

__all__ = ["learn", "number_of_steps", "update_grammar"]

_MIN_USES = 0.1
_MIN_REPEATED_USES = 1.5
_MIN_SPANS = 2000
"""Minimum number of distinct spans of early steps, if there are as many."""


def number_of_steps(settings: GrammarSettings, corpus: Corpus) -> int:
    """Return the maximum number of steps of training."""
    chosen = initial_smoothings(settings, corpus.relations)
    few = corpus.relations**3 <= settings.dense_rules
    steps = [schedule(settings, corpus, smoothing) for smoothing in chosen]
    return sum(map(len, steps)) + (0 if few else _late(settings))


def learn(
    corpus: Corpus,
    settings: GrammarSettings,
    tick: Tick | None = None,
    budget: Budget | None = None,
    checkpointer: Checkpointer | None = None,
    cluster: Cluster | None = None,
) -> FittedGrammar:
    """Return the restart with the shortest description; ties go to the first.

    Args:
        corpus: The training examples.
        settings: The hyperparameters.
        tick: Called with a message after each step of any restart.
        budget: The time limit; when it is reached, the restart with the most steps is returned.
        checkpointer: Writes checkpoints and reads the one to resume from.
        cluster: Holds the examples; by default the threads of this process.
    """
    budget, checkpointer, tick = budget or Budget(), checkpointer or Checkpointer(), tick or _silent
    small = _early_corpus(corpus, settings)
    with ExitStack() as stack:
        cluster = cluster or stack.enter_context(LocalCluster(settings.threads or budget.threads))
        # On a remote cluster the thread of a restart only waits.
        threads = cluster.workers if cluster.is_local else len(settings.restarts)
        placed: dict[tuple[bool, int], Corpus] = {}

        def place(early: bool, length: int) -> Corpus:
            base = small if early and small is not None else corpus
            last = base.lengths[-1]
            key = early, min(length, last)
            if key not in placed:
                placed[key] = (base.up_to(length) if length < last else base).distribute(cluster, budget)
                stack.callback(placed[key].batches.release)
            return placed[key]

        longest = None if small is None else small.lengths[-1]
        return _learn(corpus, settings, tick, budget, checkpointer, place, threads, longest)


def _learn(
    corpus: Corpus,
    settings: GrammarSettings,
    tick: Tick,
    budget: Budget,
    checkpointer: Checkpointer,
    place: Callable[[bool, int], Corpus],
    threads: int,
    longest: int | None,
) -> FittedGrammar:
    """Train, with `place` putting the examples of a step on the workers; early ones are up to `longest`."""
    rng = np.random.default_rng(settings.seed)
    state = checkpointer.begin(corpus, settings)
    chosen = initial_smoothings(settings, corpus.relations)
    whole = place(False, corpus.lengths[-1])
    stages = partial(place, False)
    index = find_candidates(corpus, settings, rng, None, budget, stages) if state is None else state.index
    starts = [_start(uniform_grammar(index, settings.initial_noise), child) for child in rng.spawn(len(chosen))]
    runs = []
    for first, smoothing in zip(starts, chosen, strict=True):
        steps = schedule(settings, corpus, smoothing, longest)
        corpora = [place(step.early, step.length) for step in steps]
        runs.append(Run(first, steps, corpora, settings.pruning_threshold))
    run_states = [RunState()] * len(runs) if state is None else list(state.run_states[: len(runs)])
    later = [] if state is None else list(state.run_states[len(runs) :])
    checkpointer.follow(lambda: State(index, (*run_states, *later)))
    for run_state in (*run_states, *later):
        for _ in range(run_state.done):
            tick("from the checkpoint")
    price = settings.description_weight
    outcome = run_restarts(runs, run_states, whole, price, threads, budget, tick, checkpointer.write_if_due)
    winner = run_states[outcome.place]
    counts = winner.counts
    if counts is None:
        raise TimeLimitError("the time was over before a step of learning was done; give more with --time-limit")
    if not outcome.whole:
        after = f"{outcome.tried} of {len(runs)} restarts"
        where = after if outcome.tried else f"step {winner.done} of {len(runs[outcome.place].steps)} in each restart"
        return replace(_cut_short(winner, settings, where), longest=corpus.lengths[-1])
    if index.open:
        return FittedGrammar(runs[outcome.place].model(winner), counts, winner.curve, longest=corpus.lengths[-1])
    later = later or [RunState()]
    learned = _fit_confusions(winner, whole, settings, later, budget, tick, checkpointer)
    return replace(learned, longest=corpus.lengths[-1])


def _early_corpus(corpus: Corpus, settings: GrammarSettings) -> Corpus | None:
    """Return the shortest examples, for early steps; None if these use all examples."""
    if corpus.relations**3 > settings.dense_rules:
        return None
    span_limit = int(min(settings.step_work_limit / (3.0 * corpus.relations**3), 1e9))
    small = corpus.shortest_part(max(span_limit, _MIN_SPANS))
    return None if small is corpus else small


def _cut_short(run_state: RunState, settings: GrammarSettings, where: str) -> FittedGrammar:
    """Return the model of an unfinished run under the pseudo-counts of the last steps, without rare rules."""
    counts = run_state.counts
    assert counts is not None  # noqa: S101  a step is done
    if counts.index.open:
        model = maximise(counts, sparse_prior(settings, counts.index.relations))
        return FittedGrammar(model, counts, run_state.curve, where)
    opened = _opened(counts.pruned(_MIN_USES), settings)
    return replace(opened, curve=run_state.curve, cut_short=where)


def update_grammar(learned: FittedGrammar, corpus: Corpus, settings: GrammarSettings) -> FittedGrammar:
    """Continue training with new examples: their counts are added to the old ones.

    Smoothing is annealed once more; without that, new rules would be taken for noise.
    """
    before = _widened(learned.counts, corpus.relations)
    old = before.index
    known = RuleIndex.of(old.relations, *old.rules)
    suggested = find_candidates(corpus, settings, np.random.default_rng(settings.seed), known)
    few = suggested.open
    if few:
        before = before.align(old.union(suggested))
    else:
        confusions = with_confusions(before.pruned(_MIN_REPEATED_USES).index, corpus).leaves
        before = before.align(RuleIndex.of(old.relations, *suggested.rules, confusions=confusions))
    steps = [step.pseudocounts for step in schedule(settings, corpus, settings.restarts[0])[-_late(settings) :]]
    model = maximise(before, steps[0])
    for pseudocounts in steps:
        counts = before + expect(model, corpus)
        model = maximise(counts, pseudocounts)
    more = FittedGrammar(model, counts) if few else _opened(counts, settings)
    longest = max(learned.longest, corpus.lengths[-1]) if learned.longest else 0
    return replace(more, longest=longest, temperature=learned.temperature, unrelated=learned.unrelated)


def _late(settings: GrammarSettings) -> int:
    """Return the number of steps that use paths of every length."""
    return settings.annealing_steps + settings.sparse_steps


def _widened(counts: ExpectedCounts, relations: int) -> ExpectedCounts:
    """Return the counts with further relations at the end."""
    old = counts.index
    more = relations - old.relations
    grown = RuleIndex.of(relations, *old.rules, confusions=old.leaves, open=old.open)
    leaves = np.pad(counts.leaves, (0, more))  # a new relation is observed as itself, which comes last
    return replace(counts, index=grown, leaves=leaves, labels=np.pad(counts.labels, (0, more)))


def _start(model: Grammar, rng: np.random.Generator) -> Grammar:
    """Return the model with randomly perturbed weights, so that restarts find different explanations."""
    return replace(model, weight=model.weight * rng.uniform(0.5, 1.5, model.weight.size))


def _fit_confusions(
    learned: RunState,
    corpus: Corpus,
    settings: GrammarSettings,
    again: list[RunState],
    budget: Budget,
    tick: Tick,
    checkpointer: Checkpointer,
) -> FittedGrammar:
    """Train once more with the rules in use and with candidate confusions, for data with many relations.

    Confusions of every relation would fill the charts. The candidates are those that explain, with rules used more
    than once, a path that such rules do not explain otherwise. At the end the index is opened: every rule and every
    confusion is conceivable.
    """
    counts = learned.counts
    assert counts is not None  # noqa: S101  a step is done
    used = counts.pruned(_MIN_USES).index
    confusions = with_confusions(counts.pruned(_MIN_REPEATED_USES).index, corpus).leaves
    index = RuleIndex.of(used.relations, *used.rules, confusions=confusions)
    steps = schedule(settings, corpus, settings.restarts[0])[-_late(settings) :]
    run = Run(uniform_grammar(index, settings.initial_noise), steps, [corpus] * len(steps), 0.0)
    if not run_parallel([run], again, [0], 1, budget, tick, checkpointer.write_if_due):
        best = again[0] if again[0].counts is not None else learned
        where = f"step {again[0].done} of {len(steps)} of considering confusions"
        return replace(_cut_short(best, settings, where), curve=learned.curve)
    last = again[0].counts
    assert last is not None  # noqa: S101  all steps are done
    return replace(_opened(last.pruned(_MIN_USES), settings), curve=learned.curve)


def _opened(counts: ExpectedCounts, settings: GrammarSettings) -> FittedGrammar:
    """Return the model of an open index, in which every rule and every confusion is conceivable."""
    counts = replace(counts, index=replace(counts.index, open=True))
    return FittedGrammar(maximise(counts, sparse_prior(settings, counts.index.relations)), counts)


def _silent(_: str) -> None:
    """Ignore progress."""
