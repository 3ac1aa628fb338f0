"""Posterior of each answer given the paths of a query, and Viterbi derivations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from r5._util.arrays import FloatArray
from r5._util.budget import Budget
from r5._util.elementary_kernels import exp, log
from r5._util.order import first_largest
from r5._util.ragged import Ragged
from r5.grammar.charts.cell_kernels import by_relation
from r5.grammar.charts.filling import best, inside, outside
from r5.grammar.charts.spans import Spans
from r5.grammar.charts.viterbi_kernels import backtrace
from r5.grammar.inference.extrapolation import TrainingReach, extrapolate
from r5.grammar.inference.scoring import normalize_rows, pieces, score
from r5.grammar.model import Grammar

__all__ = ["Answers", "ViterbiTree", "answer", "answers_under", "leaf_posteriors", "viterbi_trees"]


@dataclass(frozen=True, eq=False)
class Answers:
    """Posterior of each query, and the contribution of each path."""

    posterior: FloatArray  # [questions, relations]; a row of zeros where no path has a derivation
    contribution: FloatArray  # [paths, relations], the share of the posterior that a path brings in
    evidence: FloatArray  # [questions], how much better than chance its paths are explained (log); -inf without any


@dataclass(frozen=True, eq=False)
class ViterbiTree:
    """Most likely derivation of one answer over one path."""

    leaves: list[int]
    """True relation of each edge."""
    merges: list[tuple[int, int, int]]
    """Merges from the bottom up: position on the current path, head, index of the rule or -1."""


def answer(
    model: Grammar,
    starts: NDArray[np.int64],
    paths: Ragged,
    combine: str = "average",
    budget: Budget | None = None,
    trust: TrainingReach | None = None,
) -> Answers:
    """Answer questions; the paths of question q are rows `starts[q]:starts[q + 1]`.

    `trust` is for paths longer than those that were learned from; without it they are as any other.

    mixture: one path is the reason, the better explained the more likely; average: each path
    has the same say; product: the paths are independent witnesses; best: the surest path decides.
    """
    trusts = None if trust is None else [trust]
    return answers_under([model], starts, paths, combine, budget, trusts)[0]


def answers_under(
    models: Sequence[Grammar],
    starts: NDArray[np.int64],
    paths: Ragged,
    combine: str = "average",
    budget: Budget | None = None,
    trusts: Sequence[TrainingReach] | None = None,
) -> list[Answers]:
    """As `answer`, under each of some models that differ only in their confusions."""
    scores = score(models, paths, budget)
    better = [one.log_ratio_to_chance(model, paths) for model, one in zip(models, scores, strict=True)]
    if trusts is None:
        each = [normalize_rows(one.joint) for one in scores]
    else:
        each = extrapolate(models, trusts, paths, scores, budget)
    return [
        _combined(model, starts, one, evidence, combine)
        for model, one, evidence in zip(models, each, better, strict=True)
    ]


def _combined(
    model: Grammar, starts: NDArray[np.int64], each: FloatArray, evidence: FloatArray, combine: str
) -> Answers:
    """The answers to questions, by the shares of the answers over each path and by how well each is explained."""
    questions = np.repeat(np.arange(starts.size - 1), np.diff(starts))
    better = _better_than_chance(evidence, questions, starts.size - 1)
    if combine == "product":
        return _product(model, each, questions, better)
    if combine == "best":
        evidence = _surest(each, questions, starts.size - 1)
    elif combine == "average":
        evidence = np.where(np.isfinite(evidence), 0.0, -np.inf)
    _, share, whole = _relative(evidence, questions, starts.size - 1)
    share /= np.where(whole > 0.0, whole, 1.0)[questions]
    contribution = each * share[:, None]
    posterior = np.zeros((starts.size - 1, model.relations))
    np.add.at(posterior, questions, contribution)
    return Answers(posterior, contribution, better)


def _relative(
    evidence: FloatArray, questions: NDArray[np.int64], count: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the maximum of each query, each value relative to it (exponentiated), and the sum of those."""
    top = np.full(count, -np.inf)
    np.maximum.at(top, questions, evidence)
    share: FloatArray = exp(evidence - np.where(np.isfinite(top), top, 0.0)[questions])
    return top, share, np.bincount(questions, share, minlength=count).astype(np.float64)


def _better_than_chance(evidence: FloatArray, questions: NDArray[np.int64], count: int) -> FloatArray:
    """Return the log evidence ratio of each query, one path being the reason."""
    top, _, whole = _relative(evidence, questions, count)
    paths = np.bincount(questions, minlength=count)
    return np.where(np.isfinite(top), top + log(np.maximum(whole, 1e-300)) - log(np.maximum(paths, 1)), -np.inf)


def _product(model: Grammar, each: FloatArray, questions: NDArray[np.int64], better: FloatArray) -> Answers:
    count = better.size
    some = each.any(axis=1)
    log_prior = log(np.maximum(model.prior, 1e-300))
    total = np.tile(log_prior, (count, 1))
    np.add.at(total, questions[some], log(each[some]) - log_prior)
    total[~np.isfinite(total.max(axis=1))] = 0.0  # the paths rule each other out
    odds = exp(total - total.max(axis=1, keepdims=True))
    answered = np.bincount(questions[some], minlength=count) > 0
    return Answers(odds / odds.sum(axis=1, keepdims=True) * answered[:, None], each, better)


def _surest(each: FloatArray, questions: NDArray[np.int64], count: int) -> FloatArray:
    """0 for the path of each question whose own answer is the surest (the first of equals), else -inf."""
    sure = each.max(axis=1, initial=0.0)
    starts = np.searchsorted(questions, np.arange(count + 1)).tolist()
    evidence = np.full(sure.size, -np.inf)
    for start, stop in pairwise(starts):
        if sure[start:stop].any():
            evidence[start + first_largest(sure[start:stop])] = 0.0
    return evidence


def viterbi_trees(model: Grammar, paths: Ragged, answers: NDArray[np.integer]) -> list[ViterbiTree]:
    """Return the most likely derivation of each answer over the path of the same row."""
    trees: list[ViterbiTree] = []
    sizes = np.diff(paths.offsets)
    for rows in pieces(model, paths):
        part = paths.take(rows)
        spans = Spans.of(part, model.relations)
        chart = best(spans.arrays, model.arrays)
        for row, token in zip(rows, part.offsets[:-1], strict=True):
            leaves, steps = backtrace(spans.arrays, model.arrays, chart, (token, sizes[row]), answers[row])
            # Parents come before their parts and left before right, so backwards nothing to the left is merged yet.
            merges = [(start, head, rule) for start, head, rule in steps[::-1].tolist()]
            trees.append(ViterbiTree(leaves.tolist(), merges))
    return trees


def leaf_posteriors(model: Grammar, path: list[int], weights: FloatArray) -> FloatArray:
    """Return the posterior of the true relation of each edge, [length, relations], given answer weights.

    Rows of zeros where the path has no derivation.
    """
    spans = Spans.of(Ragged.of([path]), model.relations, shared=False)
    chart = inside(spans.arrays, model.arrays)
    outer = np.zeros(chart.values.size)
    start = int(chart.starts[spans.roots[0]])
    root = slice(start, start + int(chart.filled[spans.roots[0]]))
    outer[root] = weights[chart.relations[root]]
    total = float((chart.values[root] * outer[root]).sum())
    if total > 0.0:
        outer[root] /= total
    outside(spans.arrays, model.arrays, chart, outer)
    leaves: FloatArray = by_relation(chart, outer * chart.values, np.arange(len(path)), model.relations)
    return leaves
