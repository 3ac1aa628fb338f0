"""Choosing among restarts: the one whose rules, and then the answers given the paths, are the shortest to describe.

The likelihood of the paths themselves misleads: a wrong explanation of wrong edges can make the paths more likely than
the true rules do, but not the answers.
"""

from __future__ import annotations

import numpy as np

from r5._util.kernels.elementary_kernels import LOG_2, exp, log
from r5._util.runtime.budget import Budget
from r5.grammar.batches import Batch
from r5.grammar.charts.cell_kernels import Chart, by_relation
from r5.grammar.charts.filling import inside
from r5.grammar.corpus import Corpus
from r5.grammar.em import Counts, rule_costs
from r5.grammar.model import FloatArray, GrammarModel

__all__ = ["answer_odds", "answers_likelihood", "description_length", "likelihood_of_batch", "shares_of"]

_LEAST_LIKELY = 1e-9
_NOTHING = 1e-15
"""A weight up to this is what rounding left of 0."""


def description_length(
    model: GrammarModel, counts: Counts, corpus: Corpus, price: float, budget: Budget | None = None
) -> float:
    """What it costs, in logarithms, to say the rules and then the answers, to someone who knows the paths.

    A rule costs `price` times the logarithm of how often its head occurs.
    """
    rules = price * rule_costs(counts)[model.weight > _NOTHING].sum()
    return float(rules) - answers_likelihood(model, corpus, budget)


def answers_likelihood(model: GrammarModel, corpus: Corpus, budget: Budget | None = None) -> float:
    """The log likelihood of the answers, given the paths."""
    return sum(corpus.held.map(likelihood_of_batch, model, budget))


def likelihood_of_batch(batch: Batch, model: GrammarModel, budget: Budget | None = None) -> float:
    """The log likelihood of the answers of one batch, given the paths."""
    odds = answer_odds(batch, model, inside(batch.spans.arrays, model.arrays, budget))
    likely = shares_of(odds, batch)[np.arange(odds.shape[0]), batch.labels[batch.question_of]]
    right = np.bincount(batch.question_of, likely, minlength=batch.labels.size)
    return float((batch.weights * log(np.maximum(right, _LEAST_LIKELY))).sum())


def answer_odds(batch: Batch, model: GrammarModel, chart: Chart) -> FloatArray:
    """How likely each path with each answer is, [paths, relations], relative to the likeliest of the question."""
    roots = batch.spans.roots
    joint = by_relation(chart, chart.values, roots, model.relations) * model.prior
    score = log(joint) + (chart.exponents[roots] * LOG_2 - batch.background)[:, None]
    top = np.full(batch.labels.size, -np.inf)
    np.maximum.at(top, batch.question_of, score.max(axis=1, initial=-np.inf))
    odds: FloatArray = exp(score - np.where(np.isfinite(top), top, 0.0)[batch.question_of, None])
    return odds


def shares_of(odds: FloatArray, batch: Batch) -> FloatArray:
    """The same so that all of a question add up to one, or to nothing where nothing is possible."""
    total = np.bincount(batch.question_of, odds.sum(axis=1), minlength=batch.labels.size)[batch.question_of]
    shares: FloatArray = odds / np.where(total > 0.0, total, 1.0)[:, None]
    return shares
