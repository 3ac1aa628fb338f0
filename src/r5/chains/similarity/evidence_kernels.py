"""Compiled kernels that add the evidence of similar entities to the scores of the candidates of a query.

The evidence for the candidate t of a query (h, step, ?) has two parts: the similarity of h to the entities that have t
as an answer (sources), and the similarity of t to the known answers of the query (answers).

A masked fact gave its two entities a property each. The similarity to entities that share this property is reduced by
the share of the property in their kernel.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels.compilation import int64, njit_free, njit_inner
from r5.chains.graph.step_kernels import Mask, Steps, row_of
from r5.chains.similarity.neighbour_kernels import Neighbours, Properties

__all__ = ["Evidence", "EvidenceScratch", "add_evidence", "evidence_of", "explain_evidence"]

Array = NDArray[Any]


class Evidence(NamedTuple):
    """Similar entities on a graph, and the factors of both parts of the evidence; a factor of 0 leaves a part out."""

    properties: Properties
    neighbours: Neighbours
    sources: float
    answers: float


class EvidenceScratch(NamedTuple):
    """Scratch arrays; `values` is 0 and `is_found` is False everywhere between two queries."""

    values: Array  # [entities], evidence
    found: Array  # [entities], entities with evidence
    is_found: Array  # [entities]


@njit_inner
def has_edge(steps: Steps, entity: int, step: int, target: int) -> bool:
    """Return whether the graph has an edge."""
    row = row_of(steps, entity, step)
    if row < 0:
        return False
    low, high = int64(steps.row_offsets[row]), int64(steps.row_offsets[row + 1])
    while low < high:
        middle = (low + high) // 2
        if steps.targets[middle] < target:
            low = middle + 1
        else:
            high = middle
    return bool(low < steps.row_offsets[row + 1] and steps.targets[low] == target)


@njit_inner
def property_weight(steps: Steps, properties: Properties, entity: int, step: int, target: int) -> float:
    """Return the weight of the property of an edge, 0 if the graph lacks the edge."""
    row = row_of(steps, entity, step)
    if row < 0:
        return 0.0
    for edge in range(steps.row_offsets[row], steps.row_offsets[row + 1]):
        if steps.targets[edge] == target:
            return float(properties.weights[edge])  # the first of equal edges has the weight
    return 0.0


@njit_inner
def unmasked_similarity(
    steps: Steps, neighbours: Neighbours, entity: int, place: int, step: int, target: int, weight: float
) -> float:
    """Return the similarity of an entity to a neighbour without the property `(step, target)` of a weight."""
    similarity = float(neighbours.similarities[entity, place])
    if weight > 0.0 and has_edge(steps, int64(neighbours.entities[entity, place]), step, target):
        return similarity * max(1.0 - weight / neighbours.shared[entity, place], 0.0)
    return similarity


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
def add_sources(
    steps: Steps, evidence: Evidence, source: int, step: int, mask: Mask, size: int, scratch: EvidenceScratch
) -> int:
    """Add the similarity of the source to the entities that have each candidate as an answer."""
    neighbours, weight = evidence.neighbours, 0.0
    if mask.step >= 0:
        weight = property_weight(steps, evidence.properties, mask.source, mask.step, mask.target)
    for place in range(neighbours.sizes[source]):
        other = int64(neighbours.entities[source, place])
        row = row_of(steps, other, step)
        if row < 0:
            continue
        similarity = unmasked_similarity(steps, neighbours, source, place, mask.step, mask.target, weight)
        first = steps.row_offsets[row]
        for edge in range(first, steps.row_offsets[row + 1]):
            target = int64(steps.targets[edge])
            if edge > first and target == steps.targets[edge - 1]:
                continue
            if not is_masked_edge(steps, other, step, target, mask):
                size = add_value(target, evidence.sources * similarity, size, scratch)
    return int64(size)


@njit_inner
def add_answers(
    steps: Steps, evidence: Evidence, source: int, step: int, mask: Mask, size: int, scratch: EvidenceScratch
) -> int:
    """Add the similarity of each candidate to the known answers of the query."""
    neighbours, weight, inverse = evidence.neighbours, 0.0, int64(-1)
    row = row_of(steps, source, step)
    if row < 0:
        return int64(size)
    if mask.step >= 0:
        inverse = int64(steps.inverse[mask.step])
        weight = property_weight(steps, evidence.properties, mask.target, inverse, mask.source)
    first = steps.row_offsets[row]
    for edge in range(first, steps.row_offsets[row + 1]):
        answer = int64(steps.targets[edge])
        if edge > first and answer == steps.targets[edge - 1]:
            continue
        if is_masked_edge(steps, source, step, answer, mask):
            continue
        for place in range(neighbours.sizes[answer]):
            candidate = int64(neighbours.entities[answer, place])
            own = weight if candidate == mask.target else 0.0
            similarity = float(neighbours.similarities[answer, place])
            if own > 0.0 and has_edge(steps, answer, inverse, mask.source):
                similarity *= max(1.0 - own / neighbours.shared[answer, place], 0.0)
            size = add_value(candidate, evidence.answers * similarity, size, scratch)
    return int64(size)


@njit_inner
def add_evidence(
    steps: Steps, evidence: Evidence, source: int, step: int, mask: Mask, scratch: EvidenceScratch
) -> int:
    """Add the evidence for all candidates of a query to `scratch.values`; return the number of entities found.

    Args:
        steps: The graph.
        evidence: Similar entities, whose rows of the source and of its answers are filled.
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
def evidence_of(
    steps: Steps, evidence: Evidence, source: int, step: int, mask: Mask, scratch: EvidenceScratch, values: Array
) -> None:
    """Add the evidence for each candidate of a query to `values`, [entities]."""
    size = add_evidence(steps, evidence, int64(source), int64(step), mask, scratch)
    for i in range(size):
        values[scratch.found[i]] += scratch.values[scratch.found[i]]
    reset_evidence(size, scratch)


@njit_free
def explain_evidence(
    steps: Steps,
    evidence: Evidence,
    source: int,
    step: int,
    candidate: int,
    mask: Mask,
    scratch: EvidenceScratch,
    parts: Array,
) -> None:
    """Compute the part of the evidence for a candidate that each entity contributes.

    Args:
        steps: The graph.
        evidence: Similar entities.
        source: The given entity.
        step: The step of the query.
        candidate: The candidate.
        mask: The masked edge.
        scratch: Scratch arrays.
        parts: Output, 0 at first, [entities, 2]: as a similar source, and as a known answer similar to the candidate.
    """
