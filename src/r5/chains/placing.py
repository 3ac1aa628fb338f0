"""Placing: where right answers stand, a few thousand questions at a time, here or by the workers of a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from r5.chains.answering import Answerer
from r5.chains.graph.known_answers import KnownAnswers
from r5.chains.steps import IdArray
from r5.parallel.cluster import Cluster, Shared
from r5.parallel.pickling import pack, unpack

__all__ = ["Placed", "placed"]

_AT_ONCE = 2048
"""Questions that a worker is given at once."""


class _Asked(NamedTuple):
    """Questions about one relation in one direction."""

    relation: int
    backwards: bool
    rows: IdArray
    sources: IdArray
    answers: IdArray


class Placed(NamedTuple):
    """How many candidates are better than, and how many as good as, the right answers of some facts."""

    rows: IdArray
    side: int
    """0 where the tail was asked for, 1 where the head was."""
    better: IdArray
    equal: IdArray


@dataclass
class _Elsewhere:
    """What places answers in another process."""

    shared: Shared[bytes]
    _here: tuple[Answerer, KnownAnswers] | None = None

    def __call__(self, asked: _Asked) -> tuple[IdArray, IdArray]:
        if self._here is None:
            graph, model, known = unpack(self.shared.value)
            self._here = Answerer(graph, model), known
        answerer, known = self._here
        return answerer.places(asked.relation, asked.backwards, asked.sources, asked.answers, known)


def placed(
    answerer: Answerer,
    facts: IdArray,
    known: KnownAnswers,
    tick: Callable[[str, int], None],
    cluster: Cluster | None = None,
) -> Iterator[Placed]:
    """The places of the tails and heads of facts, [facts, 3]; `tick` gets a relation and how many were answered."""
    names = answerer.graph.relations
    if cluster is None or cluster.is_local:
        for one in _asked(facts, len(facts)):
            told = partial(tick, names[one.relation])
            found = answerer.places(one.relation, one.backwards, one.sources, one.answers, known, told)
            yield Placed(one.rows, int(one.backwards), *found)
        return
    asked = list(_asked(facts, _AT_ONCE))
    work = _Elsewhere(cluster.share(pack((answerer.graph, answerer.model, known))))
    for one, found in zip(asked, cluster.stream(work, asked), strict=True):
        tick(names[one.relation], one.rows.size)
        yield Placed(one.rows, int(one.backwards), *found)


def _asked(facts: IdArray, most: int) -> Iterator[_Asked]:
    """The questions, by relation and direction, so many at once."""
    for relation in np.unique(facts[:, 1]).tolist():
        every = np.flatnonzero(facts[:, 1] == relation)
        for first in range(0, every.size, max(most, 1)):
            rows = every[first : first + most]
            heads, tails = facts[rows, 0], facts[rows, 2]
            yield _Asked(relation, False, rows, heads, tails)
            yield _Asked(relation, True, rows, tails, heads)
