"""Room: the arrays that kernels work in, made once for each thread and used for one relation after the other."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from r5.chains.feature_kernels import Marks, Store
from r5.chains.steps import StepGraph
from r5.chains.walk_kernels import Reached, new_walker

__all__ = ["Room", "Tick", "new_store"]

Tick = Callable[[], None]
"""Called between pieces of work that each take well under a second; raises where the work must end."""


class Room:
    """Arrays for walks over one graph."""

    def __init__(self, graph: StepGraph, frontier: int) -> None:
        nodes = graph.number_of_nodes
        self.walker = new_walker(nodes, frontier)
        self._most = min(frontier, nodes)
        self.reached = _new_reached(0, 0)
        self.marks = Marks(
            np.full(nodes, -1, np.int32),
            np.zeros(nodes),
            np.zeros(nodes, np.bool_),
            np.zeros(nodes, np.int32),
            np.zeros(nodes, np.int64),
        )
        self.scores = np.zeros(nodes)
        self.flags = np.zeros(nodes, np.bool_)

    def for_rules(self, rules: int) -> None:
        """See that so many rules can be followed."""
        if self.reached.rules.size < rules:
            self.reached = _new_reached(rules, rules * self._most)


def _new_reached(rules: int, entries: int) -> Reached:
    return Reached(
        np.zeros(rules, np.int32),
        np.zeros(rules + 1, np.int64),
        np.empty(entries, np.int32),
        np.empty((entries, 3), np.float64),
    )


def new_store(questions: int, candidates: int, entries: int, old: Store | None = None) -> Store:
    """Room for so many questions, candidates in all and entries; with what an older one holds."""
    store = Store(
        np.zeros(questions + 1, np.int64),
        np.empty(candidates, np.int32),
        np.empty(candidates, np.float32),
        np.zeros(questions + 1, np.int64),
        np.zeros(entries // 2 + 2, np.int32),
        np.zeros(entries // 2 + 3, np.int64),
        np.empty(entries, np.int16),
        np.empty((entries, 3), np.float32),
    )
    if old is not None:
        for new, before in zip(store, old, strict=True):
            new[: len(before)] = before
    return store
