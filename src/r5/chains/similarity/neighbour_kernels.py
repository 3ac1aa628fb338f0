"""Compiled kernels that find the entities most similar to an entity.

A property of an entity is an edge to a given target: `(step, target)`. The kernel of two entities is the weighted
number of properties that both have. The similarities of an entity to its neighbours are the coefficients of kernel
ridge regression: `K[h, N] (K[N, N] + ridge * I)^-1`, where N are h and its neighbours.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels.compilation import int64, njit_free, njit_inner
from r5._util.kernels.elementary_kernels import exp_of, log_of
from r5.chains.graph.step_kernels import Steps, row_of

__all__ = ["NeighbourScratch", "Neighbours", "Properties", "fill_kernel", "fill_neighbours", "fill_properties"]

Array = NDArray[Any]


class Properties(NamedTuple):
    """Property of each edge, which its entity shares with the other entities that have the same edge."""

    rows: Array  # [edges], number of the property: the row of the entities that have it
    weights: Array  # [edges], weight of the property; 0 for a repeated edge and for a property of too many entities


class Neighbours(NamedTuple):
    """Similar entities of each entity."""

    sizes: Array  # [entities], number of neighbours
    entities: Array  # [entities, neighbours]
    similarities: Array  # [entities, neighbours]
    shared: Array  # [entities, neighbours], kernel of the two: total weight of the properties that both have


class NeighbourScratch(NamedTuple):
    """Scratch arrays; `kernel` is 0 and `has` is False everywhere between two calls."""

    kernel: Array  # [entities], kernel of the entity and each other one
    found: Array  # [entities], entities with a kernel above 0
    has: Array  # [rows], whether an entity has a property
    keys: Array  # [neighbours], heap of the best candidates
    members: Array  # [neighbours + 1], the entities of the regression
    matrix: Array  # [neighbours + 1, neighbours + 1]
    solution: Array  # [neighbours + 1]


@njit_free
def fill_properties(steps: Steps, max_entities: int, exponent: float, properties: Properties) -> None:
    """Fill the properties of all edges.

    Args:
        steps: The graph.
        max_entities: Properties of more entities have weight 0.
        exponent: The weight of a property is its number of entities to the power of `-exponent`.
        properties: Output.
    """
    for row in range(steps.row_nodes.size):
        inverse = int64(steps.inverse[steps.row_steps[row]])
        begin = steps.row_offsets[row]
        for edge in range(begin, steps.row_offsets[row + 1]):
            shared = row_of(steps, int64(steps.targets[edge]), inverse)
            first = steps.row_offsets[shared]
            count = int64(0)
            for other in range(first, steps.row_offsets[shared + 1]):
                if other == first or steps.targets[other] != steps.targets[other - 1]:
                    count += 1
            is_repeated = edge > begin and steps.targets[edge] == steps.targets[edge - 1]
            properties.rows[edge] = shared
            is_used = not is_repeated and count <= max_entities
            properties.weights[edge] = exp_of(-exponent * log_of(float(count))) if is_used else 0.0


@njit_inner
def add_kernel(steps: Steps, properties: Properties, entity: int, kernel: Array, found: Array) -> int:
    """Add the kernel of an entity and every other one, itself included; return the number of entities found."""
    size = int64(0)
    first, last = steps.node_rows[entity], steps.node_rows[entity + 1]
    for edge in range(steps.row_offsets[first], steps.row_offsets[last]):
        weight, shared = properties.weights[edge], properties.rows[edge]
        if weight == 0.0:
            continue
        start = steps.row_offsets[shared]
        for place in range(start, steps.row_offsets[shared + 1]):
            other = steps.targets[place]
            if place > start and other == steps.targets[place - 1]:
                continue
            if kernel[other] == 0.0:
                found[size] = other
                size += 1
            kernel[other] += weight
    return size


@njit_inner
def is_worse(key: float, entity: int, other_key: float, other: int) -> bool:
    """Return whether a candidate ranks below another one; ties go to the lower number."""
    return key < other_key or (key == other_key and entity > other)


@njit_inner
def sift_down(keys: Array, members: Array, size: int) -> None:
    """Restore the heap, whose root is the worst candidate, after a change of the root."""
    place = int64(0)
    while True:
        worst = place
        for child in range(2 * place + 1, min(2 * place + 3, size)):
            if is_worse(keys[child], members[child], keys[worst], members[worst]):
                worst = int64(child)
        if worst == place:
            return
        keys[place], keys[worst] = keys[worst], keys[place]
        members[place], members[worst] = members[worst], members[place]
        place = worst


@njit_inner
def sift_up(keys: Array, members: Array, place: int) -> None:
    """Restore the heap after a candidate was added at its end."""
    while place > 0:
        parent = (place - 1) // 2
        if not is_worse(keys[place], members[place], keys[parent], members[parent]):
            return
        keys[place], keys[parent] = keys[parent], keys[place]
        members[place], members[parent] = members[parent], members[place]
        place = parent


@njit_inner
def select_neighbours(totals: Array, ridge: float, entity: int, count: int, scratch: NeighbourScratch) -> int:
    """Select the entities with the largest `kernel^2 / (own kernel + ridge)`; return their number."""
    size, keys, members = int64(0), scratch.keys, scratch.members
    for i in range(count):
        other = int64(scratch.found[i])
        if other == entity:
            continue
        kernel = scratch.kernel[other]
        key = kernel * kernel / (totals[other] + ridge)
        if size < keys.size:
            keys[size], members[size] = key, other
            size += 1
            sift_up(keys, members, size - 1)
        elif is_worse(keys[0], members[0], key, other):
            keys[0], members[0] = key, other
            sift_down(keys, members, size)
    return size


@njit_inner
def sort_by_edges(steps: Steps, members: Array, size: int) -> None:
    """Sort entities by their number of edges, most first, then by number."""
    for i in range(1, size):
        entity = int64(members[i])
        edges = steps.row_offsets[steps.node_rows[entity + 1]] - steps.row_offsets[steps.node_rows[entity]]
        place = i
        while place > 0:
            other = int64(members[place - 1])
            others = steps.row_offsets[steps.node_rows[other + 1]] - steps.row_offsets[steps.node_rows[other]]
            if others > edges or (others == edges and other < entity):
                break
            members[place] = other
            place -= 1
        members[place] = entity


@njit_inner
def fill_matrix(steps: Steps, properties: Properties, ridge: float, size: int, scratch: NeighbourScratch) -> None:
    """Fill the lower triangle of the kernel matrix of the members, plus the ridge on its diagonal."""
    members, matrix, has = scratch.members, scratch.matrix, scratch.has
    for i in range(size):
        entity = int64(members[i])
        begin = steps.row_offsets[steps.node_rows[entity]]
        end = steps.row_offsets[steps.node_rows[entity + 1]]
        for edge in range(begin, end):
            has[properties.rows[edge]] = True
        for j in range(i, size):
            other, total = int64(members[j]), 0.0
            for edge in range(
                steps.row_offsets[steps.node_rows[other]], steps.row_offsets[steps.node_rows[other + 1]]
            ):
                if has[properties.rows[edge]]:
                    total += properties.weights[edge]
            matrix[j, i] = total
        matrix[i, i] += ridge
        for edge in range(begin, end):
            has[properties.rows[edge]] = False


@njit_inner
def solve(matrix: Array, solution: Array, size: int) -> None:
    """Solve a positive definite system in place by Cholesky decomposition; `solution` holds the right-hand side."""
    for i in range(size):
        for j in range(i + 1):
            total = matrix[i, j]
            for k in range(j):
                total -= matrix[i, k] * matrix[j, k]
            matrix[i, j] = np.sqrt(total) if i == j else total / matrix[j, j]
        total = solution[i]
        for k in range(i):
            total -= matrix[i, k] * solution[k]
        solution[i] = total / matrix[i, i]
    for i in range(size - 1, -1, -1):
        total = solution[i] / matrix[i, i]
        solution[i] = total
        for k in range(i):
            solution[k] -= matrix[i, k] * total


@njit_free
def fill_neighbours(
    steps: Steps,
    properties: Properties,
    totals: Array,
    ridge: float,
    chosen: Array,
    scratch: NeighbourScratch,
    neighbours: Neighbours,
) -> None:
    """Find the neighbours of some entities, and their similarities.

    Args:
        steps: The graph.
        properties: Properties of its edges.
        totals: Kernel of each entity with itself, [entities].
        ridge: L2 penalty of the regression.
        chosen: The entities.
        scratch: Scratch arrays.
        neighbours: Output; the rows of the chosen entities are filled.
    """
    kernel, members, solution = scratch.kernel, scratch.members, scratch.solution
    for i in range(chosen.size):
        entity = int64(chosen[i])
        count = add_kernel(steps, properties, entity, kernel, scratch.found)
        size = select_neighbours(totals, ridge, entity, count, scratch)
        members[size] = entity
        size += 1
        sort_by_edges(steps, members, size)
        fill_matrix(steps, properties, ridge, size, scratch)
        for place in range(size):
            solution[place] = kernel[members[place]]
        solve(scratch.matrix, solution, size)
        filled = int64(0)
        for place in range(size):
            other = int64(members[place])
            if other != entity:
                neighbours.entities[entity, filled] = other
                neighbours.similarities[entity, filled] = solution[place]
                neighbours.shared[entity, filled] = kernel[other]
                filled += 1
        neighbours.sizes[entity] = filled
        for place in range(count):
            kernel[scratch.found[place]] = 0.0


@njit_free
def fill_kernel(steps: Steps, properties: Properties, found: Array, kernels: Array) -> None:
    """Fill the kernel of all pairs of entities.

    Args:
        steps: The graph.
        properties: Properties of its edges.
        found: Scratch, [entities].
        kernels: Output, 0 at first, [entities, entities].
    """
    for entity in range(kernels.shape[0]):
        add_kernel(steps, properties, int64(entity), kernels[entity], found)
