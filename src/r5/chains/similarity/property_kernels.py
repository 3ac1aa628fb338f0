"""PropertyTable: the properties of entities, and compiled kernels that look them up."""

from __future__ import annotations

from typing import Any, NamedTuple

from numpy.typing import NDArray

from r5._util.kernels.compilation import int64, njit_inner

__all__ = ["PropertyTable", "mark_properties", "unmasked_share"]

Array = NDArray[Any]


class PropertyTable(NamedTuple):
    """Properties that two entities or more share, in compressed rows both ways.

    A property `(step, target)` of an entity is an edge that leads along the step to the target. The kernel of two
    entities is the sum of the weights of the properties that both have.
    """

    keys: Array  # [properties], sorted: step * entities + target
    weights: Array  # [properties]
    offsets: Array  # [entities + 1], offsets of the properties of each entity
    properties: Array
    entity_offsets: Array  # [properties + 1], offsets of the entities of each property
    entities: Array
    own: Array  # [entities], number of properties that no other entity has
    totals: Array  # [entities], kernel of each entity with itself


@njit_inner
def mark_properties(table: PropertyTable, entity: int, value: bool, has: Array) -> None:
    """Set the flag of each property of an entity."""
    for entry in range(table.offsets[entity], table.offsets[entity + 1]):
        has[table.properties[entry]] = value


@njit_inner
def unmasked_share(table: PropertyTable, other: int, masked: int, has: Array) -> float:
    """Return the share of the kernel of the marked entity and another one that is left without a property."""
    if masked < 0:
        return 1.0
    total, is_shared = 0.0, False
    for entry in range(table.offsets[other], table.offsets[other + 1]):
        number = int64(table.properties[entry])
        if has[number]:
            total += table.weights[number]
            is_shared = is_shared or number == masked
    return max(1.0 - table.weights[masked] / total, 0.0) if is_shared else 1.0
