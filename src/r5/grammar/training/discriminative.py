"""Discriminative training: weights of given rules that maximise the likelihood of the answers given the paths.

Its gradient is the difference of clamped counts, expected given paths and answers, and free counts, given the paths
alone. A step costs about twice as much as one of expectation-maximisation.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from r5._util.arrays import FloatArray
from r5._util.kernels.elementary_kernels import exp, log
from r5._util.runtime.budget import Budget
from r5.grammar.charts.cell_kernels import Chart, entries
from r5.grammar.charts.filling import inside, outside
from r5.grammar.corpus.batches import Batch
from r5.grammar.corpus.corpus import Corpus
from r5.grammar.counts import BatchCounts, ExpectedCounts
from r5.grammar.model import Grammar
from r5.grammar.settings import GrammarSettings
from r5.grammar.training.description_length import answer_odds, normalize_by_example
from r5.grammar.training.em import expect, log_frequency, no_counts

__all__ = ["ClampedFreeCounts", "clamped_free_batch", "clamped_free_counts", "fit_discriminative"]

_INITIAL_WEIGHT = 0.05
"""Initial weight of each rule."""
_BACKGROUND = 1e-7
_STEPS = 10
_PSEUDOCOUNT = 3.0
"""Imagined uses of each rule, clamped and free, at its initial weight."""
_DAMPING = 0.75
"""Root of the ratio of clamped to free counts that is the factor of a weight."""
_MAX_FACTOR = 5.0
"""Maximum factor of a weight in one step."""
_FREE_CONFUSIONS = 0.5
"""Share of the free counts of confusions that is subtracted from the clamped ones."""


def fit_discriminative(
    model: Grammar, corpus: Corpus, settings: GrammarSettings, budget: Budget | None = None
) -> tuple[Grammar, ExpectedCounts]:
    """Return the rules of a grammar with discriminative weights and confusions, and its expected counts.

    Args:
        model: Grammar whose rules are kept; its weights are not used.
        corpus: The training examples.
        settings: The hyperparameters.
        budget: The time limit.
    """
    relations = corpus.relations
    index = model.index.subset(model.in_use)
    model = replace(
        model,
        index=index,
        weight=np.full(len(index), _INITIAL_WEIGHT),
        background=np.full(relations, _BACKGROUND),
        stop=np.full(relations, 0.5),
        prior=np.full(relations, 1.0 / relations),
    )
    for _ in range(_STEPS):
        model = _step(model, corpus, settings, budget)
    model = _normalized(model)
    counts = expect(model, corpus, budget)
    return replace(model, log_frequency=log_frequency(counts)), counts


def _step(model: Grammar, corpus: Corpus, settings: GrammarSettings, budget: Budget | None) -> Grammar:
    """Return the grammar after one multiplicative update by the ratio of clamped to free counts."""
    found = clamped_free_counts(model, corpus, budget)
    wanted = np.maximum(found.clamped.rules + _PSEUDOCOUNT, 1e-6)
    unwanted = np.maximum(found.free.rules + _PSEUDOCOUNT * model.weight / _INITIAL_WEIGHT, 1e-9)
    factor = exp(log(wanted / unwanted) / _DAMPING)
    weight = np.clip(model.weight * np.clip(factor, 1.0 / _MAX_FACTOR, _MAX_FACTOR), 1e-10, 1.0)
    return replace(model, weight=weight, confusion=_confusion(model, found, settings))


def _confusion(model: Grammar, found: ClampedFreeCounts, settings: GrammarSettings) -> FloatArray:
    """Return the confusion probabilities, from clamped counts less a share of the free ones."""
    true, observed = model.index.leaves
    relations = model.relations
    other = _FREE_CONFUSIONS * found.free.leaves
    kept = np.bincount(true, other, minlength=relations)[true] * model.confusion
    wrong = settings.confusion_pseudocount / max(relations - 1, 1)
    imagined = np.where(true == observed, settings.correct_pseudocount, wrong)
    seen = np.maximum(found.clamped.leaves - other, 0.0) + kept + imagined
    confusion: FloatArray = seen / np.bincount(true, seen, minlength=relations)[true]
    return confusion


def _normalized(model: Grammar) -> Grammar:
    """Return a grammar with the same posterior whose weights add up to one for each relation.

    The posterior is unchanged if all rules are scaled alike, for paths of one length, or if a factor is moved from all
    rules and the stop probability of a relation to the rules and answers in which it occurs.
    """
    index = model.index
    scale = 1.0
    while (total := _total_weights(model, scale)) is None:
        scale /= 2.0
    weight = scale * model.weight * total[index.lefts] * total[index.rights] / total[index.heads]
    prior = model.prior * total
    return replace(
        model,
        weight=weight,
        background=model.background / total,
        stop=model.stop / total,
        prior=prior / prior.sum(),
    )


def _total_weights(model: Grammar, scale: float) -> FloatArray | None:
    """Return the total weight of all derivations from each relation, [relations]; None if it diverges."""
    index = model.index
    total = model.stop
    for _ in range(200):
        more = scale * model.weight * total[index.lefts] * total[index.rights]
        total = model.stop + np.bincount(index.heads, more, minlength=model.relations)
        if total.max() > 2.0:
            return None
    return total


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
    if not len(corpus.batches):
        return ClampedFreeCounts(no_counts(model), no_counts(model))
    return corpus.batches.total(clamped_free_batch, model, budget)


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
        outer = _root_derivatives(batch, chart, shares * weights[batch.example_of, None])
        rules, leaves = outside(batch.spans.arrays, model.arrays, chart, outer, budget)
        labels = np.bincount(batch.labels, weights, minlength=model.relations).astype(np.float64)
        return BatchCounts(rules, leaves, labels, likelihood, float((batch.weights - weights).sum()))

    return ClampedFreeCounts(batch_counts(normalize_by_example(wanted, batch)), batch_counts(free))


def _root_derivatives(batch: Batch, chart: Chart, shares: FloatArray) -> FloatArray:
    """Return the derivative at each chart entry, zero except at the roots."""
    paths, relations = shares.shape
    entry = entries(chart, np.repeat(batch.spans.roots, relations), np.tile(np.arange(relations), paths))
    outer = np.zeros(chart.values.size)
    use = (entry >= 0) & (shares.ravel() > 0.0)
    np.add.at(outer, entry[use], shares.ravel()[use] / chart.values[entry[use]])
    return outer
