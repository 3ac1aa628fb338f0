"""StepPlausibility: plausibility that an entity has a step, from the co-occurrence of steps."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from r5.chains.graph.plausibility_kernels import count_pairs, largest_plausibilities, plausibilities
from r5.chains.graph.step_graph import IdArray, StepGraph

__all__ = ["StepPlausibility"]

_MAX_UNFILTERED_QUERIES = 400_000
"""Maximum number of queries of a graph for which every query with a plausibility above 0 is asked."""
_MIN_PLAUSIBILITY = 0.05
"""Minimum plausibility of a query on larger graphs."""
_MAX_TABLE_STEPS = 4_000
"""Maximum number of steps for the table. On graphs with more, an entity's plausible steps are those that it has."""
_MAX_SAMPLED_ENTITIES = 50_000
"""Maximum number of entities that the co-occurrence of steps is counted on."""
_CHUNK = 4_096
"""Number of entities that are looked at together."""


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
    def table(self) -> NDArray[np.float32]:
        """P(an entity has one step | it has another), [steps, steps], for entities with the row's step.

        Empty for too many steps.
        """
        if self.graph.number_of_steps > _MAX_TABLE_STEPS:
            return np.zeros((0, 0), np.float32)
        table = _shares(self.graph)
        return table if self.training is None else np.maximum(table, _shares(self.training))

    @property
    def least(self) -> float:
        """The plausibility that a query must exceed."""
        queries = self.graph.number_of_nodes * self.graph.number_of_steps
        return 0.0 if queries <= _MAX_UNFILTERED_QUERIES else _MIN_PLAUSIBILITY

    def of(self, entities: IdArray, wanted: IdArray, masked: NDArray[np.bool_]) -> NDArray[np.float32]:
        """Return the plausibility of one step for each entity, [pairs]: 1 if the entity has the step.

        Args:
            entities: [pairs].
            wanted: The step of the query, [pairs].
            masked: Whether one edge of that step is masked, [pairs].
        """
        found = np.zeros(entities.size, np.float32)
        ends = np.ascontiguousarray(entities), np.ascontiguousarray(wanted)
        plausibilities(self.graph.steps, *ends, masked, self.table, found)
        return found

    def plausible(self, entities: IdArray, wanted: IdArray) -> tuple[IdArray, IdArray, NDArray[np.float32]]:
        """Return the pairs of an entity and a step whose plausibility exceeds `least`, by their positions.

        Args:
            entities: [entities].
            wanted: The steps of the queries, [steps].

        Returns:
            Positions of the entities and of the steps, and the plausibilities, [pairs] each.
        """
        columns = np.full(self.graph.number_of_steps, -1)
        columns[wanted] = np.arange(wanted.size)
        table = (
            np.ascontiguousarray(self.table[:, wanted]) if self.table.size else np.zeros((0, wanted.size), np.float32)
        )
        parts = []
        for first in range(0, max(entities.size, 1), _CHUNK):
            some = entities[first : first + _CHUNK]
            found = np.zeros((some.size, wanted.size), np.float32)
            largest_plausibilities(self.graph.steps, some, columns, table, found)
            row, column = np.nonzero(found > self.least)
            parts.append((row + first, column, found[row, column]))
        rows, places, values = (np.concatenate(part) for part in zip(*parts, strict=True))
        return rows, places, values


def _shares(graph: StepGraph) -> NDArray[np.float32]:
    """Return P(an entity has one step | it has another), counted on a graph, [steps, steps]."""
    nodes = np.arange(graph.number_of_nodes)
    if nodes.size > _MAX_SAMPLED_ENTITIES:
        nodes = np.linspace(0, nodes.size - 1, _MAX_SAMPLED_ENTITIES).astype(np.int64)
    counts = np.zeros((graph.number_of_steps, graph.number_of_steps))
    count_pairs(graph.steps, nodes, counts)
    return np.asarray(counts / np.maximum(np.diagonal(counts), 1.0)[:, None], np.float32)
