"""Compiled kernels that solve for the similarities of an entity to its neighbours in a large graph."""

from __future__ import annotations

from typing import Any, NamedTuple

from numpy.typing import NDArray

from r5._util.kernels.compilation import int64, njit_free, njit_inner
from r5.chains.similarity.property_kernels import PropertyTable
from r5.chains.similarity.solver_kernels import RIDGE, KernelMatrix, SolverScratch, solve_rows

__all__ = ["NeighbourScratch", "fill_neighbours"]

Array = NDArray[Any]


class NeighbourScratch(NamedTuple):
    """Scratch arrays; `kernel` is 0 and `numbers` is -1 everywhere between two entities."""

    kernel: Array  # [entities], kernel of the entity and each other one
    found: Array  # [entities], entities with a kernel above 0
    numbers: Array  # [properties], number of a property in the matrix
    keys: Array  # [neighbours], heap of the best candidates
    members: Array  # [neighbours + 1], entities of the matrix
    row: Array  # [1], 0: the place of the entity among the members
    matrix: KernelMatrix
    solver: SolverScratch


@njit_inner
def is_worse(key: float, entity: int, other_key: float, other: int) -> bool:
    """Return whether a candidate ranks below another one; of equal ones the lower number is better."""
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
def sift_up(keys: Array, members: Array, last: int) -> None:
    """Restore the heap after a candidate was added at its end."""
    place = int64(last)
    while place > 0:
        parent = (place - 1) // 2
        if not is_worse(keys[place], members[place], keys[parent], members[parent]):
            return
        keys[place], keys[parent] = keys[parent], keys[place]
        members[place], members[parent] = members[parent], members[place]
        place = parent


@njit_inner
def select_members(table: PropertyTable, entity: int, scratch: NeighbourScratch) -> int:
    """Select the entity and those with the largest `kernel^2 / (own kernel + ridge)`; return their number."""
    kernel, keys, others = scratch.kernel, scratch.keys, scratch.members[1:]
    count, size = int64(0), int64(0)
    for entry in range(table.offsets[entity], table.offsets[entity + 1]):
        number = table.properties[entry]
        for place in range(table.entity_offsets[number], table.entity_offsets[number + 1]):
            other = table.entities[place]
            if kernel[other] == 0.0:
                scratch.found[count] = other
                count += 1
            kernel[other] += table.weights[number]
    for i in range(count):
        other = int64(scratch.found[i])
        value = float(kernel[other])
        kernel[other] = 0.0
        if other == entity:
            continue
        key = value * value / (float(table.totals[other]) + RIDGE)
        if size < keys.size:
            keys[size], others[size] = key, other
            size += 1
            sift_up(keys, others, size - 1)
        elif is_worse(keys[0], int64(others[0]), key, other):
            keys[0], others[0] = key, other
            sift_down(keys, others, size)
    scratch.members[0] = entity
    return int64(size + 1)


@njit_inner
def read_matrix(table: PropertyTable, size: int, scratch: NeighbourScratch) -> int:
    """Read the properties of the members into `scratch.matrix`; return the number of distinct properties."""
    matrix, entries, count = scratch.matrix, int64(0), int64(0)
    for place in range(size):
        member = scratch.members[place]
        matrix.own[place], matrix.totals[place] = table.own[member], table.totals[member]
        matrix.offsets[place] = entries
        for entry in range(table.offsets[member], table.offsets[member + 1]):
            if entries == matrix.properties.size:
                break
            number = table.properties[entry]
            if scratch.numbers[number] < 0:
                scratch.numbers[number] = count
                matrix.weights[count] = table.weights[number]
                count += 1
            matrix.properties[entries] = scratch.numbers[number]
            entries += 1
    matrix.offsets[size] = entries
    for place in range(size):
        member = scratch.members[place]
        for entry in range(table.offsets[member], table.offsets[member + 1]):
            scratch.numbers[table.properties[entry]] = -1
    return int64(count)


@njit_free
def fill_neighbours(table: PropertyTable, entity: int, scratch: NeighbourScratch) -> int:
    """Solve for the similarities of an entity to its neighbours.

    Members beyond the capacity of `scratch.matrix.properties` lose their last properties.

    Args:
        table: Properties of all entities.
        entity: The entity.
        scratch: Scratch arrays; `members` then has the entity and its neighbours, `solver.solution` the similarities.

    Returns:
        The number of members.
    """
    size = select_members(table, int64(entity), scratch)
    count = read_matrix(table, size, scratch)
    whole = scratch.matrix
    matrix = KernelMatrix(
        whole.offsets[: size + 1], whole.properties, whole.weights[:count], whole.own[:size], whole.totals[:size]
    )
    solve_rows(matrix, scratch.row, scratch.solver)
    return int64(size)
