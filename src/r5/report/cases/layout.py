"""Layout: where the entities around a path are drawn. The path itself lies on a line, one unit a step."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

__all__ = ["GAP", "place_beside"]

GAP = 0.62
"""The least distance between two entities of a row, in steps of the path."""
_LEAST_WIDTH = 4.0


def place_beside(
    walk: Sequence[int], others: Sequence[int], edges: Iterable[tuple[int, int]]
) -> dict[int, tuple[float, int]]:
    """A place for each of the others: how far along the path, and in which row beneath it (from 1).

    Each lies as near as can be under what it is joined to; nearer ones, which come first, in the upper rows.

    >>> place_beside([0, 1, 2], [3], [(2, 3), (0, 3)])
    {3: (1.0, 1)}
    """
    joined: dict[int, list[int]] = {}
    for one, other in edges:
        joined.setdefault(one, []).append(other)
        joined.setdefault(other, []).append(one)
    along: dict[int, float] = {}
    for place, node in enumerate(walk):
        along.setdefault(node, float(place))
    middle = (len(walk) - 1) / 2
    reach = max(len(walk) - 1.0, _LEAST_WIDTH)
    low, high = middle - reach / 2, middle + reach / 2
    fitting = int((high - low) / GAP) + 1
    placed: dict[int, tuple[float, int]] = {}
    for row, start in enumerate(range(0, len(others), fitting), start=1):
        members = others[start : start + fitting]
        wishes = {
            node: _mean([along[near] for near in joined.get(node, ()) if near in along], middle) for node in members
        }
        for node, at in _spread(wishes, low, high).items():
            along[node] = at
            placed[node] = (round(at, 2), row)
    return placed


def _mean(values: Sequence[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise


def _spread(wishes: Mapping[int, float], low: float, high: float) -> dict[int, float]:
    """Places in the order of the wishes, at least a gap apart and within the bounds, which have room for all."""
    order = sorted(wishes, key=lambda node: (wishes[node], node))
    places = [min(max(wishes[node], low), high) for node in order]
    for n in range(1, len(places)):
        places[n] = max(places[n], places[n - 1] + GAP)
    for back in range(len(places)):
        n = len(places) - 1 - back
        places[n] = min(places[n], high - GAP * back)
    return dict(zip(order, places, strict=True))
