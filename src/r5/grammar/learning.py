"""Learning: curriculum, annealing and the sparse end of each restart; the most likely one wins."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np

from r5.grammar.candidates import even_model, find_candidates, with_mistakes
from r5.grammar.corpus import Corpus
from r5.grammar.em import Counts, Pseudocounts, expect, maximise
from r5.grammar.model import GrammarModel, Support
from r5.grammar.settings import GrammarSettings

__all__ = ["Learned", "learn", "learn_more", "schedule", "smoothings", "sparse_prior"]

Tick = Callable[[str], None]

_HARDLY_AT_ALL = 0.1
_MORE_THAN_ONCE = 1.5


@dataclass(frozen=True, eq=False)
class Learned:
    """A model, and the expected counts that it was made from."""

    model: GrammarModel
    counts: Counts
    curve: tuple[tuple[int, float], ...] = ()
    """The longest path that took part and the log likelihood, for each step of the restart that won."""

    @property
    def rank(self) -> tuple[float, float]:
        """Smaller is better: examples without a derivation, then what the others are unlikely."""
        return self.counts.unexplained, -self.counts.log_likelihood


class Step(NamedTuple):
    """One step of learning."""

    length: int
    """The longest path that takes part."""
    extra: Pseudocounts
    every_rule: bool
    """Whether rules that are hardly used are followed all the same."""


def sparse_prior(settings: GrammarSettings, relations: int) -> Pseudocounts:
    """What the last steps add to the counts, and take away."""
    return Pseudocounts(
        sparsity=settings.sparsity,
        rivalry=settings.rivalry,
        floor=settings.floor,
        stop=settings.stop_pseudocount,
        right=settings.right_pseudocount,
        wrong=settings.wrong_pseudocount / max(relations - 1, 1),
    )


def smoothings(settings: GrammarSettings, relations: int) -> tuple[float, ...]:
    """The first smoothing of each restart; with many relations the candidates leave little to choose: one will do."""
    few = relations**3 <= settings.dense_rules
    return settings.restarts if few else settings.restarts[len(settings.restarts) // 2 :][:1]


def schedule(settings: GrammarSettings, corpus: Corpus, smoothing: float) -> list[Step]:
    """The steps of one restart; after a quarter of the annealing, rules without use are no longer followed."""
    lengths = corpus.lengths
    sparse = sparse_prior(settings, corpus.relations)
    smooth = replace(sparse, sparsity=0.0, rivalry=0.0, floor=0.0)
    joining = [length for length in lengths for _ in range(settings.curriculum_steps)]
    early = [Step(length, replace(smooth, rule=smoothing), True) for length in joining]
    falling = np.geomspace(smoothing, settings.last_smoothing, settings.annealing_steps)
    late = [replace(smooth, rule=float(amount)) for amount in falling] + [sparse] * settings.sparse_steps
    return early + [Step(lengths[-1], extra, n < settings.annealing_steps // 4) for n, extra in enumerate(late)]


def learn(corpus: Corpus, settings: GrammarSettings, tick: Tick | None = None) -> Learned:
    """Run all restarts, side by side where there are cores, and keep the one with the highest training likelihood.

    `tick` is called with a message after each step, of any restart; ties go to the first restart.
    """
    rng = np.random.default_rng(settings.seed)
    support = find_candidates(corpus, settings, rng)
    chosen = smoothings(settings, corpus.relations)
    stages = {length: corpus.up_to(length) for length in corpus.lengths}
    for stage in stages.values():
        _ = stage.batches  # made once, before the threads share them
    starts = [_start(even_model(support, settings.first_noise), child) for child in rng.spawn(len(chosen))]
    steps = [schedule(settings, corpus, smoothing) for smoothing in chosen]
    lock = threading.Lock()

    def run(place: int) -> Learned:
        note = partial(_locked, lock, tick)
        return _restart(starts[place], stages, steps[place], settings.negligible, note)

    threads = min(settings.threads or os.cpu_count() or 1, len(starts))
    with ThreadPoolExecutor(max_workers=max(threads, 1)) as pool:
        learned = list(pool.map(run, range(len(starts))))
    winner = min(learned, key=lambda one: one.rank)
    if support.open:
        return winner
    return replace(_consider_mistakes(winner, corpus, settings), curve=winner.curve)


def learn_more(learned: Learned, corpus: Corpus, settings: GrammarSettings) -> Learned:
    """Go on learning from new examples: their counts join the old ones, which stay as they are.

    Smoothing falls once more, or what is new would be taken for noise.
    """
    before = _widened(learned.counts, corpus.relations)
    old = before.support
    known = Support.of(old.relations, old.heads, old.lefts, old.rights)
    suggested = find_candidates(corpus, settings, np.random.default_rng(settings.seed), known)
    few = suggested.open
    if few:
        before = before.laid_out(old.joined(suggested))
    else:
        mistakes = with_mistakes(before.used_at_least(_MORE_THAN_ONCE).support, corpus).leaves
        heads, lefts, rights = suggested.heads, suggested.lefts, suggested.rights
        before = before.laid_out(Support.of(old.relations, heads, lefts, rights, mistakes=mistakes))
    steps = [step.extra for step in schedule(settings, corpus, settings.restarts[0])[-_late(settings) :]]
    model = maximise(before, steps[0])
    for extra in steps:
        counts = before + expect(model, corpus)
        model = maximise(counts, extra)
    return Learned(model, counts) if few else _opened(counts, settings)


def _late(settings: GrammarSettings) -> int:
    """The number of steps in which all paths take part."""
    return settings.annealing_steps + settings.sparse_steps


def _widened(counts: Counts, relations: int) -> Counts:
    """The counts with room for further relations at the end, of which nothing is known yet."""
    old = counts.support
    more = relations - old.relations
    grown = Support.of(relations, old.heads, old.lefts, old.rights, mistakes=old.leaves, open=old.open)
    leaves = np.pad(counts.leaves, (0, more))  # a new relation is observed as itself, which comes last
    return replace(counts, support=grown, leaves=leaves, labels=np.pad(counts.labels, (0, more)))


def _locked(lock: threading.Lock, tick: Tick | None, message: str) -> None:
    if tick is not None:
        with lock:
            tick(message)


def _start(model: GrammarModel, rng: np.random.Generator) -> GrammarModel:
    """The even model with random differences between the rules: restarts are to find different explanations."""
    return replace(model, weight=model.weight * rng.uniform(0.5, 1.5, model.weight.size))


def _restart(
    model: GrammarModel, stages: dict[int, Corpus], steps: list[Step], negligible: float, tick: Tick
) -> Learned:
    """One run from a first model."""
    curve = []
    for length, extra, every_rule in steps:
        counts = expect(model, stages[length])
        curve.append((length, counts.log_likelihood))
        if not every_rule:
            counts = counts.used_at_least(negligible)
        model = maximise(counts, extra)
        tick(f"paths up to {length}, log likelihood {counts.log_likelihood:.1f}")
    return Learned(model, counts, tuple(curve))


def _consider_mistakes(learned: Learned, corpus: Corpus, settings: GrammarSettings) -> Learned:
    """Learn once more with the rules that have come into use, and with edges that may be wrong.

    Where there are many relations, mistakes are not considered at first: any edge could be wrong
    in so many ways that the charts would be full. Those that would explain, by rules used more
    than once, a path that such rules do not explain otherwise, are now candidates. At the end
    every rule and every mistake is conceivable, as with few relations.
    """
    used = learned.counts.used_at_least(_HARDLY_AT_ALL).support
    mistakes = with_mistakes(learned.counts.used_at_least(_MORE_THAN_ONCE).support, corpus).leaves
    support = Support.of(used.relations, used.heads, used.lefts, used.rights, mistakes=mistakes)
    steps = schedule(settings, corpus, settings.restarts[0])[-_late(settings) :]
    again = _restart(even_model(support, settings.first_noise), {corpus.lengths[-1]: corpus}, steps, 0.0, _silent)
    return _opened(again.counts.used_at_least(_HARDLY_AT_ALL), settings)


def _opened(counts: Counts, settings: GrammarSettings) -> Learned:
    """The last model made so that every rule and every mistake is conceivable."""
    kept = counts.support
    opened = Support.of(kept.relations, kept.heads, kept.lefts, kept.rights, mistakes=kept.leaves, open=True)
    counts = counts.laid_out(opened)
    return Learned(maximise(counts, sparse_prior(settings, kept.relations)), counts)


def _silent(_: str) -> None:
    """No progress to report."""
