"""Which chains connect the two ends of a relation's facts, each fact hidden while it is looked at."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels.elementary_kernels import log
from r5.chains.graph.step_graph import IdArray, StepGraph
from r5.chains.mining.mining_kernels import Bodies, Endings, mine
from r5.chains.settings import ChainSettings

__all__ = ["Miner", "longest_chain", "longest_number"]

_ENDINGS = 200_000
_SLICE = 64
"""Questions that are looked at between two looks at the clock."""
_QUERIES = 5
"""No question takes much more than its share of the work if there were so many."""


def longest_chain(facts: int, entities: int) -> int:
    """As long as walks from an entity lead to fewer than 10,000 others: between 3 and 5.

    >>> longest_chain(86_835, 40_559), longest_chain(5_216, 135)
    (5, 3)
    """
    mean = 2 * facts / max(entities, 1)
    return 5 if mean <= 1 else int(np.clip(float(log(10_000.0)) / float(log(mean)), 3, 5))


def longest_number(steps: int) -> int:
    """How many of so many steps fit in one number of 63 bits.

    >>> longest_number(22), longest_number(2_000_000)
    (13, 3)
    """
    length = 1
    while (steps + 1) ** (length + 1) < 1 << 63 and length < 63:
        length += 1
    return length


class Miner:
    """Finds bodies; keeps its tables, some 40 megabytes, from one relation to the next.

    There is room for two thirds as many bodies as `slots`, a power of two. Of an entity with more edges than `fan` no
    more than these are followed.
    """

    def __init__(self, graph: StepGraph, slots: int = 1 << 20, fan: int = 1_000) -> None:
        self._graph, self._fan = graph, fan
        whole, real = np.int64, np.float64
        self._bodies = Bodies(
            np.zeros(slots, whole),
            np.zeros(slots, real),
            np.zeros(slots, np.int32),
            np.full(slots, -1, np.int32),
            np.zeros(slots * 2 // 3, np.int32),
            np.zeros(1, whole),
        )
        self._endings = Endings(
            np.full(graph.number_of_nodes, -1, np.int32),
            np.zeros(_ENDINGS, np.int32),
            np.zeros(_ENDINGS, np.int32),
            np.zeros(_ENDINGS, np.int32),
            np.zeros(_ENDINGS, np.int32),
            np.zeros(_ENDINGS, np.int32),
            np.zeros(_ENDINGS, real),
            np.zeros((6, 6), whole),
            np.zeros(6, real),
        )

    def bodies(
        self,
        step: int,
        sources: IdArray,
        answers: IdArray,
        length: int,
        settings: ChainSettings,
        tick: Callable[[], None],
    ) -> tuple[list[tuple[int, ...]], NDArray[np.float64]]:
        """The bodies most likely to lead to the answers, best first, and the mean probability of each."""
        # Longer chains are found on graphs that are sparse, where there are more of them to tell apart.
        steps, work, asked = self._graph.steps, settings.mining_work * max(length - 2, 1), 0
        most = max(work // _QUERIES, 1)
        for first in range(0, sources.size, _SLICE):
            part = slice(first, first + _SLICE)
            work = mine(
                steps,
                sources[part],
                step,
                answers[part],
                first,
                length,
                work,
                most,
                self._fan,
                self._endings,
                self._bodies,
            )
            asked = min(part.stop, sources.size)
            tick()
            if work <= 0:
                break
        slots = self._bodies.filled[: int(self._bodies.size[0])]
        keys, scores = self._bodies.keys[slots], self._bodies.scores[slots]
        enough = self._bodies.supports[slots] >= settings.support
        self._clear()
        keys, scores = keys[enough], scores[enough]
        best = np.lexsort((keys, -scores))[: settings.rules]
        base = self._graph.number_of_steps + 1
        return [_digits(key, base) for key in keys[best].tolist()], scores[best] / max(asked, 1)

    def _clear(self) -> None:
        slots = self._bodies.filled[: int(self._bodies.size[0])]
        self._bodies.keys[slots] = 0
        self._bodies.scores[slots] = 0.0
        self._bodies.supports[slots] = 0
        self._bodies.last[slots] = -1
        self._bodies.size[0] = 0


def _digits(key: int, base: int) -> tuple[int, ...]:
    """The steps of a body.

    >>> _digits(1 + 3 * 10, 10)
    (0, 2)
    """
    steps = []
    while key:
        key, digit = divmod(key, base)
        steps.append(digit - 1)
    return tuple(steps)
