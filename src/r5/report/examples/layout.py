"""Layout of the entities around a path; the path itself lies on a line, one unit per step."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

__all__ = ["GAP", "place_beside"]

GAP = 0.62
"""Minimum distance of two entities of a row, in steps of the path."""
_MIN_WIDTH = 4.0


def place_beside(
    walk: Sequence[int], others: Sequence[int], edges: Iterable[tuple[int, int]]
) -> dict[int, tuple[float, int]]:
    """Return the position of each other entity: distance along the path, and row below it (from 1).

    Each entity is as close as possible to the mean of its neighbours. The first entities are in the upper rows.

    Args:
        walk: Entities of the path.
        others: Entities beside it, those joined to the path first.
        edges: Pairs of entities that an edge joins.

    >>> place_beside([0, 1, 2], [3], [(2, 3), (0, 3)])
    {3: (1.0, 1)}
    """
    neighbours: dict[int, list[int]] = {}
    for one, other in edges:
        neighbours.setdefault(one, []).append(other)
        neighbours.setdefault(other, []).append(one)
    along: dict[int, float] = {}
    for position, node in enumerate(walk):
        along.setdefault(node, float(position))
    middle = (len(walk) - 1) / 2
    reach = max(len(walk) - 1.0, _MIN_WIDTH)
    low, high = middle - reach / 2, middle + reach / 2
    fitting = int((high - low) / GAP) + 1
    placed: dict[int, tuple[float, int]] = {}
    for row, start in enumerate(range(0, len(others), fitting), start=1):
        members = others[start : start + fitting]
        wanted = {
            node: _mean([along[near] for near in neighbours.get(node, ()) if near in along], middle) for node in members
        }
        for node, at in _separate(wanted, low, high).items():
            along[node] = at
            placed[node] = (round(at, 2), row)
    return placed


def _mean(values: Sequence[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise


def _separate(wanted: Mapping[int, float], low: float, high: float) -> dict[int, float]:
    """Return positions in the order of the wanted ones, at least a gap apart and within the bounds."""
    order = sorted(wanted, key=lambda node: (wanted[node], node))
    places = [min(max(wanted[node], low), high) for node in order]
    for n in range(1, len(places)):
        places[n] = max(places[n], places[n - 1] + GAP)
    for back in range(len(places)):
        n = len(places) - 1 - back
        places[n] = min(places[n], high - GAP * back)
    return dict(zip(order, places, strict=True))
