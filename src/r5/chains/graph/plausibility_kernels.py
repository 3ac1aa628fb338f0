"""Compiled kernels that count which steps occur together, and the plausibility of steps by them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels.compilation import njit_free
from r5.chains.graph.step_kernels import Steps

__all__ = ["count_pairs", "largest_plausibilities", "plausibilities"]

Array = NDArray[Any]


@njit_free
def count_pairs(steps: Steps, entities: Array, counts: Array) -> None:
    """Count the entities that have both of two steps.

    Args:
        steps: The graph.
        entities: The entities that count, [entities].
        counts: The counts, added to, [steps, steps].
    """
    for i in range(entities.size):
        first, last = steps.node_rows[entities[i]], steps.node_rows[entities[i] + 1]
        for one in range(first, last):
            for other in range(first, last):
                counts[steps.row_steps[one], steps.row_steps[other]] += 1.0


@njit_free
def largest_plausibilities(steps: Steps, entities: Array, columns: Array, table: Array, plausibilities: Array) -> None:
    """Compute the largest P(an entity has a step | it has another) over the steps that it has; 1 for those.

    Args:
        steps: The graph.
        entities: [entities].
        columns: Column of each step in the table, -1 for none, [steps].
        table: P(column's step | step), [steps, columns], or no rows.
        plausibilities: The result, 0 at first, [entities, columns].
    """
    for i in range(entities.size):
        first, last = steps.node_rows[entities[i]], steps.node_rows[entities[i] + 1]
        if table.shape[0] > 0:
            for row in range(first, last):
                step = steps.row_steps[row]
                for column in range(table.shape[1]):
                    plausibilities[i, column] = max(plausibilities[i, column], table[step, column])
        for row in range(first, last):
            column = columns[steps.row_steps[row]]
            if column >= 0:
                plausibilities[i, column] = 1.0


@njit_free
def plausibilities(steps: Steps, entities: Array, wanted: Array, masked: Array, table: Array, found: Array) -> None:
    """Compute the largest P(an entity has its wanted step | it has another) over the steps that it has; 1 for the step.

    Args:
        steps: The graph.
        entities: [pairs].
        wanted: [pairs].
        masked: Whether one edge of the wanted step is masked, [pairs].
        table: P(column's step | row's step), [steps, steps], or no rows.
        found: The result, [pairs].
    """
    for i in range(entities.size):
        largest = np.float32(0.0)
        for row in range(steps.node_rows[entities[i]], steps.node_rows[entities[i] + 1]):
            step = steps.row_steps[row]
            if step != wanted[i]:
                if table.shape[0] > 0:
                    largest = max(largest, table[step, wanted[i]])
            elif steps.row_offsets[row + 1] - steps.row_offsets[row] > masked[i]:
                largest = np.float32(1.0)
        found[i] = largest
