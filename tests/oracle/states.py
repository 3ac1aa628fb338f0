"""Pairs of a state and their features with plain loops: the slow twin of `r5.agent.state.states`."""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise

from r5._util.kernels.elementary_kernels import log

Pair = tuple[int, int]


def _log1p(number: float) -> float:
    return float(log(1.0 + number))


def merged(paths: list[list[int]], pair: Pair, head: int) -> list[list[int]]:
    """The paths that have the pair, each with its first occurrence replaced by the head."""
    found = []
    for path in paths:
        places = [i for i, there in enumerate(pairwise(path)) if there == pair]
        if places:
            found.append([*path[: places[0]], head, *path[places[0] + 2 :]])
    return found


def describe(
    paths: list[list[int]], rules: dict[Pair, tuple[int, float]], known: int, extra: bool
) -> dict[Pair, list[float]]:
    """The features of each pair that occurs, in the order of appearance."""
    described = {}
    for pair in dict.fromkeys(pair for path in paths for pair in pairwise(path)):
        places = Counter(i for path in paths for i, there in enumerate(pairwise(path)) if there == pair)
        in_paths = [sum(there == pair for there in pairwise(path)) for path in paths]
        most = max(places.values())
        head, score = rules.get(pair, (None, 0.0))
        described[pair] = [
            _log1p(sum(places.values())),
            _log1p(min(place for place, times in places.items() if times == most)),
            _log1p(most),
            float(pair in rules),
            float(all(0 <= relation < known for relation in pair)),
            float(head is not None and head < known),
            math.copysign(_log1p(abs(score)), score),
            _log1p(max(in_paths)) if extra else 0.0,
            _log1p(min(in_paths)) if extra else 0.0,
        ]
    return described
