"""First answers: accuracy of the best candidate of a query, and its share among all candidates.

As in ranking, other answers that are true in any split are left out; the other candidates divide the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from r5.dataset import Dataset
from r5.examples import Examples
from r5.knowledge.fact_index import all_facts, query_facts

__all__ = ["Candidate", "FirstAnswer", "first_answers"]

_CANDIDATES = 200
"""Candidates asked for of each query; the share of all others is small."""

Query = tuple[str | None, str | None, str | None]


class Candidate(NamedTuple):
    """An entity that may answer a query."""

    entity: str
    share: float
    """P(this candidate | the query has one new answer)."""


class Ranker(Protocol):
    """A model that gives the shares of candidates."""

    def rank_candidates(self, queries: Iterable[Query], *, top: int) -> Iterator[Sequence[Candidate]]: ...


@dataclass(frozen=True, slots=True)
class FirstAnswer:
    """The best candidate of a query."""

    question: Query
    wanted: str
    """The entity of the fact that the query was made from."""
    entity: str | None
    """The best candidate, other true answers left out; None where there is none."""
    share: float
    """Its share among the candidates, other true answers left out."""
    right: bool


def first_answers(model: Ranker, data: Dataset, examples: Examples) -> list[FirstAnswer]:
    """Return the first answers to the tail query and the head query of each fact, filtered as in ranking.

    Args:
        model: The model that is asked.
        data: The data set, whose splits tell which other answers are true.
        examples: The facts that are asked for.
    """
    names = examples.pool.entities
    words = examples.vocabulary.names(range(len(examples.vocabulary)))
    true: dict[Query, set[str]] = {}
    for source, relation, target in all_facts(data).tolist():
        true.setdefault((names[source], words[relation], None), set()).add(names[target])
        true.setdefault((None, words[relation], names[target]), set()).add(names[source])
    asked: list[tuple[Query, str]] = []
    for source, relation, target in query_facts(examples).tolist():
        asked.append(((names[source], words[relation], None), names[target]))
        asked.append(((None, words[relation], names[target]), names[source]))
    answers = model.rank_candidates([query for query, _ in asked], top=_CANDIDATES)
    return [
        _first(query, wanted, candidates, true[query] - {wanted})
        for (query, wanted), candidates in zip(asked, answers, strict=True)
    ]


def _first(query: Query, wanted: str, candidates: Sequence[Candidate], others: set[str]) -> FirstAnswer:
    left = 1.0 - sum(one.share for one in candidates if one.entity in others)
    first = next((one for one in candidates if one.entity not in others), None)
    if first is None:
        return FirstAnswer(query, wanted, None, 0.0, False)
    share = min(first.share / left, 1.0) if left > 0 else 1.0
    return FirstAnswer(query, wanted, first.entity, share, first.entity == wanted)
