"""Description length of a grammar: its rules, and the answers given the paths (MDL).

The likelihood of the paths is a poor criterion: spurious rules that explain label noise can make the paths more
likely than the true rules do, but not the answers.
"""

from __future__ import annotations

import numpy as np

from r5._util.arrays import FloatArray
from r5._util.kernels.elementary_kernels import LOG_2, exp, log
from r5._util.runtime.budget import Budget
from r5.grammar.charts.cell_kernels import Chart, by_relation
from r5.grammar.charts.filling import inside
from r5.grammar.corpus.batches import Batch
from r5.grammar.corpus.corpus import Corpus
from r5.grammar.counts import ExpectedCounts
from r5.grammar.model import Grammar
from r5.grammar.training.em import log_head_counts

__all__ = [
    "answer_log_likelihood",
    "answer_odds",
    "batch_answer_log_likelihood",
    "description_length",
    "normalize_by_example",
]

_MIN_PROBABILITY = 1e-9


def description_length(
    model: Grammar, counts: ExpectedCounts, corpus: Corpus, price: float, budget: Budget | None = None
) -> float:
    """Return the description length, in nats, of the rules and of the answers given the paths.

    A rule costs `price` times the log count of its head.
    """
    rules = price * log_head_counts(counts)[model.in_use].sum()
    return float(rules) - answer_log_likelihood(model, corpus, budget)


def answer_log_likelihood(model: Grammar, corpus: Corpus, budget: Budget | None = None) -> float:
    """Return the log likelihood of the answers given the paths."""
    return sum(corpus.batches.map(batch_answer_log_likelihood, model, budget))


def batch_answer_log_likelihood(batch: Batch, model: Grammar, budget: Budget | None = None) -> float:
    """Return the log likelihood of the answers of one batch given the paths."""
    odds = answer_odds(batch, model, inside(batch.spans.arrays, model.arrays, budget))
    likely = normalize_by_example(odds, batch)[np.arange(odds.shape[0]), batch.labels[batch.example_of]]
    right = np.bincount(batch.example_of, likely, minlength=batch.labels.size)
    return float((batch.weights * log(np.maximum(right, _MIN_PROBABILITY))).sum())


def answer_odds(batch: Batch, model: Grammar, chart: Chart) -> FloatArray:
    """Return P(path, answer), [paths, relations], relative to the largest of each example."""
    roots = batch.spans.roots
    joint = by_relation(chart, chart.values, roots, model.relations) * model.prior
    score = log(joint) + (chart.exponents[roots] * LOG_2 - batch.background)[:, None]
    top = np.full(batch.labels.size, -np.inf)
    np.maximum.at(top, batch.example_of, score.max(axis=1, initial=-np.inf))
    odds: FloatArray = exp(score - np.where(np.isfinite(top), top, 0.0)[batch.example_of, None])
    return odds


def normalize_by_example(odds: FloatArray, batch: Batch) -> FloatArray:
    """Return the odds normalised over each example; zeros where nothing is possible."""
    total = np.bincount(batch.example_of, odds.sum(axis=1), minlength=batch.labels.size)[batch.example_of]
    shares: FloatArray = odds / np.where(total > 0.0, total, 1.0)[:, None]
    return shares
