"""Expectation-maximisation of the grammar."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from r5._util.arrays import FloatArray
from r5._util.kernels.elementary_kernels import LOG_2, exp, log
from r5._util.runtime.budget import Budget
from r5.grammar.charts.cell_kernels import entries
from r5.grammar.charts.filling import inside, outside
from r5.grammar.corpus.batches import Batch
from r5.grammar.corpus.corpus import Corpus
from r5.grammar.counts import BatchCounts, ExpectedCounts
from r5.grammar.model import Grammar

__all__ = [
    "Pseudocounts",
    "expect",
    "expect_batch",
    "log_frequency",
    "log_head_counts",
    "maximise",
    "no_counts",
]


_HALF_WEIGHT_NOISE = 0.05
"""Share of wrong edges at which a rule pays half of its description: with label noise, rare rules may be spurious."""


@dataclass(frozen=True, slots=True)
class Pseudocounts:
    """Amounts added to the expected counts, or subtracted, before they become probabilities."""

    rule: float = 0.0
    """Smoothing: added to each conceivable rule."""
    sparsity: float = 0.0
    """Minimum subtracted from each rule: 1 - alpha of a Dirichlet prior."""
    description_weight: float = 0.0
    """Subtracted from each rule, times the log count of its head and the weight of the noise."""
    competition: float = 0.0
    """Subtracted from each rule for each use of another rule with the same body."""
    count_floor: float = 0.0
    """Minimum count of a conceivable rule."""
    stop: float = 1.0
    """Added to the stop count of each relation."""
    right: float = 9.0
    """Added to the count of each relation observed as itself."""
    wrong: float = 0.1
    """Added to the count of each confusion."""


def expect(model: Grammar, corpus: Corpus, budget: Budget | None = None) -> ExpectedCounts:
    """Return the expected counts over all derivations of all examples (E-step)."""
    totals = corpus.batches.total(expect_batch, model, budget) if len(corpus.batches) else no_counts(model)
    return ExpectedCounts(**vars(totals), index=model.index)


def no_counts(model: Grammar) -> BatchCounts:
    """Return the counts of no examples."""
    leaves = model.index.leaf_true.size
    return BatchCounts(np.zeros(len(model.index)), np.zeros(leaves), np.zeros(model.relations), 0.0, 0.0)


def expect_batch(batch: Batch, model: Grammar, budget: Budget | None = None) -> BatchCounts:
    """Return the expected counts of one batch."""
    spans = batch.spans
    chart = inside(spans.arrays, model.arrays, budget)
    wanted = batch.labels[batch.example_of]
    entry = entries(chart, spans.roots, wanted)
    value = np.where(entry >= 0, chart.values[entry], 0.0) if chart.values.size else np.zeros(entry.size)
    use = value > 0.0
    score = log(value) + chart.exponents[spans.roots] * LOG_2 - batch.background
    evidence, share = _mixture(score, batch)
    explained = np.isfinite(evidence)
    outer = np.zeros(chart.values.size)
    np.add.at(outer, entry[use], (share * batch.weights[batch.example_of])[use] / value[use])
    rules, leaves = outside(spans.arrays, model.arrays, chart, outer, budget)
    return BatchCounts(
        rules,
        leaves,
        np.bincount(batch.labels, batch.weights, minlength=model.relations).astype(np.float64),
        float((batch.weights[explained] * evidence[explained]).sum()),
        float(batch.weights[~explained].sum()),
    )


def _mixture(score: FloatArray, batch: Batch) -> tuple[FloatArray, FloatArray]:
    """Return the log evidence of each example and the posterior share of each of its paths."""
    examples = batch.labels.size
    top = np.full(examples, -np.inf)
    np.maximum.at(top, batch.example_of, score)
    base = np.where(np.isfinite(top), top, 0.0)[batch.example_of]
    odds = exp(score - base)
    total = np.bincount(batch.example_of, odds, minlength=examples)
    paths = np.bincount(batch.example_of, minlength=examples)
    evidence = log(total) + top - log(paths)
    share = odds / np.where(total > 0.0, total, 1.0)[batch.example_of]
    return np.where(np.isfinite(top), evidence, -np.inf), share


def maximise(counts: ExpectedCounts, pseudocounts: Pseudocounts) -> Grammar:
    """Return the grammar that maximises the posterior of the counts under the pseudo-counts (M-step).

    In an open index each conceivable rule has the floor or the smoothing as its background, and a listed rule has
    the rest of its count as weight; each unlisted confusion has its pseudo-count.
    """
    index = counts.index
    relations = index.relations
    uses = counts.rules
    competing = np.bincount(index.pairs, uses, minlength=index.pair_right.size)[index.pairs] - uses
    least = max(pseudocounts.rule, pseudocounts.count_floor)
    described = np.maximum(
        pseudocounts.description_weight * log_head_counts(counts) * _noise_weight(counts), pseudocounts.sparsity
    )
    kept = np.maximum(uses + pseudocounts.rule - described - pseudocounts.competition * competing, least)
    expansions = np.bincount(index.heads, kept - least if index.open else kept, minlength=relations)
    anything = least * relations**2 if index.open else 0.0
    stops = np.bincount(index.leaf_true, counts.leaves, minlength=relations) + pseudocounts.stop
    total = np.maximum(expansions + anything + stops, np.finfo(float).tiny)
    confusion, stray = _confusion(counts, pseudocounts)
    return Grammar(
        index=index,
        weight=(kept - least if index.open else kept) / total[index.heads],
        background=least / total if index.open else np.zeros(relations),
        stop=stops / total,
        confusion=confusion,
        stray=stray,
        prior=_flat_prior(counts),
        log_frequency=log_frequency(counts),
    )


def _confusion(counts: ExpectedCounts, pseudocounts: Pseudocounts) -> tuple[FloatArray, FloatArray]:
    """Return the confusion probability of each leaf, and that of an unlisted confusion of each relation."""
    index = counts.index
    relations = index.relations
    true, observed = index.leaves
    right = true == observed
    seen = counts.leaves + np.where(right, pseudocounts.right, pseudocounts.wrong)
    total = np.bincount(true, seen, minlength=relations)
    stray = np.zeros(relations)
    if index.open:
        unlisted = relations - np.bincount(true, minlength=relations)
        total = total + unlisted * pseudocounts.wrong
        stray = np.where(unlisted > 0, pseudocounts.wrong / np.maximum(total, np.finfo(float).tiny), 0.0)
    certain = np.where(right, 1.0, 0.0)
    return np.divide(seen, total[true], out=certain, where=total[true] > 0.0), stray


def log_head_counts(counts: ExpectedCounts) -> FloatArray:
    """Return the log count of each rule's head: twice the description length of one of its parameters."""
    index = counts.index
    heads = np.bincount(index.heads, counts.rules, minlength=index.relations)
    occurrences = heads + np.bincount(index.leaf_true, counts.leaves, minlength=index.relations)
    costs: FloatArray = log(np.maximum(occurrences, 1.0))[index.heads]
    return costs


def _noise_weight(counts: ExpectedCounts) -> float:
    """Return the weight of the description price, from 0 without wrong edges to 1 with many."""
    true, observed = counts.index.leaves
    total = float(counts.leaves.sum())
    share = float(counts.leaves[true != observed].sum()) / total if total > 0.0 else 0.0
    return share**2 / (share**2 + _HALF_WEIGHT_NOISE**2)


def _flat_prior(counts: ExpectedCounts) -> FloatArray:
    """Return a uniform prior over the relations that have been the head of a derivation.

    The frequency of an answer in training says little about longer queries: some relations occur only inside
    derivations.
    """
    heads = np.bincount(counts.index.heads, counts.rules, minlength=counts.index.relations)
    evidence = np.minimum(heads + counts.labels, 1.0) + 1e-6
    prior: FloatArray = evidence / evidence.sum()
    return prior


def log_frequency(counts: ExpectedCounts) -> FloatArray:
    """Return the log frequency of each observed relation with pseudo-counts of one; last, that of an unseen one."""
    seen = np.bincount(counts.index.leaf_observed, counts.leaves, minlength=counts.index.relations + 1) + 1.0
    common: FloatArray = log(seen / seen.sum())
    return common
