"""Slow twin of similar entities: sets of properties, one dense matrix, and sums over all pairs of entities."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tests.oracle.chains import Edge, Facts, edges, inverse

Property = tuple[int, int]
"""Step and target."""
Matrix = NDArray[Any]


class Query(NamedTuple):
    """A query, and the end of its masked edge; None for no mask."""

    source: int
    step: int
    masked: int | None


def properties(facts: Facts, relations: int) -> dict[int, set[Property]]:
    """Return the properties of each entity: the step and the target of each edge."""
    found: dict[int, set[Property]] = defaultdict(set)
    for source, step, target in edges(facts, relations):
        found[source].add((step, target))
    return found


def property_weights(own: dict[int, set[Property]]) -> dict[Property, float]:
    """Return the weight of each property, in single precision: its number of entities to the power of -0.4."""
    counts = Counter(one for found in own.values() for one in found)
    return {one: float(np.float32(count**-0.4)) for one, count in counts.items()}


def kernel(facts: Facts, relations: int, entities: int) -> Matrix:
    """Return the weighted number of shared properties of all pairs, [entities, entities]."""
    own = properties(facts, relations)
    weights = property_weights(own)
    return np.array(
        [[sum(weights[one] for one in own[a] & own[b]) for b in range(entities)] for a in range(entities)], float
    )


def similarities(facts: Facts, relations: int, entities: int) -> Matrix:
    """Return `K (K + 10 I)^-1` without its diagonal, [entities, entities]."""
    matrix = kernel(facts, relations, entities)
    found = matrix @ np.linalg.inv(matrix + 10.0 * np.eye(entities))
    np.fill_diagonal(found, 0.0)
    return found


def unmasked_share(facts: Facts, relations: int, owner: int, other: int, masked: Property) -> float:
    """Return the share of the kernel of two entities that is left without a property of the first one."""
    own = properties(facts, relations)
    weights, shared = property_weights(own), own[owner] & own[other]
    return max(1.0 - weights[masked] / sum(weights[one] for one in shared), 0.0) if masked in shared else 1.0


def evidence(
    facts: Facts, relations: int, entities: int, similar: Matrix, weights: tuple[float, float], query: Query
) -> Matrix:
    """Return the evidence for each candidate of a query, [entities].

    Args:
        facts: The graph.
        relations: Number of relations.
        entities: Number of entities.
        similar: Similarity of each entity (row) to each other one, [entities, entities].
        weights: Weights of sources and of answers.
        query: The query. Its masked edge is no evidence, and neither is the property that it gives to either end.
    """
    source, step, masked = query
    back = inverse(step, facts, relations)
    left: set[Edge] = set(edges(facts, relations))
    if masked is not None:
        left -= {(source, step, masked), (masked, back, source)}
    scores = np.zeros(entities)
    for other, kind, candidate in left:
        if kind == step:
            share = 1.0 if masked is None else unmasked_share(facts, relations, source, other, (step, masked))
            scores[candidate] += weights[0] * similar[source, other] * share
        if (other, kind) == (source, step):  # `candidate` is a known answer
            for one in range(entities):
                share = 1.0
                if masked is not None and one == masked:
                    share = unmasked_share(facts, relations, one, candidate, (back, source))
                scores[one] += weights[1] * similar[candidate, one] * share
    return scores
