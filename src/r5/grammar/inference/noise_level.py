"""Noise level of queries: a grammar adapted to edges that are wrong more or less often than in training."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from r5._util.arrays import FloatArray
from r5.grammar.counts import ExpectedCounts
from r5.grammar.inference.extrapolation import TrainingReach
from r5.grammar.model import FittedGrammar, Grammar

__all__ = ["AdaptedGrammar", "adapt_noise", "expected_noise_rate"]

_MAX_NOISE = 0.9
"""Maximum probability that a relation is observed as another."""


@dataclass(frozen=True, eq=False)
class AdaptedGrammar:
    """A grammar for queries of a noise level."""

    model: Grammar
    reach: TrainingReach | None
    """Reach of the training paths; None if it is unknown."""
    temperature: float


def adapt_noise(learned: FittedGrammar, wrong_edges: float | None) -> AdaptedGrammar:
    """Return the grammar for queries with a share of wrong edges, by default that of training.

    The confusions keep their proportions. A temperature below 1 compensates for imagined wrong edges of a faultless
    training set, so it is not applied to a given share.
    """
    right = _correct_shares(learned.counts)
    if wrong_edges is None:
        reach = TrainingReach(learned.longest, right) if learned.longest else None
        return AdaptedGrammar(learned.model, reach, learned.temperature)
    before = expected_noise_rate(learned)
    factor = wrong_edges / before if before > 0.0 else 0.0
    reach = TrainingReach(learned.longest, np.clip(1.0 - factor * (1.0 - right), 0.0, 1.0)) if learned.longest else None
    return AdaptedGrammar(_with_noise(learned.model, factor), reach, max(learned.temperature, 1.0))


def _correct_shares(counts: ExpectedCounts) -> FloatArray:
    """Return the expected share of correct edges among those observed as each relation, [relations]."""
    true, observed = counts.index.leaves
    relations = counts.index.relations
    seen = np.bincount(observed, counts.leaves, minlength=relations)
    same = np.bincount(observed, counts.leaves * (true == observed), minlength=relations)
    return np.divide(same, seen, out=np.zeros(relations), where=seen > 0.0)


def expected_noise_rate(learned: FittedGrammar) -> float:
    """Return the expected share of wrong edges in training."""
    true, observed = learned.counts.index.leaves
    model, relations = learned.model, learned.counts.index.relations
    edges = np.bincount(true, learned.counts.leaves, minlength=relations)
    right = np.bincount(true, model.confusion * (true == observed), minlength=relations)
    return float((edges * (1.0 - right)).sum() / edges.sum()) if edges.any() else 0.0


def _with_noise(model: Grammar, factor: float) -> Grammar:
    """Return the grammar with the probabilities of all confusions multiplied by a factor."""
    true, observed = model.index.leaves
    itself = true == observed
    right = np.bincount(true, model.confusion * itself, minlength=model.relations)
    most = np.divide(_MAX_NOISE, 1.0 - right, out=np.full(model.relations, np.inf), where=right < 1.0)
    factors = np.minimum(factor, most)
    confusion = np.where(itself, 1.0 - factors[true] * (1.0 - model.confusion), factors[true] * model.confusion)
    return replace(model, confusion=confusion, stray=factors * model.stray)
