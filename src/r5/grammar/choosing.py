"""Choosing among restarts: the one whose rules, and then the answers given the paths, are the shortest to describe.

The likelihood of the paths themselves misleads: a wrong explanation of wrong edges can make the paths more likely than
the true rules do, but not the answers.
"""

from __future__ import annotations

import numpy as np

from r5._util.budget import Budget
from r5._util.elementary_kernels import LOG_2, exp, log
from r5.grammar.batches import Batch
from r5.grammar.charts.cell_kernels import by_relation
from r5.grammar.charts.filling import inside
from r5.grammar.corpus import Corpus
from r5.grammar.em import Counts, rule_costs
from r5.grammar.model import GrammarModel

__all__ = ["answers_likelihood", "description_length", "likelihood_of_batch"]

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
    roots, questions = batch.spans.roots, batch.labels.size
    chart = inside(batch.spans.arrays, model.arrays, budget)
    joint = by_relation(chart, chart.values, roots, model.relations) * model.prior
    score = log(joint) + (chart.exponents[roots] * LOG_2 - batch.background)[:, None]
    top = np.full(questions, -np.inf)
    np.maximum.at(top, batch.question_of, score.max(axis=1, initial=-np.inf))
    odds = exp(score - np.where(np.isfinite(top), top, 0.0)[batch.question_of, None])
    total = np.bincount(batch.question_of, odds.sum(axis=1), minlength=questions)
    wanted = odds[np.arange(roots.size), batch.labels[batch.question_of]]
    right = np.bincount(batch.question_of, wanted, minlength=questions)
    likely = np.divide(right, total, out=np.zeros(questions), where=total > 0.0)
    return float((batch.weights * log(np.maximum(likely, _LEAST_LIKELY))).sum())
