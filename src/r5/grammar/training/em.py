"""Expectation and maximisation: how often each rule was used, and the weights that fit that best."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from r5._util.arrays import FloatArray
from r5._util.budget import Budget
from r5._util.elementary_kernels import LOG_2, exp, log
from r5.grammar.charts.cell_kernels import entries
from r5.grammar.charts.filling import inside, outside
from r5.grammar.corpus.batches import Batch
from r5.grammar.corpus.corpus import Corpus
from r5.grammar.counts import BatchCounts, ExpectedCounts
from r5.grammar.model import Grammar
from r5.grammar.training.confusion import smooth_confusion

__all__ = [
    "Pseudocounts",
    "expect",
    "expect_batch",
    "log_frequency",
    "log_head_counts",
    "maximise",
    "no_counts",
]


_MANY_WRONG = 0.05
"""The share of wrong edges at which a rule must pay for half of its description: some rules are wrong edges' doing."""


@dataclass(frozen=True, slots=True)
class Pseudocounts:
    """What is added to the expected counts, or taken away, before they become probabilities."""

    rule: float = 0.0
    """Added to each conceivable rule: smoothing."""
    sparsity: float = 0.0
    """Taken from each rule (1 - alpha of a Dirichlet prior), at least."""
    description: float = 0.0
    """Taken from each rule for each power of e in how often its head occurs, where many edges are wrong."""
    rivalry: float = 0.0
    """Taken from each rule for each use of another rule with the same body."""
    floor: float = 0.0
    """The least that a conceivable rule is left with."""
    stop: float = 1.0
    """Added to stopping, for each relation."""
    right: float = 9.0
    """Added to a relation's being observed as what it is."""
    wrong: float = 0.1
    """Added to its being observed as another, for each other one."""
    shared_confusion: bool = False
    """Whether what a relation is mistaken for is shared out by how evenly confusions fall, rather than by `wrong`."""


def expect(model: Grammar, corpus: Corpus, budget: Budget | None = None) -> ExpectedCounts:
    """The E-step: expected counts over all derivations of all examples."""
    tally = corpus.held.total(expect_batch, model, budget) if len(corpus.held) else no_counts(model)
    return ExpectedCounts(
        model.support, tally.rules, tally.leaves, tally.labels, tally.log_likelihood, tally.unexplained
    )


def no_counts(model: Grammar) -> BatchCounts:
    """The counts of no examples."""
    leaves = model.support.leaf_true.size
    return BatchCounts(np.zeros(len(model.support)), np.zeros(leaves), np.zeros(model.relations), 0.0, 0.0)


def expect_batch(batch: Batch, model: Grammar, budget: Budget | None = None) -> BatchCounts:
    """The expected counts of one batch."""
    spans = batch.spans
    chart = inside(spans.arrays, model.arrays, budget)
    wanted = batch.labels[batch.question_of]
    entry = entries(chart, spans.roots, wanted)
    value = np.where(entry >= 0, chart.values[entry], 0.0) if chart.values.size else np.zeros(entry.size)
    use = value > 0.0
    score = log(value) + chart.exponents[spans.roots] * LOG_2 - batch.background
    evidence, share = _mixture(score, batch)
    explained = np.isfinite(evidence)
    outer = np.zeros(chart.values.size)
    np.add.at(outer, entry[use], (share * batch.weights[batch.question_of])[use] / value[use])
    rules, leaves = outside(spans.arrays, model.arrays, chart, outer, budget)
    return BatchCounts(
        rules,
        leaves,
        np.bincount(batch.labels, batch.weights, minlength=model.relations).astype(np.float64),
        float((batch.weights[explained] * evidence[explained]).sum()),
        float(batch.weights[~explained].sum()),
    )


def _mixture(score: FloatArray, batch: Batch) -> tuple[FloatArray, FloatArray]:
    """Which path was it? The log evidence of each question and the share of each path in it."""
    questions = batch.labels.size
    top = np.full(questions, -np.inf)
    np.maximum.at(top, batch.question_of, score)
    base = np.where(np.isfinite(top), top, 0.0)[batch.question_of]
    odds = exp(score - base)
    total = np.bincount(batch.question_of, odds, minlength=questions)
    paths = np.bincount(batch.question_of, minlength=questions)
    evidence = log(total) + top - log(paths)
    share = odds / np.where(total > 0.0, total, 1.0)[batch.question_of]
    return np.where(np.isfinite(top), evidence, -np.inf), share


