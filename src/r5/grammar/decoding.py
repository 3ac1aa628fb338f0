"""Decoding: how likely each answer is given the paths of a question, and the derivation behind it."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from r5._util.budget import Budget
from r5._util.elementary_kernels import LOG_2, exp, log
from r5._util.memory import check_memory
from r5._util.order import first_largest
from r5._util.ragged import Ragged
from r5.errors import LongWorkWarning
from r5.grammar.charts.best_kernels import backtrace
from r5.grammar.charts.cell_kernels import by_relation
from r5.grammar.charts.filling import best, inside, outside
from r5.grammar.charts.spans import Spans
from r5.grammar.model import FloatArray, GrammarModel

__all__ = ["REACH", "Answers", "BestTree", "Trust", "answer", "best_trees", "leaf_posteriors"]

_CELL_ENTRIES = 8_000_000
"""Entries of the chart cells that are filled at once."""
_BYTES_A_CELL, _BYTES_AN_ENTRY = 60, 24
_A_SECOND = 1e9
"""Products of two entries that are added up in a second, about."""
REACH = 3
"""The odds of answers that need a mistake grow up to so many times the length that was learned from."""
_LONG = 20.0
"""Seconds after which work is announced before it starts."""


@dataclass(frozen=True, eq=False)
class Answers:
    """How likely each relation is as the answer, and what each path contributes."""

    posterior: FloatArray  # [questions, relations]; a row of zeros where no path has a derivation
    contribution: FloatArray  # [paths, relations], the share of the posterior that a path brings in
    evidence: FloatArray  # [questions], how much better than chance its paths are explained (log); -inf without any


@dataclass(frozen=True, eq=False)
class Trust:
    """What is known of the paths that were learned from."""

    longest: int
    """The length of the longest."""
    right: FloatArray  # [relations], how often an edge that shows a relation was taken to be just that


@dataclass(frozen=True, eq=False)
class BestTree:
    """The most likely derivation of one answer over one path."""

    leaves: list[int]
    """What each edge of the path is taken to be."""
    merges: list[tuple[int, int, int]]
    """From the bottom up: the position on the path as it then is, the head, the rule's number or -1."""


def answer(
    model: GrammarModel,
    starts: NDArray[np.int64],
    paths: Ragged,
    combine: str = "average",
    budget: Budget | None = None,
    trust: Trust | None = None,
) -> Answers:
    """Answer questions; the paths of question q are rows `starts[q]:starts[q + 1]`.

    `trust` is for paths longer than those that were learned from; without it they are as any other.

    mixture: one path is the reason, the better explained the more likely; average: each path
    has the same say; product: the paths are independent witnesses; best: the surest path decides.
    """
    joint, evidence = _score(model, paths, budget)
    each = _shares(joint)
    if trust is not None:
        _trust_long_paths(model, trust, paths, each, budget)
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
    """The largest of each question, each relative to it, no longer as a logarithm, and the sum of those."""
    top = np.full(count, -np.inf)
    np.maximum.at(top, questions, evidence)
    share: FloatArray = exp(evidence - np.where(np.isfinite(top), top, 0.0)[questions])
    return top, share, np.bincount(questions, share, minlength=count).astype(np.float64)


def _better_than_chance(evidence: FloatArray, questions: NDArray[np.int64], count: int) -> FloatArray:
    """How much better than chance the paths of each question are explained, one of them being the reason."""
    top, _, whole = _relative(evidence, questions, count)
    paths = np.bincount(questions, minlength=count)
    return np.where(np.isfinite(top), top + log(np.maximum(whole, 1e-300)) - log(np.maximum(paths, 1)), -np.inf)


def _product(model: GrammarModel, each: FloatArray, questions: NDArray[np.int64], better: FloatArray) -> Answers:
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


def _score(model: GrammarModel, paths: Ragged, budget: Budget | None) -> tuple[FloatArray, FloatArray]:
    """P(answer, path) for each path up to a factor, and how much better than chance the grammar explains it (log)."""
    joint = np.zeros((len(paths), model.relations))
    evidence = np.full(len(paths), -np.inf)
    for rows in _pieces(model, paths):
        spans = Spans.of(paths.take(rows), model.relations)
        chart = inside(spans.arrays, model.arrays, budget)
        joint[rows] = by_relation(chart, chart.values, spans.roots, model.relations) * model.prior
        evidence[rows] = log(joint[rows].sum(axis=1)) + chart.exponents[spans.roots] * LOG_2
    chance = np.concatenate([[0.0], np.cumsum(model.commonness[paths.values])])
    return joint, evidence - (chance[paths.offsets[1:]] - chance[paths.offsets[:-1]])


