"""Relation algebras: composition tables computed from the semantics of the relations.

Points, intervals (Allen) and cardinal directions are enumerated over coordinates, the regions of
RCC-8 over small topological spaces. A table defines any other finite algebra.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from r5.errors import R5Error

__all__ = ["ALGEBRAS", "Algebra", "directions", "intervals", "named_algebra", "points", "regions"]


@dataclass(frozen=True, eq=False)
class Algebra:
    """Relation algebra: base relations, of which exactly one holds between any two objects, and their composition.

    >>> order = points()
    >>> order.compose("<", "<"), order.compose("<", ">")
    (('<',), ('<', '=', '>'))
    """

    names: tuple[str, ...]
    """Base relations."""
    table: NDArray[np.bool_]
    """Composition table, [relations, relations, relations]: first, second, allowed composition."""

    @classmethod
    def of(cls, compositions: Mapping[tuple[str, str], Collection[str]]) -> Algebra:
        """Build an algebra from its composition table.

        Args:
            compositions: Allowed compositions by pair of relations; a missing pair allows every relation.

        Raises:
            R5Error: A pair allows no relation.
        """
        names = tuple(sorted({name for pair, several in compositions.items() for name in (*pair, *several)}))
        place = {name: number for number, name in enumerate(names)}
        table = np.ones((len(names),) * 3, dtype=np.bool_)
        for (first, second), several in compositions.items():
            if not several:
                raise R5Error(f"{first} and {second} compose to nothing; expected at least one relation")
            table[place[first], place[second]] = False
            table[place[first], place[second], [place[name] for name in several]] = True
        return cls(names, table)

    def compose(self, first: str, second: str) -> tuple[str, ...]:
        """Return the relations that the composition of two relations allows."""
        allowed = self.table[self.names.index(first), self.names.index(second)]
        return tuple(name for name, yes in zip(self.names, allowed, strict=True) if yes)

    def along(self, path: Sequence[int]) -> NDArray[np.bool_]:
        """Return a mask of the relations that a path allows between its ends, [relations]."""
        possible = np.zeros(len(self.names), dtype=np.bool_)
        possible[path[0]] = True
        for relation in path[1:]:
            possible = self.table[possible, relation].any(axis=0)
        return possible

    @cached_property
    def pairs(self) -> list[tuple[int, int, frozenset[int]]]:
        """All pairs of relations, each with the set of allowed compositions."""
        every = itertools.product(range(len(self.names)), repeat=2)
        return [(a, b, frozenset(np.flatnonzero(self.table[a, b]).tolist())) for a, b in every]


def _enumerated(objects: Iterable[Any], relate: Callable[[Any, Any], str], names: Sequence[str]) -> Algebra:
    """Collect the compositions among objects that realise all of them."""
    every = list(objects)
    place = {name: number for number, name in enumerate(names)}
    between = np.array([[place[relate(x, y)] for y in every] for x in every])
    table = np.zeros((len(names),) * 3, dtype=np.bool_)
    for first, outer in itertools.product(range(len(every)), repeat=2):
        table[between[first], between[:, outer], between[first, outer]] = True
    return Algebra(tuple(names), table)


def _order(x: int, y: int) -> str:
    return "<" if x < y else ">" if x > y else "="


@cache
def points() -> Algebra:
    """Return the point algebra: before, equal, after."""
    return _enumerated(range(3), _order, ("<", "=", ">"))


@cache
def directions() -> Algebra:
    """Return the algebra of cardinal directions: n, ne, e, se, s, sw, w, nw and eq."""
    across = {"<": "w", "=": "", ">": "e"}
    along = {"<": "s", "=": "", ">": "n"}

    def relate(x: tuple[int, int], y: tuple[int, int]) -> str:
        return (along[_order(x[1], y[1])] + across[_order(x[0], y[0])]) or "eq"

    names = ("eq", "n", "ne", "e", "se", "s", "sw", "w", "nw")
    return _enumerated(itertools.product(range(3), repeat=2), relate, names)


_INTERVALS = {
    ("<", "<", "<", "<"): "<",
    ("<", "<", "=", "<"): "m",
    ("<", "<", ">", "<"): "o",
    ("=", "<", ">", "<"): "s",
    (">", "<", ">", "<"): "d",
    (">", "<", ">", "="): "f",
    ("=", "<", ">", "="): "=",
    ("<", "<", ">", "="): "fi",
    ("<", "<", ">", ">"): "di",
    ("=", "<", ">", ">"): "si",
    (">", "<", ">", ">"): "oi",
    (">", "=", ">", ">"): "mi",
    (">", ">", ">", ">"): ">",
}
"""Allen's relations by comparison of the ends: start with start, start with end, end with start, end with end."""


