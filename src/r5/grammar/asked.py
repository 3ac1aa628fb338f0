"""Asked: the grammar for the questions that are asked, whose edges may be wrong more or less often than in training."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from r5.grammar.decoding import Trust
from r5.grammar.em import Counts
from r5.grammar.learning import Learned
from r5.grammar.model import FloatArray, GrammarModel

__all__ = ["Asked", "as_asked", "share_of_wrong_edges"]

_MOST_WRONG = 0.9
"""A relation is observed as another so often at most."""


@dataclass(frozen=True, eq=False)
class Asked:
    """What questions are answered with."""

    model: GrammarModel
    trust: Trust | None
    """How far what was learned reaches; None where that is not known."""
    temperature: float


def as_asked(learned: Learned, wrong_edges: float | None) -> Asked:
    """What was learned, with edges that are wrong as often as is said, or else as in training.

    Relations that were mistaken more often than others still are, and for the same ones. A temperature below 1 makes up
    for wrong edges that were imagined and that training did not have; it is not called for where their number is said.
    """
    right = _taken_as_shown(learned.counts)
    if wrong_edges is None:
        trust = Trust(learned.longest, right) if learned.longest else None
        return Asked(learned.model, trust, learned.temperature)
    before = share_of_wrong_edges(learned)
    factor = wrong_edges / before if before > 0.0 else 0.0
    trust = Trust(learned.longest, np.clip(1.0 - factor * (1.0 - right), 0.0, 1.0)) if learned.longest else None
    return Asked(_with_noise(learned.model, factor), trust, max(learned.temperature, 1.0))


def _taken_as_shown(counts: Counts) -> FloatArray:
    """How often an edge that shows a relation was taken to be just that, [relations]."""
    true, observed = counts.support.leaves
    relations = counts.support.relations
    seen = np.bincount(observed, counts.leaves, minlength=relations)
    same = np.bincount(observed, counts.leaves * (true == observed), minlength=relations)
    return np.divide(same, seen, out=np.zeros(relations), where=seen > 0.0)


def share_of_wrong_edges(learned: Learned) -> float:
    """How many edges the model takes to be wrong, of those that it learned from."""
    true, observed = learned.counts.support.leaves
    model, relations = learned.model, learned.counts.support.relations
    edges = np.bincount(true, learned.counts.leaves, minlength=relations)
    right = np.bincount(true, model.confusion * (true == observed), minlength=relations)
    return float((edges * (1.0 - right)).sum() / edges.sum()) if edges.any() else 0.0


def _with_noise(model: GrammarModel, factor: float) -> GrammarModel:
    """The same where each relation is observed as another so many times as often."""
    true, observed = model.support.leaves
    itself = true == observed
    right = np.bincount(true, model.confusion * itself, minlength=model.relations)
    most = np.divide(_MOST_WRONG, 1.0 - right, out=np.full(model.relations, np.inf), where=right < 1.0)
    factors = np.minimum(factor, most)
    confusion = np.where(itself, 1.0 - factors[true] * (1.0 - model.confusion), factors[true] * model.confusion)
    return replace(model, confusion=confusion, stray=factors * model.stray)
