"""Trie: bodies of rules that begin alike share their first steps, so each prefix is followed once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from r5.chains.step_kernels import Trie

__all__ = ["Trie", "make_trie"]


def make_trie(bodies: Sequence[tuple[int, ...]], chosen: Iterable[int] | None = None) -> Trie:
    """The trie of distinct bodies, all or those chosen; rule i has the body i.

    >>> make_trie([(2,), (1, 2), (1,)]).following.tolist()
    [2, 2, 3]
    """
    steps: list[int] = []
    depths: list[int] = []
    rules: list[int] = []
    before: tuple[int, ...] = ()
    for rule in sorted(range(len(bodies)) if chosen is None else chosen, key=bodies.__getitem__):
        body = bodies[rule]
        shared = next((i for i, (a, b) in enumerate(zip(before, body, strict=False)) if a != b), len(before))
        for depth in range(shared, len(body)):
            steps.append(body[depth])
            depths.append(depth)
            rules.append(-1)
        rules[-1] = rule
        before = body
    following = np.full(len(steps), len(steps), dtype=np.int64)
    waiting: list[int] = []
    for place, depth in enumerate(depths):
        while waiting and depths[waiting[-1]] >= depth:
            following[waiting.pop()] = place
        waiting.append(place)
    first = [place for place, depth in enumerate(depths) if depth == 0]
    kinds = [steps[place] for place in first]
    later = np.searchsorted(kinds, np.arange(kinds[-1] + 1 if kinds else 0))
    roots = np.array(first, np.int64)[later]
    return Trie(np.array(steps, np.int32), np.array(depths, np.int32), np.array(rules, np.int32), following, roots)
