"""Noise edges beside a chain of relatives, of CLUTRR's kinds; all of them are true facts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from r5.data.generators.kinship.chains import Family

__all__ = ["NOISE", "Noise"]

Noise = Callable[[Family, list[int], np.random.Generator], "list[tuple[int, int]] | None"]
"""Function from a family and a chain to further pairs of people; None if there are none."""


def _clean(_family: Family, _chain: list[int], _rng: np.random.Generator) -> list[tuple[int, int]]:
    """Return no edges."""
    return []


def _supporting(family: Family, chain: list[int], rng: np.random.Generator) -> list[tuple[int, int]] | None:
    """Draw a second path between two neighbours of the chain, through another person."""
    for position in rng.permutation(len(chain) - 1).tolist():
        source, target = chain[position : position + 2]
        people = [
            person
            for indirect, group in family.bridges(source, target)
            if not indirect
            for person in group
            if person not in chain
        ]
        if people:
            person = people[rng.integers(len(people))]
            return [(source, person), (person, target)]
    return None


def _irrelevant(family: Family, chain: list[int], rng: np.random.Generator) -> list[tuple[int, int]] | None:
    """Draw a path that leaves the chain and is half as long."""
    return _walk(family, list(chain), set(chain), len(chain) // 2, rng)


def _disconnected(family: Family, chain: list[int], rng: np.random.Generator) -> list[tuple[int, int]] | None:
    """Draw a path disjoint from the chain and half as long."""
    others = [person for person in range(len(family.neighbours)) if person not in chain]
    return _walk(family, others, set(chain), len(chain) // 2, rng)


def _walk(
    family: Family, starts: list[int], used: set[int], most: int, rng: np.random.Generator
) -> list[tuple[int, int]] | None:
    """Draw a simple path of 1 to `most` edges that begins at one of `starts` and avoids `used`."""
    for start in rng.permutation(starts).tolist():
        pairs: list[tuple[int, int]] = []
        seen = used | {start}
        while len(pairs) < most:
            here = pairs[-1][1] if pairs else start
            fresh = [person for person in family.neighbours[here] if person not in seen]
            if not fresh:
                break
            pairs.append((here, fresh[rng.integers(len(fresh))]))
            seen.add(pairs[-1][1])
        if pairs:
            return pairs
    return None


NOISE: Mapping[str, Noise] = MappingProxyType(
    {"clean": _clean, "supporting": _supporting, "irrelevant": _irrelevant, "disconnected": _disconnected}
)
"""Kinds of noise by name."""