def maximise(counts: ExpectedCounts, extra: Pseudocounts) -> Grammar:
    """The M-step: the probabilities that make these counts most likely under the pseudo-counts.

    Where the support is open, each conceivable rule has the floor or the smoothing as its
    background, and a rule of the support what it has beyond that; each mistake that is not
    listed has its pseudo-count.
    """
    support = counts.support
    relations = support.relations
    uses = counts.rules
    rivals = np.bincount(support.pairs, uses, minlength=support.pair_right.size)[support.pairs] - uses
    least = max(extra.rule, extra.floor)
    described = np.maximum(extra.description * log_head_counts(counts) * _noise_weight(counts), extra.sparsity)
    kept = np.maximum(uses + extra.rule - described - extra.rivalry * rivals, least)
    expansions = np.bincount(support.heads, kept - least if support.open else kept, minlength=relations)
    anything = least * relations**2 if support.open else 0.0
    stops = np.bincount(support.leaf_true, counts.leaves, minlength=relations) + extra.stop
    total = np.maximum(expansions + anything + stops, np.finfo(float).tiny)
    confusion, stray = _confusion(counts, extra)
    return Grammar(
        support=support,
        weight=(kept - least if support.open else kept) / total[support.heads],
        background=least / total if support.open else np.zeros(relations),
        stop=stops / total,
        confusion=confusion,
        stray=stray,
        prior=_flat_prior(counts),
        log_frequency=log_frequency(counts),
    )


def _confusion(counts: ExpectedCounts, extra: Pseudocounts) -> tuple[FloatArray, FloatArray]:
    """How likely a relation is to be observed as what, for each leaf, and as another for which there is no leaf."""
    support = counts.support
    relations = support.relations
    true, observed = support.leaves
    right = true == observed
    seen, unlisted_seen = counts.leaves + extra.wrong, np.full(relations, extra.wrong)
    if extra.shared_confusion:
        seen, unlisted_seen = smooth_confusion(support.leaves, counts.leaves, relations, extra.wrong)
    seen = np.where(right, counts.leaves + extra.right, seen)
    total = np.bincount(true, seen, minlength=relations)
    stray = np.zeros(relations)
    if support.open:
        unlisted = relations - np.bincount(true, minlength=relations)
        total = total + unlisted * unlisted_seen
        stray = np.where(unlisted > 0, unlisted_seen / np.maximum(total, np.finfo(float).tiny), 0.0)
    certain = np.where(right, 1.0, 0.0)
    return np.divide(seen, total[true], out=certain, where=total[true] > 0.0), stray


def log_head_counts(counts: ExpectedCounts) -> FloatArray:
    """The logarithm of how often the head of each rule occurs: twice the length of the description of one number."""
    support = counts.support
    heads = np.bincount(support.heads, counts.rules, minlength=support.relations)
    occurrences = heads + np.bincount(support.leaf_true, counts.leaves, minlength=support.relations)
    costs: FloatArray = log(np.maximum(occurrences, 1.0))[support.heads]
    return costs


def _noise_weight(counts: ExpectedCounts) -> float:
    """How far wrong edges are to be reckoned with, from 0 to 1: a rule seen once is one where there are none."""
    true, observed = counts.support.leaves
    total = float(counts.leaves.sum())
    share = float(counts.leaves[true != observed].sum()) / total if total > 0.0 else 0.0
    return share**2 / (share**2 + _MANY_WRONG**2)


def _flat_prior(counts: ExpectedCounts) -> FloatArray:
    """Every relation that has been the head of something is as likely an answer as any other.

    How often an answer occurs in training says little about the questions to come: they may be
    longer, and some answers occur there only in the middle of derivations.
    """
    heads = np.bincount(counts.support.heads, counts.rules, minlength=counts.support.relations)
    evidence = np.minimum(heads + counts.labels, 1.0) + 1e-6
    prior: FloatArray = evidence / evidence.sum()
    return prior


def log_frequency(counts: ExpectedCounts) -> FloatArray:
    """How often each relation is observed, in logarithms; one imagined observation of each, and of an unknown one."""
    seen = np.bincount(counts.support.leaf_observed, counts.leaves, minlength=counts.support.relations + 1) + 1.0
    common: FloatArray = log(seen / seen.sum())
    return common
