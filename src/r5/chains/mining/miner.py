"""Miner: the chains of steps that connect the two ends of a relation's facts, each fact masked."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels.elementary_kernels import log
from r5.chains.graph.step_graph import IdArray, StepGraph
from r5.chains.mining.mining_kernels import BodyTable, Endings, MiningContext, mine, take_bodies
from r5.chains.settings import ChainSettings

__all__ = ["Miner", "longest_chain", "longest_number"]

_MAX_ENDINGS = 200_000
"""Maximum number of endings of one query."""
_CHUNK = 64
"""Number of queries between two calls of `tick`."""
_MIN_QUERIES = 5
"""Number of queries that the work must suffice for; it limits the work of one query."""


def longest_chain(facts: int, entities: int) -> int:
    """Return the maximum length of a body, from 3 to 5: walks of this length reach about 10,000 entities.

    Args:
        facts: Number of facts of the graph.
        entities: Number of entities of the graph.

    Example:
        >>> longest_chain(86_835, 40_559), longest_chain(5_216, 135)
        (5, 3)
    """
    mean = 2 * facts / max(entities, 1)
    return 5 if mean <= 1 else int(np.clip(float(log(10_000.0)) / float(log(mean)), 3, 5))


def longest_number(steps: int) -> int:
    """Return the maximum length of a body that one number of 63 bits can encode.

    Args:
        steps: Number of distinct steps.

    Example:
        >>> longest_number(22), longest_number(2_000_000)
        (13, 3)
    """
    length = 1
    while (steps + 1) ** (length + 1) < 1 << 63 and length < 63:
        length += 1
    return length


class Miner:
    """Search for bodies, with tables of some 40 megabytes that are reused for every relation.

    Args:
        graph: The graph of the facts.
        slots: Size of the hash table of bodies, a power of two. It holds up to two thirds as many bodies.
        max_degree: Maximum number of edges that are followed from one entity; of larger entities, a sample is.
    """

    def __init__(self, graph: StepGraph, slots: int = 1 << 20, max_degree: int = 1_000) -> None:
        self._graph, self._max_degree = graph, max_degree
        self._bodies = BodyTable(
            keys=np.zeros(slots, np.int64),
            scores=np.empty(slots),
            supports=np.empty(slots, np.int32),
            last=np.empty(slots, np.int32),
            filled=np.zeros(slots * 2 // 3, np.int32),
            size=np.zeros(1, np.int64),
        )
        self._taken = np.empty(self._bodies.filled.size, np.int64), np.empty(self._bodies.filled.size)
        self._endings = Endings(
            heads=np.full(graph.number_of_nodes, -1, np.int32),
            following=np.zeros(_MAX_ENDINGS, np.int32),
            starts=np.zeros(_MAX_ENDINGS, np.int32),
            middles=np.zeros(_MAX_ENDINGS, np.int32),
            first=np.zeros(_MAX_ENDINGS, np.int32),
            second=np.zeros(_MAX_ENDINGS, np.int32),
            probabilities=np.zeros(_MAX_ENDINGS),
            scratch=np.zeros((6, 6), np.int64),
            scratch_probabilities=np.zeros(6),
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
        """Return the bodies most likely to lead to the answers.

        Args:
            step: The step of all queries.
            sources: Source of each query, [queries].
            answers: Answer of each query, [queries].
            length: Maximum length of a body.
            settings: `mining_work`, `support` and `rules` are used.
            tick: Called between chunks of queries; raises to stop.

        Returns:
            The bodies, best first, and the mean walk probability of each, [bodies].
        """
        # Sparse graphs have longer chains, and more of them to tell apart.
        work, done = settings.mining_work * max(length - 2, 1), 0
        context = MiningContext(
            steps=self._graph.steps,
            endings=self._endings,
            bodies=self._bodies,
            length=length,
            max_degree=self._max_degree,
            query_work=max(work // _MIN_QUERIES, 1),
        )
        for first in range(0, sources.size, _CHUNK):
            part = slice(first, first + _CHUNK)
            work = mine(context, sources[part], step, answers[part], first, work)
            done = min(part.stop, sources.size)
            tick()
            if work <= 0:
                break
        count = take_bodies(self._bodies, settings.support, *self._taken)
        keys, scores = (column[:count] for column in self._taken)
        if count > settings.rules > 0:
            is_good = scores >= np.partition(scores, count - settings.rules)[count - settings.rules]
            keys, scores = keys[is_good], scores[is_good]
        best = np.lexsort((keys, -scores))[: settings.rules]
        base = self._graph.number_of_steps + 1
        return [_digits(key, base) for key in keys[best].tolist()], scores[best] / max(done, 1)


def _digits(key: int, base: int) -> tuple[int, ...]:
    """Return the steps of a body that is encoded as a number.

    >>> _digits(1 + 3 * 10, 10)
    (0, 2)
    """
    steps = []
    while key:
        key, digit = divmod(key, base)
        steps.append(digit - 1)
    return tuple(steps)
