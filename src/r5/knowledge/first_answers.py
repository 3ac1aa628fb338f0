"""First answers: how often the most likely candidate is true, and how far its probability can be trusted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from r5.dataset import Dataset
from r5.examples import Examples
from r5.knowledge.pairs import all_facts

__all__ = ["FirstAnswer", "Offer", "calibration_error", "first_answers"]

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
    """A question, its first answer (None where there was none) and whether that is true."""

    question: Question
    wanted: str
    """The entity of the fact that the question was made from."""
    entity: str | None
    probability: float
    right: bool


def first_answers(model: Completer, data: Dataset, examples: Examples) -> list[FirstAnswer]:
    """Ask for both ends of each fact; right is a candidate whose fact stands anywhere in the data."""
    names = examples.pool.entities
    words = examples.vocabulary.names(range(len(examples.vocabulary)))
    true = set(map(tuple, all_facts(data).tolist()))
    node = {name: number for number, name in reversed([*enumerate(names)])}
    relation_of = {name: number for number, name in enumerate(words)}
    rows = [*zip(examples.sources.tolist(), examples.answers.tolist(), examples.targets.tolist(), strict=True)]
    asked: list[tuple[Question, str]] = []
    for source, relation, target in rows:
        asked.append(((names[source], words[relation], None), names[target]))
        asked.append(((None, words[relation], names[target]), names[source]))
    found = []
    answers = model.complete_many([question for question, _ in asked], top=1)
    for (question, wanted), offers in zip(asked, answers, strict=True):
        head, relation, tail = question
        entity = offers[0].entity if offers else None
        ends = (head or entity, tail or entity)
        fact = (node.get(ends[0] or "", -1), relation_of[relation or ""], node.get(ends[1] or "", -1))
        right = entity is not None and fact in true
        found.append(FirstAnswer(question, wanted, entity, offers[0].probability if offers else 0.0, right))
    return found


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
