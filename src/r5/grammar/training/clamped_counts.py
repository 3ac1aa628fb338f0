"""Clamped and free counts: expected counts given paths and answers, and given the paths alone.

Their difference is the gradient of the log likelihood of the answers given the paths.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from r5._util.arrays import FloatArray
from r5._util.kernels.elementary_kernels import log
from r5._util.runtime.budget import Budget
from r5.grammar.charts.cell_kernels import Chart, entries
from r5.grammar.charts.filling import inside, outside
from r5.grammar.corpus.batches import Batch
from r5.grammar.corpus.corpus import Corpus
from r5.grammar.counts import BatchCounts
from r5.grammar.model import Grammar
from r5.grammar.training.description_length import answer_odds, normalize_by_example
from r5.grammar.training.em import no_counts

__all__ = ["ClampedFreeCounts", "clamped_free_batch", "clamped_free_counts"]


@dataclass(frozen=True, eq=False, slots=True)
class ClampedFreeCounts:
    """Expected counts of some examples, clamped and free; examples whose answer has no derivation do not count."""

    clamped: BatchCounts
    """Of the derivations of the given answers; the likelihood is that of the answers given the paths."""
    free: BatchCounts
    """Of the derivations of all answers, by their posterior."""

    def __add__(self, other: ClampedFreeCounts) -> ClampedFreeCounts:
        return ClampedFreeCounts(self.clamped + other.clamped, self.free + other.free)


def clamped_free_counts(model: Grammar, corpus: Corpus, budget: Budget | None = None) -> ClampedFreeCounts:
    """Return the clamped and free counts over all derivations of all examples."""
    if not len(corpus.held):
        return ClampedFreeCounts(no_counts(model), no_counts(model))
    return corpus.held.total(clamped_free_batch, model, budget)


def clamped_free_batch(batch: Batch, model: Grammar, budget: Budget | None = None) -> ClampedFreeCounts:
    """Return the clamped and free counts of one batch."""
    chart = inside(batch.spans.arrays, model.arrays, budget)
    free = normalize_by_example(answer_odds(batch, model, chart), batch)
    wanted = np.zeros_like(free)
    place = np.arange(free.shape[0]), batch.labels[batch.example_of]
    wanted[place] = free[place]
    right = np.bincount(batch.example_of, wanted[place], minlength=batch.labels.size)
    weights = np.where(right > 0.0, batch.weights, 0.0)
    likelihood = float((weights * log(np.where(right > 0.0, right, 1.0))).sum())

    def batch_counts(shares: FloatArray) -> BatchCounts:
        outer = _at_the_roots(batch, chart, shares * weights[batch.example_of, None])
        rules, leaves = outside(batch.spans.arrays, model.arrays, chart, outer, budget)
        labels = np.bincount(batch.labels, weights, minlength=model.relations).astype(np.float64)
        return BatchCounts(rules, leaves, labels, likelihood, float((batch.weights - weights).sum()))

    return ClampedFreeCounts(batch_counts(normalize_by_example(wanted, batch)), batch_counts(free))


def _at_the_roots(batch: Batch, chart: Chart, shares: FloatArray) -> FloatArray:
    """Return the derivative at each chart entry, zero except at the roots."""
    paths, relations = shares.shape
    entry = entries(chart, np.repeat(batch.spans.roots, relations), np.tile(np.arange(relations), paths))
    outer = np.zeros(chart.values.size)
    use = (entry >= 0) & (shares.ravel() > 0.0)
    np.add.at(outer, entry[use], shares.ravel()[use] / chart.values[entry[use]])
    return outer
