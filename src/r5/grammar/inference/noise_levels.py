"""NoiseLevel: the grammar for the questions that are asked, whose edges may be wrong more or less often than in training.

How often, nobody says. A path that needs confusions is one that confusions are likely on, so each question is answered as
if its edges were wrong as often as in training, hardly ever and often, each as far as its own paths speak for that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from r5._util.arrays import FloatArray
from r5._util.elementary_kernels import exp, log
from r5.grammar.counts import ExpectedCounts
from r5.grammar.inference.extrapolation import REACH, TrainingReach
from r5.grammar.model import FittedGrammar, Grammar
from r5.grammar.settings import GrammarSettings

__all__ = ["NoiseLevel", "at_noise_level", "expected_noise_rate", "noise_level_posterior", "noise_levels"]

_MOST_WRONG = 0.9
"""A relation is observed as another so often at most."""
_HARDLY_EVER, _OFTEN = 0.005, 0.4
"""How often edges of questions unlike those of training are wrong, the one as likely as the other."""


@dataclass(frozen=True, eq=False)
class NoiseLevel:
    """What questions are answered with."""

    model: Grammar
    trust: TrainingReach | None
    """How far what was learned reaches; None where that is not known."""
    temperature: float
    chance: float = 1.0
    """How likely it is, beforehand, that edges of a question are wrong as often as in this model."""


def noise_levels(learned: FittedGrammar, settings: GrammarSettings) -> tuple[NoiseLevel, ...]:
    """Edges that are wrong as often as is said; else as in training, then hardly ever and often."""
    first = at_noise_level(learned, settings.wrong_edges)
    if settings.wrong_edges is not None or not settings.unlike or not expected_noise_rate(learned):
        return (first,)
    others = (replace(at_noise_level(learned, wrong), chance=settings.unlike / 2) for wrong in (_HARDLY_EVER, _OFTEN))
    return (replace(first, chance=1.0 - settings.unlike), *others)


def noise_level_posterior(
    ways: Sequence[NoiseLevel], evidence: Sequence[FloatArray], lengths: FloatArray
) -> FloatArray:
    """How likely each way is for each question, [ways, questions], by how well it explains its paths.

    `lengths` are those of the longest path of each question. Along paths far longer than those learned from small
    differences multiply; beyond three times that length they count for no more.
    """
    trust = ways[0].trust
    reach = np.minimum(REACH * trust.longest / np.maximum(lengths, 1.0), 1.0) if trust else np.ones(lengths.size)
    known = np.isfinite(evidence[0])
    gains = [np.where(known, each - np.where(known, evidence[0], 0.0), 0.0) * reach for each in evidence]
    scores = np.array([log(way.chance) + gain for way, gain in zip(ways, gains, strict=True)])
    odds = exp(scores - scores.max(axis=0))
    likely: FloatArray = odds / odds.sum(axis=0)
    return likely


def at_noise_level(learned: FittedGrammar, wrong_edges: float | None) -> NoiseLevel:
    """What was learned, with edges that are wrong as often as is said, or else as in training.

    Relations that were mistaken more often than others still are, and for the same ones. A temperature below 1 makes up
    for wrong edges that were imagined and that training did not have; it is not called for where their number is said.
    """
    right = _taken_as_shown(learned.counts)
    if wrong_edges is None:
        trust = TrainingReach(learned.longest, right) if learned.longest else None
        return NoiseLevel(learned.model, trust, learned.temperature)
    before = expected_noise_rate(learned)
    factor = wrong_edges / before if before > 0.0 else 0.0
    trust = TrainingReach(learned.longest, np.clip(1.0 - factor * (1.0 - right), 0.0, 1.0)) if learned.longest else None
    return NoiseLevel(_with_noise(learned.model, factor), trust, max(learned.temperature, 1.0))


def _taken_as_shown(counts: ExpectedCounts) -> FloatArray:
    """How often an edge that shows a relation was taken to be just that, [relations]."""
    true, observed = counts.support.leaves
    relations = counts.support.relations
    seen = np.bincount(observed, counts.leaves, minlength=relations)
    same = np.bincount(observed, counts.leaves * (true == observed), minlength=relations)
    return np.divide(same, seen, out=np.zeros(relations), where=seen > 0.0)


def expected_noise_rate(learned: FittedGrammar) -> float:
    """How many edges the model takes to be wrong, of those that it learned from."""
    true, observed = learned.counts.support.leaves
    model, relations = learned.model, learned.counts.support.relations
    edges = np.bincount(true, learned.counts.leaves, minlength=relations)
    right = np.bincount(true, model.confusion * (true == observed), minlength=relations)
    return float((edges * (1.0 - right)).sum() / edges.sum()) if edges.any() else 0.0


def _with_noise(model: Grammar, factor: float) -> Grammar:
    """The same where each relation is observed as another so many times as often."""
    true, observed = model.support.leaves
    itself = true == observed
    right = np.bincount(true, model.confusion * itself, minlength=model.relations)
    most = np.divide(_MOST_WRONG, 1.0 - right, out=np.full(model.relations, np.inf), where=right < 1.0)
    factors = np.minimum(factor, most)
    confusion = np.where(itself, 1.0 - factors[true] * (1.0 - model.confusion), factors[true] * model.confusion)
    return replace(model, confusion=confusion, stray=factors * model.stray)
