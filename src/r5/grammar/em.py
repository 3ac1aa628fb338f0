"""Expectation and maximisation: how often each rule was used, and the weights that fit that best."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from r5._util.kernels.elementary_kernels import LOG_2, exp, log
from r5._util.ordering import at_least
from r5._util.runtime.budget import Budget
from r5.grammar.batches import Batch
from r5.grammar.charts.cell_kernels import entries
from r5.grammar.charts.filling import inside, outside
from r5.grammar.corpus import Corpus
from r5.grammar.mistakes import spread_of_mistakes
from r5.grammar.model import FloatArray, GrammarModel, Support

__all__ = [
    "Counts",
    "Pseudocounts",
    "Tally",
    "commonness",
    "expect",
    "expect_batch",
    "maximise",
    "no_counts",
    "rule_costs",
]


_MANY_WRONG = 0.05
"""The share of wrong edges at which a rule must pay for half of its description: some rules are wrong edges' doing."""


@dataclass(frozen=True, eq=False, slots=True)
class Tally:
    """The counts of some examples, which add up; for whoever knows the support they belong to."""

    rules: FloatArray
    leaves: FloatArray
    labels: FloatArray
    log_likelihood: float
    unexplained: float

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            self.rules + other.rules,
            self.leaves + other.leaves,
            self.labels + other.labels,
            self.log_likelihood + other.log_likelihood,
            self.unexplained + other.unexplained,
        )


@dataclass(frozen=True, eq=False)
class Counts:
    """Expected uses of each rule and each leaf, and how well the model explains the examples."""

    support: Support
    rules: FloatArray  # [rules], in the order of the support
    leaves: FloatArray  # [leaves], in the order of the support
    labels: FloatArray  # [relations]
    log_likelihood: float
    """Of the examples that have a derivation."""
    unexplained: float
    """The weight of the examples that have none."""

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.support,
            self.rules + other.rules,
            self.leaves + other.leaves,
            self.labels + other.labels,
            self.log_likelihood + other.log_likelihood,
            self.unexplained + other.unexplained,
        )

    def laid_out(self, support: Support) -> Counts:
        """The counts of those rules and leaves that are in another support, in its order."""
        rules = self.support.spread(self.rules, support)
        return replace(self, support=support, rules=rules, leaves=self.support.spread_leaves(self.leaves, support))

    def used_at_least(self, often: float) -> Counts:
        """The counts without the rules that are used less often."""
        used = at_least(self.rules, often)
        return self if used.all() else self.laid_out(self.support.only(used))


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
    by_evenness: bool = False
    """Whether what a relation is mistaken for is shared out by how evenly mistakes fall, rather than by `wrong`."""


def expect(model: GrammarModel, corpus: Corpus, budget: Budget | None = None) -> Counts:
    """The E-step: expected counts over all derivations of all examples."""
    tally = corpus.held.total(expect_batch, model, budget) if len(corpus.held) else no_counts(model)
    return Counts(model.support, tally.rules, tally.leaves, tally.labels, tally.log_likelihood, tally.unexplained)


def no_counts(model: GrammarModel) -> Tally:
    """The counts of no examples."""
    leaves = model.support.leaf_true.size
    return Tally(np.zeros(len(model.support)), np.zeros(leaves), np.zeros(model.relations), 0.0, 0.0)


def expect_batch(batch: Batch, model: GrammarModel, budget: Budget | None = None) -> Tally:
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
    return Tally(
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


def maximise(counts: Counts, extra: Pseudocounts) -> GrammarModel:
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
    described = np.maximum(extra.description * rule_costs(counts) * _noisiness(counts), extra.sparsity)
    kept = np.maximum(uses + extra.rule - described - extra.rivalry * rivals, least)
    expansions = np.bincount(support.heads, kept - least if support.open else kept, minlength=relations)
    anything = least * relations**2 if support.open else 0.0
    stops = np.bincount(support.leaf_true, counts.leaves, minlength=relations) + extra.stop
    total = np.maximum(expansions + anything + stops, np.finfo(float).tiny)
    confusion, stray = _confusion(counts, extra)
    return GrammarModel(
        support=support,
        weight=(kept - least if support.open else kept) / total[support.heads],
        background=least / total if support.open else np.zeros(relations),
        stop=stops / total,
        confusion=confusion,
        stray=stray,
        prior=_flat_prior(counts),
        commonness=commonness(counts),
    )


def _confusion(counts: Counts, extra: Pseudocounts) -> tuple[FloatArray, FloatArray]:
    """How likely a relation is to be observed as what, for each leaf, and as another for which there is no leaf."""
    support = counts.support
    relations = support.relations
    true, observed = support.leaves
    right = true == observed
    seen, unlisted_seen = counts.leaves + extra.wrong, np.full(relations, extra.wrong)
    if extra.by_evenness:
        seen, unlisted_seen = spread_of_mistakes(support.leaves, counts.leaves, relations, extra.wrong)
    seen = np.where(right, counts.leaves + extra.right, seen)
    total = np.bincount(true, seen, minlength=relations)
    stray = np.zeros(relations)
    if support.open:
        unlisted = relations - np.bincount(true, minlength=relations)
        total = total + unlisted * unlisted_seen
        stray = np.where(unlisted > 0, unlisted_seen / np.maximum(total, np.finfo(float).tiny), 0.0)
    certain = np.where(right, 1.0, 0.0)
    return np.divide(seen, total[true], out=certain, where=total[true] > 0.0), stray


def rule_costs(counts: Counts) -> FloatArray:
    """The logarithm of how often the head of each rule occurs: twice the length of the description of one number."""
    support = counts.support
    heads = np.bincount(support.heads, counts.rules, minlength=support.relations)
    occurrences = heads + np.bincount(support.leaf_true, counts.leaves, minlength=support.relations)
    costs: FloatArray = log(np.maximum(occurrences, 1.0))[support.heads]
    return costs


def _noisiness(counts: Counts) -> float:
    """How far wrong edges are to be reckoned with, from 0 to 1: a rule seen once is one where there are none."""
    true, observed = counts.support.leaves
    total = float(counts.leaves.sum())
    share = float(counts.leaves[true != observed].sum()) / total if total > 0.0 else 0.0
    return share**2 / (share**2 + _MANY_WRONG**2)


def _flat_prior(counts: Counts) -> FloatArray:
    """Every relation that has been the head of something is as likely an answer as any other.

    How often an answer occurs in training says little about the questions to come: they may be
    longer, and some answers occur there only in the middle of derivations.
    """
    heads = np.bincount(counts.support.heads, counts.rules, minlength=counts.support.relations)
    evidence = np.minimum(heads + counts.labels, 1.0) + 1e-6
    prior: FloatArray = evidence / evidence.sum()
    return prior


def commonness(counts: Counts) -> FloatArray:
    """How often each relation is observed, in logarithms; one imagined observation of each, and of an unknown one."""
    seen = np.bincount(counts.support.leaf_observed, counts.leaves, minlength=counts.support.relations + 1) + 1.0
    common: FloatArray = log(seen / seen.sum())
    return common
