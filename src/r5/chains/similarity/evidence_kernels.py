"""Compiled kernels that add the evidence of similar entities to the scores of the candidates of a query.

The evidence for the candidate t of a query (h, step, ?) has two parts: the similarity of h to the entities that have t
as an answer (sources), and the similarity of t to the known answers of the query (answers).

A masked fact gave both its entities a property. The similarity of such an entity to another one that shares the
property is reduced by the share of the property in their kernel.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from numpy.typing import NDArray

from r5._util.kernels.compilation import int64, njit_free, njit_inner
from r5.chains.graph.step_kernels import Mask, Steps, find, row_of
from r5.chains.similarity.property_kernels import PropertyTable, mark_properties, unmasked_share

__all__ = ["SCALE", "Evidence", "EvidenceScratch", "Similarities", "add_evidence", "reset_evidence", "sum_evidence"]

Array = NDArray[Any]
SCALE = 32_767.0
"""A similarity s is stored as sign(s) * sqrt(|s|) * SCALE, rounded: small ones keep their digits."""


class Similarities(NamedTuple):
    """Stored similarities; each stored x is the similarity `x * |x| / SCALE^2`."""

    values: Array  # [entities, entities] or [entities, neighbours]
    neighbours: Array  # [entities, neighbours]; [0, 0] where the columns are the entities


class Evidence(NamedTuple):
    """Similar entities on a graph, and the weights of both parts of the evidence; a weight of 0 leaves a part out."""

    similarities: Similarities
    table: PropertyTable
    first_rows: Array  # [steps + 1], first row of each step in `Steps.by_step`
    sources: float
    answers: float


class EvidenceScratch(NamedTuple):
    """Scratch arrays; values are 0 and flags False everywhere between two queries."""

    values: Array  # [entities], evidence
    found: Array  # [entities], entities with evidence
    is_found: Array  # [entities]
    has: Array  # [properties], whether an entity has a property


@njit_inner
def add_value(entity: int, value: float, size: int, scratch: EvidenceScratch) -> int:
    """Add evidence for an entity; return the new number of entities found."""
    if not scratch.is_found[entity]:
        scratch.is_found[entity] = True
        scratch.found[size] = entity
        size += 1
    scratch.values[entity] += value
    return int64(size)


@njit_inner
def is_masked_edge(steps: Steps, entity: int, step: int, target: int, mask: Mask) -> bool:
    """Return whether an edge is the masked one, in either direction."""
    if mask.step < 0:
        return False
    forward = entity == mask.source and step == mask.step and target == mask.target
    return bool(forward or (entity == mask.target and step == steps.inverse[mask.step] and target == mask.source))


@njit_inner
def add_source(steps: Steps, row: int, value: float, step: int, mask: Mask, size: int, scratch: EvidenceScratch) -> int:
    """Add evidence for the answers of one similar source, which a row has."""
    edges = steps.by_step
    other, first = int64(edges.nodes[row]), edges.offsets[row]
    for edge in range(first, edges.offsets[row + 1]):
        target = int64(edges.targets[edge])
        is_repeated = edge > first and target == edges.targets[edge - 1]
        if not is_repeated and not is_masked_edge(steps, other, step, target, mask):
            size = add_value(target, value, size, scratch)
    return int64(size)


@njit_inner
def add_sources(
    steps: Steps, evidence: Evidence, source: int, step: int, mask: Mask, size: int, scratch: EvidenceScratch
) -> int:
    """Add the similarity of the source to the entities that have each candidate as an answer."""
    table, values, neighbours = evidence.table, evidence.similarities.values, evidence.similarities.neighbours
    weight, masked = evidence.sources / (SCALE * SCALE), int64(-1)
    if mask.step >= 0:
        masked = find(table.keys, int64(mask.step * table.own.size + mask.target))
        mark_properties(table, source, True, scratch.has)
    if neighbours.size == 0:
        for row in range(evidence.first_rows[step], evidence.first_rows[step + 1]):
            other = int64(steps.by_step.nodes[row])
            stored = float(values[source, other])
            if stored != 0.0:
                value = weight * stored * abs(stored) * unmasked_share(table, other, masked, scratch.has)
                size = add_source(steps, int64(row), value, step, mask, size, scratch)
    else:
        for place in range(values.shape[1]):
            stored = float(values[source, place])
            if stored != 0.0:
                other = int64(neighbours[source, place])
                row = row_of(steps.by_step, other, step)
                if row >= 0:
                    value = weight * stored * abs(stored) * unmasked_share(table, other, masked, scratch.has)
                    size = add_source(steps, int64(row), value, step, mask, size, scratch)
    if mask.step >= 0:
        mark_properties(table, source, False, scratch.has)
    return int64(size)


@njit_inner
def add_answers(
    steps: Steps, evidence: Evidence, source: int, step: int, mask: Mask, size: int, scratch: EvidenceScratch
) -> int:
    """Add the similarity of each candidate to the known answers of the query."""
    table, values, neighbours = evidence.table, evidence.similarities.values, evidence.similarities.neighbours
    weight, masked = evidence.answers / (SCALE * SCALE), int64(-1)
    row = row_of(steps.by_step, source, step)
    if row < 0:
        return int64(size)
    if mask.step >= 0:
        masked = find(table.keys, int64(steps.inverse[mask.step] * table.own.size + mask.source))
        mark_properties(table, mask.target, True, scratch.has)
    edges = steps.by_step
    first = edges.offsets[row]
    for edge in range(first, edges.offsets[row + 1]):
        answer = int64(edges.targets[edge])
        is_repeated = edge > first and answer == edges.targets[edge - 1]
        if is_repeated or is_masked_edge(steps, source, step, answer, mask):
            continue
        for place in range(values.shape[1]):
            stored = float(values[answer, place])
            if stored == 0.0:
                continue
            candidate = int64(place) if neighbours.size == 0 else int64(neighbours[answer, place])
            value = weight * stored * abs(stored)
            if candidate == mask.target:
                value *= unmasked_share(table, answer, masked, scratch.has)
            size = add_value(candidate, value, size, scratch)
    if mask.step >= 0:
        mark_properties(table, mask.target, False, scratch.has)
    return int64(size)


@njit_inner
def add_evidence(steps: Steps, evidence: Evidence, source: int, step: int, mask: Mask, scratch: EvidenceScratch) -> int:
    """Add the evidence for all candidates of a query to `scratch.values`; return the number of entities found.

    Args:
        steps: The graph.
        evidence: Similar entities; the rows of the source and of its known answers are computed.
        source: The given entity.
        step: The step of the query.
        mask: The masked edge.
        scratch: Scratch arrays.
    """
    size = int64(0)
    if evidence.sources != 0.0:
        size = add_sources(steps, evidence, source, step, mask, size, scratch)
    if evidence.answers != 0.0:
        size = add_answers(steps, evidence, source, step, mask, size, scratch)
    return int64(size)


@njit_inner
def reset_evidence(size: int, scratch: EvidenceScratch) -> None:
    """Reset the scratch arrays after a query that found a number of entities."""
    for i in range(size):
        entity = scratch.found[i]
        scratch.values[entity] = 0.0
        scratch.is_found[entity] = False


@njit_free
def sum_evidence(
    steps: Steps, evidence: Evidence, source: int, step: int, mask: Mask, scratch: EvidenceScratch, scores: Array
) -> None:
    """Add the evidence for each candidate of a query to its score, [entities]."""
    size = add_evidence(steps, evidence, int64(source), int64(step), mask, scratch)
    for i in range(size):
        scores[scratch.found[i]] += scratch.values[scratch.found[i]]
    reset_evidence(size, scratch)
