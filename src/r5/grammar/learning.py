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

__all__ = ["Learned", "learn", "learn_more", "schedule", "sparse_prior"]

Tick = Callable[[str], None]


@dataclass(frozen=True, eq=False)
class Learned:
    """A model, and the expected counts that it was made from."""

    model: GrammarModel
    counts: Counts

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


def sparse_prior(settings: GrammarSettings) -> Pseudocounts:
    """What the last steps add to the counts, and take away."""
    return Pseudocounts(
        sparsity=settings.sparsity,
        rivalry=settings.rivalry,
        floor=settings.floor,
        stop=settings.stop_pseudocount,
        right=settings.right_pseudocount,
        wrong=settings.wrong_pseudocount,
    )


def schedule(settings: GrammarSettings, lengths: list[int], smoothing: float) -> list[Step]:
    """The steps of one restart; after a quarter of the annealing, rules without use are no longer followed."""
    sparse = sparse_prior(settings)
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
    stages = {length: corpus.up_to(length) for length in corpus.lengths}
    for stage in stages.values():
        _ = stage.batches  # made once, before the threads share them
    starts = [_start(even_model(support, settings.first_noise), child) for child in rng.spawn(len(settings.restarts))]
    steps = [schedule(settings, corpus.lengths, smoothing) for smoothing in settings.restarts]
    lock = threading.Lock()

    def run(place: int) -> Learned:
        note = partial(_locked, lock, tick)
        return _restart(starts[place], stages, steps[place], settings.negligible, note)

    threads = min(settings.threads or os.cpu_count() or 1, len(starts))
    with ThreadPoolExecutor(max_workers=max(threads, 1)) as pool:
        learned = list(pool.map(run, range(len(starts))))
    winner = min(learned, key=lambda one: one.rank)
    return winner if support.mistakes.all() else _explain_the_rest(winner, corpus, settings)


def learn_more(learned: Learned, corpus: Corpus, settings: GrammarSettings) -> Learned:
    """Go on learning from new examples: their counts join the old ones, which stay as they are."""
    rng = np.random.default_rng(settings.seed)
    old = _widened(learned.counts, corpus.relations)
    support = old.support if old.support.open else find_candidates(corpus, settings, rng, old.support)
    before = old.laid_out(support)
    extra = sparse_prior(settings)
    model = maximise(before, replace(extra, sparsity=0.0, rivalry=0.0))
    for _ in range(max(settings.sparse_steps, 1)):
        counts = before + expect(model, corpus)
        model = maximise(counts, extra)
    return Learned(model, counts)


def _widened(counts: Counts, relations: int) -> Counts:
    """The counts with room for further relations at the end, of which nothing is known yet.

    A relation that the old support leaves open may combine with any other, so that each new
    rule can be counted, the support lists them all.
    """
    old = counts.support
    more = relations - old.relations
    mistakes = np.pad(old.mistakes, (0, more), constant_values=old.open) | np.eye(relations, dtype=bool)
    wide = Support.of(relations, old.heads, old.lefts, old.rights, mistakes=mistakes, open=old.open)
    if old.open:
        wide = wide.joined(Support.full(relations))
    rules = Support.of(relations, old.heads, old.lefts, old.rights).spread(counts.rules, wide)
    leaves = np.pad(counts.leaves, (0, more))
    return replace(counts, support=wide, rules=rules, leaves=leaves, labels=np.pad(counts.labels, (0, more)))


def _locked(lock: threading.Lock, tick: Tick | None, message: str) -> None:
    if tick is not None:
        with lock:
            tick(message)


def _start(model: GrammarModel, rng: np.random.Generator) -> GrammarModel:
    """The even model with small differences between the rules, which break ties between equal explanations."""
    return replace(model, weight=model.weight * rng.uniform(0.95, 1.05, model.weight.size))


def _restart(
    model: GrammarModel, stages: dict[int, Corpus], steps: list[Step], negligible: float, tick: Tick
) -> Learned:
    """One run from a first model."""
    for length, extra, every_rule in steps:
        counts = expect(model, stages[length])
        if not every_rule:
            counts = counts.used_at_least(negligible)
        model = maximise(counts, extra)
        tick(f"paths up to {length}, log likelihood {counts.log_likelihood:.1f}")
    return Learned(model, counts)


def _explain_the_rest(learned: Learned, corpus: Corpus, settings: GrammarSettings) -> Learned:
    """Drop the rules without use, and let mistakes explain what is then without a derivation.

    Where there are many relations, mistakes are not considered before: any edge could be wrong
    in so many ways that the charts would be full.
    """
    sparse = sparse_prior(settings)
    used = learned.counts.used_at_least(settings.sparsity)
    counts = used.laid_out(with_mistakes(used.support, corpus))
    model = maximise(counts, sparse)
    for _ in range(max(settings.sparse_steps, 1)):
        counts = expect(model, corpus)
        model = maximise(counts, sparse)
    return Learned(model, counts)
