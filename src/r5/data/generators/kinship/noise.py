"""Further edges beside a chain of relatives, of CLUTRR's kinds; all of them are true of the family."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from r5.data.generators.kinship.chains import Family

__all__ = ["NOISE", "Noise"]

Noise = Callable[[Family, list[int], np.random.Generator], "list[tuple[int, int]] | None"]
"""From a family and a chain to further pairs of people, or None where there are none to be had."""


def _clean(_family: Family, _chain: list[int], _rng: np.random.Generator) -> list[tuple[int, int]]:
    """Nothing but the chain."""
    return []


def _supporting(family: Family, chain: list[int], rng: np.random.Generator) -> list[tuple[int, int]] | None:
    """A second way between two neighbours of the chain, through one more person."""
    for place in rng.permutation(len(chain) - 1).tolist():
        source, target = chain[place : place + 2]
        people = [
            person
            for hidden, group in family.bridges(source, target)
            if not hidden
            for person in group
            if person not in chain
        ]
        if people:
            person = people[rng.integers(len(people))]
            return [(source, person), (person, target)]
    return None


def _irrelevant(family: Family, chain: list[int], rng: np.random.Generator) -> list[tuple[int, int]] | None:
    """A way that leaves the chain, half as long as it, and ends with others."""
    return _walk(family, list(chain), set(chain), len(chain) // 2, rng)


def _disconnected(family: Family, chain: list[int], rng: np.random.Generator) -> list[tuple[int, int]] | None:
    """A way among others, half as long as the chain, that never touches it."""
    others = [person for person in range(len(family.told)) if person not in chain]
    return _walk(family, others, set(chain), len(chain) // 2, rng)


def _walk(
    family: Family, starts: list[int], used: set[int], most: int, rng: np.random.Generator
) -> list[tuple[int, int]] | None:
    """A walk of at least one and at `most` edges from one of `starts`, on which nobody comes twice."""
    for start in rng.permutation(starts).tolist():
        pairs: list[tuple[int, int]] = []
        seen = used | {start}
        while len(pairs) < most:
            here = pairs[-1][1] if pairs else start
            fresh = [person for person in family.told[here] if person not in seen]
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
"""The kinds by name."""
