"""StepPlausibility: which relations an entity plausibly has, by the relations that it is known to have."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from r5.chains.graph.step_graph import IdArray, StepGraph

__all__ = ["StepPlausibility", "plausibilities", "step_plausibility"]

_FEW = 400_000
"""Graphs with no more queries than this are asked all of them, those with a plausibility of 0 aside."""
_LEAST = 0.05
"""Minimum plausibility of a query on larger graphs."""
_MOST_STEPS = 4_000
"""Beyond this number of steps only those that an entity has already are plausible: the table would be too large."""
_ENTITIES = 50_000
"""Entities that co-occurrence of steps is counted on."""
_CHUNK = 4_096


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


def plausibilities(
    graph: StepGraph, entities: IdArray, columns: IdArray, table: NDArray[np.float32] | None
) -> NDArray[np.float32]:
    """Return the plausibility of each step for each entity, [entities, columns].

    Args:
        graph: The graph that is asked about.
        entities: [entities].
        columns: The steps asked for, [columns].
        table: Columns of `StepPlausibility.table` for these steps, [steps, columns], or None.
    """
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
