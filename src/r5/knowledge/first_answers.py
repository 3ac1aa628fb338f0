"""First answers: how often the most likely candidate is right, and how far its probability can be trusted.

As in ranking, other answers that are true in any split are left out: the candidates share what probability is left.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from r5.dataset import Dataset
from r5.examples import Examples
from r5.knowledge.pairs import all_facts, facts_asked

__all__ = ["FirstAnswer", "Offer", "calibration_by_chance", "calibration_error", "first_answers"]

_CANDIDATES = 200
"""So many are asked for; what is less likely than all of them hardly counts."""
_DRAWS = 200

Question = tuple[str | None, str | None, str | None]


class Offer(Protocol):
    """A candidate with its probability."""

    @property
    def entity(self) -> str: ...
    @property
    def probability(self) -> float: ...


class Completer(Protocol):
    """What is asked of a model."""

    def complete_many(self, questions: Iterable[Question], *, top: int) -> Iterator[Sequence[Offer]]: ...


@dataclass(frozen=True, slots=True)
class FirstAnswer:
    """A question, its first answer other true ones aside (None where there was none), and whether that is right."""

    question: Question
    wanted: str
    """The entity of the fact that the question was made from."""
    entity: str | None
    probability: float
    right: bool


def first_answers(model: Completer, data: Dataset, examples: Examples) -> list[FirstAnswer]:
    """Ask for both ends of each fact; true answers other than the one asked for do not count, for or against."""
    names = examples.pool.entities
    words = examples.vocabulary.names(range(len(examples.vocabulary)))
    true: dict[Question, set[str]] = {}
    for source, relation, target in all_facts(data).tolist():
        true.setdefault((names[source], words[relation], None), set()).add(names[target])
        true.setdefault((None, words[relation], names[target]), set()).add(names[source])
    asked: list[tuple[Question, str]] = []
    for source, relation, target in facts_asked(examples).tolist():
        asked.append(((names[source], words[relation], None), names[target]))
        asked.append(((None, words[relation], names[target]), names[source]))
    answers = model.complete_many([question for question, _ in asked], top=_CANDIDATES)
    return [
        _first(question, wanted, offers, true[question] - {wanted})
        for (question, wanted), offers in zip(asked, answers, strict=True)
    ]


def _first(question: Question, wanted: str, offers: Sequence[Offer], others: set[str]) -> FirstAnswer:
    left = 1.0 - sum(offer.probability for offer in offers if offer.entity in others)
    first = next((offer for offer in offers if offer.entity not in others), None)
    if first is None:
        return FirstAnswer(question, wanted, None, 0.0, False)
    share = min(first.probability / left, 1.0) if left > 0 else 1.0
    return FirstAnswer(question, wanted, first.entity, share, first.entity == wanted)


def calibration_error(probabilities: ArrayLike, right: ArrayLike, bins: int = 10) -> float:
    """The expected calibration error over bins of equal width: how far shares of right answers are from what was said.

    >>> round(calibration_error([0.9, 0.9, 0.2], [1, 0, 0]), 3)
    0.333
    """
    said, true = np.asarray(probabilities, dtype=float), np.asarray(right, dtype=float)
    if not said.size:
        return 0.0
    # A bin holds its upper bound; 1e-9 forgives rounding.
    place = np.clip(np.ceil(said * bins - 1e-9).astype(int) - 1, 0, bins - 1)
    sums = np.bincount(place, said - true, bins)
    return float(np.abs(sums).sum() / said.size)


def calibration_by_chance(probabilities: ArrayLike) -> float:
    """The calibration error, in the mean, of answers that are right just as often as they say, each for itself.

    >>> 0.03 < calibration_by_chance([0.5] * 100) < 0.05
    True
    """
    said, rng = np.asarray(probabilities, dtype=float), np.random.default_rng(0)
    return float(np.mean([calibration_error(said, rng.random(said.size) < said) for _ in range(_DRAWS)]))
