"""Posterior of each answer given the paths of a query, and Viterbi derivations."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from r5._util.arrays import FloatArray
from r5._util.kernels.elementary_kernels import exp, log
from r5._util.ragged import Ragged
from r5._util.runtime.budget import Budget
from r5.grammar.charts.cell_kernels import by_relation
from r5.grammar.charts.filling import best, inside, outside
from r5.grammar.charts.spans import Spans
from r5.grammar.charts.viterbi_kernels import backtrace
from r5.grammar.inference.extrapolation import TrainingReach, extrapolate
from r5.grammar.inference.scoring import chart_parts, normalize_rows, score
from r5.grammar.model import Grammar

__all__ = ["Answers", "ViterbiTree", "answer", "leaf_posteriors", "viterbi_trees"]


@dataclass(frozen=True, eq=False)
class Answers:
    """Posterior of each query, and the contribution of each path."""

    posterior: FloatArray  # [queries, relations]; a row of zeros where no path has a derivation
    contribution: FloatArray  # [paths, relations], the share of the posterior that a path brings in
    evidence: FloatArray  # [queries], how much better than chance its paths are explained (log); -inf without any


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
    budget: Budget | None = None,
    reach: TrainingReach | None = None,
) -> Answers:
    """Return the answers to queries: the average over the paths that have a derivation.

    Args:
        model: The grammar.
        starts: First path of each query, and the end of the last, [queries + 1].
        paths: Paths of all queries, as ids of observed relations.
        budget: The time limit.
        reach: Reach of the training paths, for longer ones; None to treat all paths alike.
    """
    scores = score(model, paths, budget)
    each = normalize_rows(scores.joint) if reach is None else extrapolate(model, reach, paths, scores, budget)
    return _averaged(model.relations, starts, each, scores.log_ratio_to_chance(model, paths))


def _averaged(relations: int, starts: NDArray[np.int64], each: FloatArray, evidence: FloatArray) -> Answers:
    """Return the average of the answers over the paths of each query that have a derivation."""
    count = starts.size - 1
    queries = np.repeat(np.arange(count), np.diff(starts))
    derived = np.isfinite(evidence).astype(np.float64)
    paths = np.bincount(queries, derived, minlength=count)
    contribution = each * (derived / np.where(paths > 0.0, paths, 1.0)[queries])[:, None]
    posterior = np.zeros((count, relations))
    np.add.at(posterior, queries, contribution)
    return Answers(posterior, contribution, _log_evidence(evidence, queries, count))


def _log_evidence(evidence: FloatArray, queries: NDArray[np.int64], count: int) -> FloatArray:
    """Return the log evidence ratio of each query, one path being the reason."""
    top = np.full(count, -np.inf)
    np.maximum.at(top, queries, evidence)
    share: FloatArray = exp(evidence - np.where(np.isfinite(top), top, 0.0)[queries])
    whole = np.bincount(queries, share, minlength=count).astype(np.float64)
    paths = np.bincount(queries, minlength=count)
    return np.where(np.isfinite(top), top + log(np.maximum(whole, 1e-300)) - log(np.maximum(paths, 1)), -np.inf)


def viterbi_trees(model: Grammar, paths: Ragged, answers: NDArray[np.integer]) -> list[ViterbiTree]:
    """Return the most likely derivation of each answer over the path of the same row."""
    trees: list[ViterbiTree] = []
    sizes = np.diff(paths.offsets)
    for rows in chart_parts(model, paths):
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