@cache
def intervals() -> Algebra:
    """Return Allen's interval algebra of thirteen relations; six points suffice for three intervals."""

    def relate(x: tuple[int, int], y: tuple[int, int]) -> str:
        return _INTERVALS[_order(x[0], y[0]), _order(x[0], y[1]), _order(x[1], y[0]), _order(x[1], y[1])]

    return _enumerated(itertools.combinations(range(6), 2), relate, tuple(_INTERVALS.values()))


# A topological space that distinguishes the relations of RCC-8 consists of forks: a border point with a leaf on
# either side. A regular region is a set of leaves. It touches a fork if it has one of its leaves, and the border point
# is in its interior if it has both. The kinds of forks (leaves in X, leaves in Y) determine the relation.
_Fork = tuple[frozenset[int], frozenset[int]]
_LEAVES = (frozenset[int](), frozenset({0}), frozenset({1}), frozenset({0, 1}))


def _touch(x: frozenset[int], y: frozenset[int]) -> bool:
    return bool(x) and bool(y)


def _overlap(x: frozenset[int], y: frozenset[int]) -> bool:
    return bool(x & y)


def _outside(x: frozenset[int], y: frozenset[int]) -> bool:
    return not x <= y


def _on_border(x: frozenset[int], y: frozenset[int]) -> bool:
    return bool(x) and len(y) < 2


def _some(x: frozenset[int], y: frozenset[int]) -> bool:
    return bool(x)


_Test = Callable[[frozenset[int], frozenset[int]], bool]
_REGIONS: dict[str, tuple[tuple[_Test, ...], tuple[_Test, ...]]] = {
    "DC": ((_touch,), (_some,)),
    "EC": ((_overlap,), (_touch,)),
    "PO": ((), (_overlap, _outside, lambda x, y: _outside(y, x))),
    "TPP": ((_outside,), (lambda x, y: _outside(y, x), _on_border)),
    "NTPP": ((_on_border,), (lambda x, y: _outside(y, x),)),
    "TPPI": ((lambda x, y: _outside(y, x),), (_outside, lambda x, y: _on_border(y, x))),
    "NTPPI": ((lambda x, y: _on_border(y, x),), (_outside,)),
    "EQ": ((lambda x, y: x != y,), (_some,)),
}
"""Tests by relation: those that no fork may satisfy, and those that some fork must satisfy."""


@cache
def regions() -> Algebra:
    """Return RCC-8: regions disconnected (DC), touching (EC), overlapping (PO), equal (EQ) or nested (TPP, NTPP)."""
    names = tuple(_REGIONS)
    forks = list(itertools.product(_LEAVES, repeat=3))
    table = np.zeros((len(names),) * 3, dtype=np.bool_)
    for place in np.ndindex(table.shape):
        demands = [
            (_REGIONS[names[number]], x, y) for number, (x, y) in zip(place, ((0, 1), (1, 2), (0, 2)), strict=True)
        ]
        # The space of all forks that no relation forbids is the largest model: if it fails a test, all models do.
        kinds = [f for f in forks if not any(bad(f[x], f[y]) for (never, _), x, y in demands for bad in never)]
        wanted = [(must, x, y) for (_, some), x, y in demands for must in some]
        alive = all(any(fork[region] for fork in kinds) for region in range(3))
        table[place] = alive and all(any(must(f[x], f[y]) for f in kinds) for must, x, y in wanted)
    return Algebra(names, table)


ALGEBRAS: dict[str, Callable[[], Algebra]] = {
    "rcc8": regions,
    "interval": intervals,
    "point": points,
    "directions": directions,
}


def named_algebra(name: str) -> Algebra:
    """Return a built-in algebra.

    Raises:
        R5Error: No algebra has this name.
    """
    if name not in ALGEBRAS:
        raise R5Error(f"no algebra is called {name!r}; there are {', '.join(ALGEBRAS)}")
    return ALGEBRAS[name]()
