"""Top answers: the best candidate of each query and its probability, in the filtered setting.

Other answers that are true in any split are removed, and the probabilities of the remaining candidates are normalised.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from r5.dataset import Dataset
from r5.examples import Examples
from r5.graph import Graph
from r5.knowledge.fact_index import all_facts, query_facts

__all__ = ["Candidate", "TopAnswer", "top_answers"]

_CANDIDATES = 200
"""Number of candidates per query; the total share of all others is small."""

Query = tuple[str | None, str | None, str | None]


class Candidate(NamedTuple):
    """Candidate answer of a query."""

    entity: str
    share: float
    """P(this candidate | the query has one new answer)."""


class Ranker(Protocol):
    """Interface of a model that ranks candidates with their shares."""

    def rank_candidates(
        self, queries: Iterable[Query], graph: Graph | None = None, *, top: int
    ) -> Iterator[Sequence[Candidate]]: ...


@dataclass(frozen=True, slots=True)
class TopAnswer:
    """Best candidate of a query, without other true answers."""

    query: Query
    """(head, relation, tail) with None for the missing entity."""
    truth: str
    """Missing entity of the fact that the query is made from."""
    entity: str | None
    """Best candidate; None if there is none."""
    share: float
    """Its share among the remaining candidates."""
    right: bool
    """True if the best candidate is the missing entity."""


def top_answers(model: Ranker, data: Dataset, examples: Examples, graph: Graph | None = None) -> list[TopAnswer]:
    """Return the top answers to the tail query and the head query of each fact.

    Args:
        model: The model.
        data: The data set; the facts of all its splits are true.
        examples: The facts to query.
        graph: Graph that queries are answered on; the model's training graph by default.
    """
    names = examples.pool.entities
    words = examples.vocabulary.names(range(len(examples.vocabulary)))
    true: dict[Query, set[str]] = {}
    for source, relation, target in all_facts(data).tolist():
        true.setdefault((names[source], words[relation], None), set()).add(names[target])
        true.setdefault((None, words[relation], names[target]), set()).add(names[source])
    queries: list[tuple[Query, str]] = []
    for source, relation, target in query_facts(examples).tolist():
        queries.append(((names[source], words[relation], None), names[target]))
        queries.append(((None, words[relation], names[target]), names[source]))
    answers = model.rank_candidates([query for query, _ in queries], graph, top=_CANDIDATES)
    return [
        _top_answer(query, truth, candidates, true[query] - {truth})
        for (query, truth), candidates in zip(queries, answers, strict=True)
    ]


def _top_answer(query: Query, truth: str, candidates: Sequence[Candidate], others: set[str]) -> TopAnswer:
    left = 1.0 - sum(one.share for one in candidates if one.entity in others)
    best = next((one for one in candidates if one.entity not in others), None)
    if best is None:
        return TopAnswer(query, truth, None, 0.0, False)
    share = min(best.share / left, 1.0) if left > 0 else 1.0
    return TopAnswer(query, truth, best.entity, share, best.entity == truth)
