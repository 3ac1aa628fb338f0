"""StepPlausibility: plausibility that an entity has a step, from the co-occurrence of steps."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from r5.chains.graph.plausibility_kernels import count_pairs, largest_plausibilities
from r5.chains.graph.step_graph import IdArray, StepGraph

__all__ = ["StepPlausibility", "plausibilities", "step_plausibility"]

_MAX_UNFILTERED_QUERIES = 400_000
"""Maximum number of queries of a graph for which every query with a plausibility above 0 is asked."""
_MIN_PLAUSIBILITY = 0.05
"""Minimum plausibility of a query on larger graphs."""
_MAX_TABLE_STEPS = 4_000
"""Maximum number of steps for the table. On graphs with more, an entity's plausible steps are those that it has."""
_MAX_SAMPLED_ENTITIES = 50_000
"""Maximum number of entities that the co-occurrence of steps is counted on."""
_CHUNK = 4_096
"""Number of entities that are counted at a time."""


def step_plausibility(graph: StepGraph) -> NDArray[np.float32]:
    """Return P(an entity has one step | it has another), [steps, steps].

    Args:
        graph: The graph that the steps are counted on.

    Returns:
        Row d holds the probabilities for entities that have step d.
    """
    steps, rows = graph.steps, graph.number_of_steps
    nodes = np.arange(graph.number_of_nodes)
    if nodes.size > _MAX_SAMPLED_ENTITIES:
        nodes = np.linspace(0, nodes.size - 1, _MAX_SAMPLED_ENTITIES).astype(np.int64)
    counts = np.zeros((rows, rows))
    count_pairs(steps, nodes, counts)
    return np.asarray(counts / np.maximum(np.diagonal(counts), 1.0)[:, None], np.float32)


@dataclass(frozen=True, eq=False)
class StepPlausibility:
    """Plausibility that an entity has a step, by the other steps that it has.

    Args:
        graph: The graph of the queries.
        training: The training graph, if it is another one. The larger co-occurrence of the two graphs counts.
    """

    graph: StepGraph
    training: StepGraph | None = None

    @cached_property
    def table(self) -> NDArray[np.float32] | None:
        """P(an entity has one step | it has another), [steps, steps]; None for too many steps."""
        if self.graph.number_of_steps > _MAX_TABLE_STEPS:
            return None
        table = step_plausibility(self.graph)
        return table if self.training is None else np.maximum(table, step_plausibility(self.training))

    def least(self, queries: int) -> float:
        """Return the plausibility that a query must exceed, on a graph with this number of queries."""
        return 0.0 if queries <= _MAX_UNFILTERED_QUERIES else _MIN_PLAUSIBILITY

    def of(self, entities: IdArray, wanted: IdArray, masked: NDArray[np.bool_]) -> NDArray[np.float32]:
        """Return the plausibility of one step for each entity, [pairs]: 1 if the entity has the step.

        Args:
            entities: [pairs].
            wanted: The step of the query, [pairs].
            masked: Whether one edge of that step is masked, [pairs].
        """
        plausibility = np.zeros(entities.size, np.float32)
        for first in range(0, entities.size, _CHUNK * 8):
            part = slice(first, first + _CHUNK * 8)
            plausibility[part] = self._of_chunk(entities[part], wanted[part], masked[part])
        return plausibility

    def _of_chunk(self, entities: IdArray, wanted: IdArray, masked: NDArray[np.bool_]) -> NDArray[np.float32]:
        """Return the plausibility of one step for each entity of a chunk, [pairs]."""
        steps = self.graph.steps
        starts, sizes = steps.node_rows[entities], np.diff(steps.node_rows)[entities]
        owner = np.repeat(np.arange(entities.size), sizes)
        first = np.cumsum(sizes) - sizes
        rows = np.repeat(starts - first, sizes) + np.arange(owner.size)
        has = steps.row_steps[rows]
        edges = steps.row_offsets[rows + 1] - steps.row_offsets[rows]
        is_wanted = has == wanted[owner]
        is_left = ~is_wanted | (edges > masked[owner])
        values = np.zeros(owner.size, np.float32) if self.table is None else self.table[has, wanted[owner]]
        values = np.where(is_wanted, np.float32(1.0), values)
        plausibility = np.zeros(entities.size, np.float32)
        np.maximum.at(plausibility, owner[is_left], values[is_left])
        return plausibility


def plausibilities(
    graph: StepGraph, entities: IdArray, columns: IdArray, table: NDArray[np.float32] | None
) -> NDArray[np.float32]:
    """Return the plausibility of each step for each entity, [entities, columns].

    Args:
        graph: The graph of the queries.
        entities: [entities].
        columns: The steps of the queries, [columns].
        table: Columns of `StepPlausibility.table` for these steps, [steps, columns], or None.
    """
    plausibility = np.zeros((entities.size, columns.size), np.float32)
    column_of = np.full(graph.number_of_steps, -1)
    column_of[columns] = np.arange(columns.size)
    no_table = np.zeros((0, columns.size), np.float32)
    largest_plausibilities(graph.steps, entities, column_of, no_table if table is None else table, plausibility)
    return plausibility
