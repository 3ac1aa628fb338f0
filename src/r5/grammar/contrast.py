"""Contrast: how often each rule is used for the answers that were given, and for whatever might be answered.

The difference says how each weight is to change for the answers to become likelier, given the paths.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from r5._util.kernels.elementary_kernels import log
from r5._util.runtime.budget import Budget
from r5.grammar.batches import Batch
from r5.grammar.charts.cell_kernels import Chart, entries
from r5.grammar.charts.filling import inside, outside
from r5.grammar.choosing import answer_odds, shares_of
from r5.grammar.corpus import Corpus
from r5.grammar.em import Tally, no_counts
from r5.grammar.model import FloatArray, GrammarModel

__all__ = ["Contrast", "contrast", "contrast_batch"]


@dataclass(frozen=True, eq=False, slots=True)
class Contrast:
    """The counts of some examples, twice; questions whose answer has no derivation count for nothing."""

    given: Tally
    """Of the derivations of the answers that were given; the likelihood is that of the answers, given the paths."""
    whatever: Tally
    """Of the derivations of whatever might be answered, each as likely as the model says."""

    def __add__(self, other: Contrast) -> Contrast:
        return Contrast(self.given + other.given, self.whatever + other.whatever)


def contrast(model: GrammarModel, corpus: Corpus, budget: Budget | None = None) -> Contrast:
    """Expected counts over all derivations of all examples, given their answers and given their paths alone."""
    if not len(corpus.held):
        return Contrast(no_counts(model), no_counts(model))
    return corpus.held.total(contrast_batch, model, budget)


def contrast_batch(batch: Batch, model: GrammarModel, budget: Budget | None = None) -> Contrast:
    """The contrast of one batch."""
    chart = inside(batch.spans.arrays, model.arrays, budget)
    free = shares_of(answer_odds(batch, model, chart), batch)
    wanted = np.zeros_like(free)
    place = np.arange(free.shape[0]), batch.labels[batch.question_of]
    wanted[place] = free[place]
    right = np.bincount(batch.question_of, wanted[place], minlength=batch.labels.size)
    weights = np.where(right > 0.0, batch.weights, 0.0)
    likelihood = float((weights * log(np.where(right > 0.0, right, 1.0))).sum())

    def tally(shares: FloatArray) -> Tally:
        outer = _at_the_roots(batch, chart, shares * weights[batch.question_of, None])
        rules, leaves = outside(batch.spans.arrays, model.arrays, chart, outer, budget)
        labels = np.bincount(batch.labels, weights, minlength=model.relations).astype(np.float64)
        return Tally(rules, leaves, labels, likelihood, float((batch.weights - weights).sum()))

    return Contrast(tally(shares_of(wanted, batch)), tally(free))


def _at_the_roots(batch: Batch, chart: Chart, shares: FloatArray) -> FloatArray:
    """How much depends on each entry of a chart, to begin with: on those of the roots, by their shares."""
    paths, relations = shares.shape
    entry = entries(chart, np.repeat(batch.spans.roots, relations), np.tile(np.arange(relations), paths))
    outer = np.zeros(chart.values.size)
    use = (entry >= 0) & (shares.ravel() > 0.0)
    np.add.at(outer, entry[use], shares.ravel()[use] / chart.values[entry[use]])
    return outer
