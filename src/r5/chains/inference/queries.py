"""Queries worth asking: which relations each entity plausibly has, by the relations that it is known to have."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from r5.chains.answering import Answerer
from r5.chains.steps import IdArray, StepGraph

__all__ = ["Queries", "StepPlausibility", "plausible_queries", "step_plausibility"]

FloatArray = NDArray[np.float64]
_FEW = 400_000
"""Graphs with no more queries than this are asked all of them, those with a plausibility of 0 aside."""
_LEAST = 0.05
"""Minimum plausibility of a query on larger graphs."""
_MOST_STEPS = 4_000
"""Beyond this number of steps only those that an entity has already are plausible: the table would be too large."""
_ENTITIES = 50_000
"""Entities that co-occurrence of steps is counted on."""
_CHUNK = 4_096


class Queries(NamedTuple):
    """Queries (entity, relation, direction), the most plausible first."""

    entities: IdArray
    relations: IdArray
    backwards: NDArray[np.bool_]
    plausibility: NDArray[np.float32]

    def select(self, chosen: IdArray | slice) -> Queries:
        """Return some of the queries."""
        entities, relations, backwards, plausibility = self
        return Queries(entities[chosen], relations[chosen], backwards[chosen], plausibility[chosen])


def step_plausibility(graph: StepGraph) -> NDArray[np.float32]:
    """Return P(an entity has one step | it has another), [steps, steps]: row d for a known step d."""
    steps, rows = graph.steps, graph.number_of_steps
    nodes = np.arange(graph.number_of_nodes)
    if nodes.size > _ENTITIES:
        nodes = np.linspace(0, nodes.size - 1, _ENTITIES).astype(np.int64)
    counts = np.zeros((rows, rows))
    for first in range(0, nodes.size, _CHUNK):
        some = nodes[first : first + _CHUNK]
        has = np.zeros((some.size, rows), np.float32)
        sizes = steps.node_rows[some + 1] - steps.node_rows[some]
        at = (
            np.repeat(steps.node_rows[some], sizes)
            + np.arange(sizes.sum())
            - np.repeat(np.cumsum(sizes) - sizes, sizes)
        )
        has[np.repeat(np.arange(some.size), sizes), steps.row_steps[at]] = 1.0
        counts += has.T @ has  # whole numbers: exact in any order
    return np.asarray(counts / np.maximum(np.diagonal(counts), 1.0)[:, None], np.float32)


@dataclass(frozen=True, eq=False)
class StepPlausibility:
    """Plausibility that an entity has a step, by the other steps that it has.

    Args:
        graph: The graph that is asked about.
        training: The graph that the model was learned from, if it is another one: what goes together there does here.
    """

    graph: StepGraph
    training: StepGraph | None = None

    @cached_property
    def table(self) -> NDArray[np.float32] | None:
        """P(an entity has one step | it has another), [steps, steps]; None where that would be too large."""
        if self.graph.number_of_steps > _MOST_STEPS:
            return None
        found = step_plausibility(self.graph)
        return found if self.training is None else np.maximum(found, step_plausibility(self.training))

    def least(self, queries: int) -> float:
        """Return the plausibility that a query must exceed, on a graph with this number of queries."""
        return 0.0 if queries <= _FEW else _LEAST

    def of(self, entities: IdArray, wanted: IdArray, masked: NDArray[np.bool_]) -> NDArray[np.float32]:
        """Return the plausibility of one step for each entity: 1 where it has the step.

        Args:
            entities: [pairs].
            wanted: The step asked for, [pairs].
            masked: Whether one edge of that step is masked, [pairs].
        """
        found = np.zeros(entities.size, np.float32)
        for first in range(0, entities.size, _CHUNK * 8):
            part = slice(first, first + _CHUNK * 8)
            found[part] = self._some(entities[part], wanted[part], masked[part])
        return found

    def _some(self, entities: IdArray, wanted: IdArray, masked: NDArray[np.bool_]) -> NDArray[np.float32]:
        steps = self.graph.steps
        starts, sizes = steps.node_rows[entities], np.diff(steps.node_rows)[entities]
        owner = np.repeat(np.arange(entities.size), sizes)
        first = np.cumsum(sizes) - sizes
        rows = np.repeat(starts - first, sizes) + np.arange(owner.size)
        has = steps.row_steps[rows]
        edges = steps.row_offsets[rows + 1] - steps.row_offsets[rows]
        same = has == wanted[owner]
        left = ~same | (edges > masked[owner])
        values = np.zeros(owner.size, np.float32) if self.table is None else self.table[has, wanted[owner]]
        values = np.where(same, np.float32(1.0), values)
        found = np.zeros(entities.size, np.float32)
        np.maximum.at(found, owner[left], values[left])
        return found


def plausible_queries(
    answerer: Answerer,
    *,
    relation: int | None = None,
    head: int | None = None,
    tail: int | None = None,
    most: int = 2_000_000,
) -> Queries:
    """Return the queries that an entity may have an answer to, both directions, the most plausible first.

    A query is as plausible as its entity is to have the relation in that direction: 1 where it has it already, else
    the largest P(has it | has another step) over the steps that it has.

    Args:
        answerer: The model on a graph.
        relation: Only queries about this relation.
        head: Only queries (head, r, ?).
        tail: Only queries (?, r, tail).
        most: Maximum number of queries.
    """
    graph = answerer.graph
    size = len(graph.relations)
    asked = [
        (number, backwards, graph.step(number, backwards))
        for number in (range(size) if relation is None else [relation])
        for backwards in (False, True)
        if answerer.target(number, backwards) is not None
    ]
    if head is not None or tail is not None:
        # One given end decides the direction; with both, the shorter way is to ask from the head.
        asked = [one for one in asked if one[1] == (head is None)]
    everybody = np.arange(graph.number_of_nodes) if head is None and tail is None else None
    entities = np.array([tail if head is None else head]) if everybody is None else everybody
    plausibility = StepPlausibility(graph, answerer.training)
    least = plausibility.least(graph.number_of_nodes * graph.number_of_steps)
    columns = np.array([step for _, _, step in asked], np.int64)
    table = None if plausibility.table is None else plausibility.table[:, columns]
    parts: list[Queries] = []
    for first in range(0, entities.size, _CHUNK):
        some = entities[first : first + _CHUNK]
        plausible = _plausibility(graph, some, columns, table)
        row, column = np.nonzero(plausible > least)
        numbers = np.array([number for number, _, _ in asked], np.int64)
        directions = np.array([backwards for _, backwards, _ in asked], bool)
        parts.append(Queries(some[row], numbers[column], directions[column], plausible[row, column]))
    found = Queries(*(np.concatenate(column) for column in zip(*parts, strict=True)))
    order = np.argsort(-found.plausibility, kind="stable")[:most]
    return found.select(order)


def _plausibility(
    graph: StepGraph, entities: IdArray, columns: IdArray, table: NDArray[np.float32] | None
) -> NDArray[np.float32]:
    """Plausibility of each step for each entity, [entities, columns]."""
    steps = graph.steps
    found = np.zeros((entities.size, columns.size), np.float32)
    place = np.full(graph.number_of_steps, -1)
    place[columns] = np.arange(columns.size)
    for row, entity in enumerate(entities.tolist()):
        own = steps.row_steps[steps.node_rows[entity] : steps.node_rows[entity + 1]]
        if table is not None and own.size:
            found[row] = table[own].max(axis=0)
        there = place[own]
        found[row, there[there >= 0]] = 1.0
    return found