def _trust_long_paths(
    model: GrammarModel, trust: Trust, paths: Ragged, each: FloatArray, budget: Budget | None
) -> None:
    """Judge the paths that are longer than any learned from with more care; `each` are the shares of their answers.

    How often each relation becomes which pairs was learned from short paths. Along a long one small differences in it
    multiply, until they outweigh a mistake that none of the edges shows. So the answers without a mistake
    keep at least the share that all edges are right with, and the odds of the others grow no further.
    """
    sizes = np.diff(paths.offsets)
    long = np.flatnonzero(sizes > trust.longest)
    for piece in _pieces(model, paths.take(long)):
        rows = long[piece]
        part = paths.take(rows)
        spans = Spans.of(part, model.relations)
        chart = inside(spans.arrays, model.arrays, budget)
        plain = inside(spans.arrays, model.without_mistakes.arrays, budget)
        whole = by_relation(chart, chart.values, spans.roots, model.relations) * model.prior
        faultless = by_relation(plain, plain.values, spans.roots, model.relations) * model.prior
        # Without a derivation the exponent says nothing, and must not make much of zeros.
        lower = np.clip(plain.exponents[spans.roots] - chart.exponents[spans.roots], -1000, 1000)
        faultless *= np.ldexp(1.0, lower)[:, None]
        known = np.append(trust.right, 0.0)[part.values]
        all_right = np.multiply.reduceat(known, part.offsets[:-1])
        power = np.minimum(REACH * trust.longest / sizes[rows], 1.0)[:, None]
        odds = exp(log(_shares(np.maximum(whole - faultless, 0.0))) * power)
        share = np.minimum(faultless.sum(axis=1) / np.maximum(whole.sum(axis=1), np.finfo(float).tiny), 1.0)
        share = np.where(faultless.any(axis=1), np.maximum(share, all_right), 0.0)[:, None]
        each[rows] = share * _shares(faultless) + (1.0 - share) * _shares(odds)


def _shares(values: FloatArray) -> FloatArray:
    """Each row divided by its sum; one without anything stays so."""
    total = values.sum(axis=1, keepdims=True)
    shares: FloatArray = np.divide(values, total, out=np.zeros_like(values), where=total > 0.0)
    return shares


def _pieces(model: GrammarModel, paths: Ragged) -> Iterator[NDArray[np.int64]]:
    """Rows of paths whose charts are filled at once; an error, or a warning, before work beyond measure."""
    sizes = np.diff(paths.offsets)
    cells = sizes * (sizes + 1) // 2
    longest = int(sizes.max(initial=0))
    needed = float(cells.max(initial=0)) * (_BYTES_A_CELL + _BYTES_AN_ENTRY * model.relations)
    check_memory(needed, f"answering over a path of {longest:,} relations", "ask about entities that are nearer")
    seconds = float((sizes.astype(np.float64) ** 3).sum()) * model.relations**2 / 6 / _A_SECOND
    if seconds > _LONG:
        told = f"answering over paths of up to {longest:,} relations takes some {2 * seconds:,.0f} s"
        warnings.warn(told, LongWorkWarning, stacklevel=4)
    pieces = np.cumsum(cells * model.relations) // _CELL_ENTRIES
    for piece in np.unique(pieces):
        yield np.flatnonzero(pieces == piece)


def best_trees(model: GrammarModel, paths: Ragged, answers: NDArray[np.integer]) -> list[BestTree]:
    """The most likely derivation of each answer over the path in the same row."""
    trees: list[BestTree] = []
    sizes = np.diff(paths.offsets)
    for rows in _pieces(model, paths):
        part = paths.take(rows)
        spans = Spans.of(part, model.relations)
        chart = best(spans.arrays, model.arrays)
        for row, token in zip(rows, part.offsets[:-1], strict=True):
            leaves, steps = backtrace(spans.arrays, model.arrays, chart, (token, sizes[row]), answers[row])
            # Parents come before their parts and left before right, so backwards nothing to the left is merged yet.
            merges = [(start, head, rule) for start, head, rule in steps[::-1].tolist()]
            trees.append(BestTree(leaves.tolist(), merges))
    return trees


def leaf_posteriors(model: GrammarModel, path: list[int], weights: FloatArray) -> FloatArray:
    """What each edge of a path truly is, [length, relations], given how likely each answer is to begin with.

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
