"""Probability that two entities are unrelated, given the paths between them.

Paths between related entities are far more likely under the grammar than under the relation frequencies. The log
ratio is the only feature of a logistic regression. It is fitted on training examples whose answer is that there
is no relation, or on sampled pairs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from r5._util.arrays import FloatArray, as_int_array
from r5._util.kernels.elementary_kernels import exp
from r5._util.ragged import Ragged
from r5.examples import Examples

__all__ = ["NoRelationModel", "fit_no_relation", "sample_unrelated_pairs"]

_MAX_LOG_RATIO = 30.0
"""Maximum absolute log ratio."""
_L2 = 0.01
"""L2 penalty of the regression."""
_STEPS = 30
_MAX_WALK = 4


@dataclass(frozen=True, slots=True)
class NoRelationModel:
    """Log odds of being unrelated: an offset minus a slope times the log ratio of the paths."""

    offset: float
    slope: float
    """Decrease of the log odds for each unit of the log ratio."""
    without_path: float
    """Probability of being unrelated where no path is found."""

    def probabilities(self, evidence: FloatArray) -> FloatArray:
        """Return the probability of being unrelated of each query; `evidence` is -inf without a path.

        >>> NoRelationModel(0.0, 1.0, 0.75).probabilities(np.array([-3.0, 0.0, 3.0, -np.inf])).round(2).tolist()
        [0.95, 0.5, 0.05, 0.75]
        """
        found = np.isfinite(evidence)
        odds = self.offset - self.slope * _bounded(np.where(found, evidence, 0.0))
        return np.where(found, 1.0 / (1.0 + exp(-odds)), self.without_path)


def fit_no_relation(related: FloatArray, unrelated: FloatArray) -> NoRelationModel:
    """Return the model fitted to the log ratios of related and of unrelated pairs.

    >>> learned = fit_no_relation(np.array([5.0, 6.0, 4.0, -np.inf]), np.array([-5.0, -4.0, -np.inf, -np.inf]))
    >>> learned.slope > 0.0, learned.without_path
    (True, 0.625)
    """
    evidence = np.concatenate([related, unrelated])
    wanted = np.repeat([0.0, 1.0], [related.size, unrelated.size])
    found = np.isfinite(evidence)
    absent = wanted[~found]
    offset, slope = _fitted(_bounded(evidence[found]), wanted[found])
    return NoRelationModel(offset, max(slope, 0.0), float((absent.sum() + 0.5) / (absent.size + 1.0)))


def _fitted(evidence: FloatArray, wanted: FloatArray) -> tuple[float, float]:
    """Return offset and slope of a logistic regression with a small L2 penalty, by damped Newton steps."""
    offset, slope = 0.0, 0.0
    for _ in range(_STEPS):
        chance = 1.0 / (1.0 + exp(slope * evidence - offset))
        rest, spread = wanted - chance, chance * (1.0 - chance)
        gradient = float(rest.sum()) - _L2 * offset, float(-(rest * evidence).sum()) - _L2 * slope
        a = float(spread.sum()) + _L2
        b = float(-(spread * evidence).sum())
        c = float((spread * evidence**2).sum()) + _L2
        determinant = a * c - b * b
        step = (c * gradient[0] - b * gradient[1]) / determinant, (a * gradient[1] - b * gradient[0]) / determinant
        length = max(abs(step[0]), abs(step[1]), 1.0)  # where all is clear from the start, steps would overshoot
        offset, slope = offset + step[0] / length, slope + step[1] / length
    return offset, slope


def _bounded(evidence: FloatArray) -> FloatArray:
    bounded: FloatArray = np.clip(evidence, -_MAX_LOG_RATIO, _MAX_LOG_RATIO)
    return bounded


def sample_unrelated_pairs(examples: Examples, count: int, seed: int) -> Examples:
    """Return up to a number of sampled pairs of entities of one graph without an edge between them.

    Half of them are joined by a walk of up to four edges; the others are uniform.
    """
    rng = np.random.default_rng(seed)
    rows = np.sort(rng.integers(0, len(examples), 4 * count))
    graph = examples.graph_of[rows]
    first, size = examples.node_offsets[graph], np.diff(examples.node_offsets)[graph]
    source = first + (rng.random(rows.size) * size).astype(np.int64)
    anyone = first + (rng.random(rows.size) * size).astype(np.int64)
    target = np.where(np.arange(rows.size) % 2 == 0, _walk(examples, source, rng), anyone)
    width = examples.pool.number_of_nodes
    edges = examples.pool.sources.astype(np.int64), examples.pool.targets.astype(np.int64)
    queried = examples.sources.astype(np.int64), examples.targets.astype(np.int64)
    taken = np.concatenate([a * width + b for one in (edges, queried) for a, b in (one, one[::-1])])
    keys = source * width + target
    _, once = np.unique(keys, return_index=True)
    good = np.sort(once[(source != target)[once] & ~np.isin(keys[once], taken)])
    if good.size > count:
        good = np.sort(rng.choice(good, count, replace=False))
    none = Ragged.of([[]] * good.size)
    return replace(
        examples.select(rows[good]),
        sources=as_int_array(source[good]),
        targets=as_int_array(target[good]),
        answers=as_int_array(np.full(good.size, -1)),
        masked_facts=as_int_array(np.full(good.size, -1)),
        resolutions=none,
        descriptors=none,
    )


def _walk(examples: Examples, nodes: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
    """Return the ends of random walks of two to four edges; a walk stops at a node without outgoing edges."""
    pool = examples.pool
    order = np.argsort(pool.sources, kind="stable")
    starts = np.searchsorted(pool.sources[order], np.arange(pool.number_of_nodes + 1))
    steps = rng.integers(2, _MAX_WALK + 1, nodes.size)
    for step in range(_MAX_WALK):
        ways = starts[nodes + 1] - starts[nodes]
        chosen = starts[nodes] + (rng.random(nodes.size) * ways).astype(np.int64)
        onward = pool.targets[order][np.minimum(chosen, order.size - 1)] if order.size else nodes
        nodes = np.where((step < steps) & (ways > 0), onward, nodes)
    return nodes
