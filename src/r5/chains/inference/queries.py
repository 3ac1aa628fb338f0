"""Queries worth asking, those about relations that an entity plausibly has; queries in pieces of one relation."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from r5.chains.graph.step_graph import IdArray
from r5.chains.inference.query_scorer import QueryScorer

__all__ = ["PIECE", "Piece", "Queries", "plausible_queries", "split_queries"]

_MAX_QUERIES = 2_000_000
"""Maximum number of plausible queries."""
PIECE = 256
"""Queries of one call of a kernel: an interrupt is noticed between two."""


class Piece(NamedTuple):
    """Some queries of one relation and direction."""

    relation: int
    backwards: bool
    rows: IdArray  # positions among all queries


class Queries(NamedTuple):
    """Queries (entity, relation, direction)."""

    entities: IdArray
    relations: IdArray
    backwards: NDArray[np.bool_]

    def select(self, chosen: IdArray | slice) -> Queries:
        """Return some of the queries."""
        return Queries(self.entities[chosen], self.relations[chosen], self.backwards[chosen])


def plausible_queries(
    query_scorer: QueryScorer, *, relation: int | None = None, head: int | None = None, tail: int | None = None
) -> Queries:
    """Return the queries that an entity may have an answer to, both directions, the most plausible first.

    A query is as plausible as its entity is to have the relation in that direction: 1 where it has it already, else
    the largest P(has it | has another step) over the steps that it has.

    Args:
        query_scorer: The model on a graph.
        relation: Only queries about this relation.
        head: Only queries (head, r, ?).
        tail: Only queries (?, r, tail).
    """
    graph = query_scorer.graph
    asked = [
        (number, backwards)
        for number in (range(len(graph.relations)) if relation is None else [relation])
        for backwards in (False, True)
        if query_scorer.target(number, backwards) is not None
    ]
    entities = np.arange(graph.number_of_nodes)
    if head is not None or tail is not None:
        # One given end decides the direction; with both, the shorter way is to ask from the head.
        asked = [one for one in asked if one[1] == (head is None)]
        entities = np.array([tail if head is None else head])
    steps = np.array([graph.step(*one) for one in asked], np.int64)
    row, column, plausibility = query_scorer.plausibility.plausible(entities, steps)
    order = np.argsort(-plausibility, kind="stable")[:_MAX_QUERIES]
    relations, directions = np.array(asked, np.int64).reshape(-1, 2)[column[order]].T
    return Queries(entities[row[order]], relations, directions > 0)


def split_queries(relations: IdArray, backwards: NDArray[np.bool_], size: int = PIECE) -> list[Piece]:
    """Return queries in groups of one relation and direction, in pieces for one call of a kernel.

    Args:
        relations: Relation of each query, [queries].
        backwards: Whether the head is asked for, [queries].
        size: Maximum number of queries of a piece.
    """
    keys = 2 * relations + backwards
    order = np.argsort(keys, kind="stable")
    values, starts = np.unique(keys[order], return_index=True)
    parts = np.split(order, starts[1:]) if values.size else []
    return [
        Piece(key // 2, bool(key % 2), part[first : first + size])
        for key, part in zip(values.tolist(), parts, strict=True)
        for first in range(0, part.size, size)
    ]
