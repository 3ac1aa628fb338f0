"""Room: the arrays that kernels work in, made once for each thread and used for one relation after the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from r5.chains.features.feature_kernels import CandidateMarks, FeatureStore
from r5.chains.features.masking_kernels import UnmaskedWalks
from r5.chains.features.walk_kernels import Reached, new_walker
from r5.chains.graph.step_graph import StepGraph
from r5.chains.training.weight_kernels import TrainingScratch

__all__ = ["FeatureBuffers", "Tick", "Workspace"]

Tick = Callable[[], None]
"""Called between pieces of work that each take well under a second; raises where the work must end."""


class Workspace:
    """Arrays for walks over one graph."""

    def __init__(self, graph: StepGraph, frontier: int) -> None:
        nodes = graph.number_of_nodes
        self.walker = new_walker(nodes, frontier)
        self.frontier, self._most = frontier, min(frontier, nodes)
        self.reached = _new_reached(0, 0)
        self.whole = self._new_whole(0, 0, 0)
        self.marks = CandidateMarks(
            np.full(nodes, -1, np.int32),
            np.zeros(nodes),
            np.zeros(nodes, np.bool_),
            np.zeros(nodes, np.int32),
            np.zeros(nodes, np.int64),
        )
        self.buffers = (FeatureBuffers(), FeatureBuffers())
        """For each direction of the relation that is learned."""
        self.scores = np.zeros(nodes)
        self.flags = np.zeros(nodes, np.bool_)
        self._desk = TrainingScratch(
            np.zeros(0),
            np.zeros((graph.number_of_steps, 4)),
            np.full(nodes, -1, np.int32),
            np.zeros(nodes, np.int32),
            np.zeros(nodes),
            np.zeros(nodes),
            np.zeros(1, np.int64),
            np.zeros(1),
            np.zeros(graph.steps.kind_logs.size),
            np.zeros(graph.steps.kind_logs.size),
        )

    def reserve_rules(self, chains: int, constants: int = 0, reached: int = 0) -> None:
        """See that so many chains can be followed, and so many rules with constants, which lead to so many entities."""
        rules, entries = chains + constants, chains * self._most + reached
        if self.reached.rules.size < rules or self.reached.entities.size < entries:
            self.reached = _new_reached(max(rules, self.reached.rules.size), max(entries, self.reached.entities.size))

    def reserve_queries(self, chains: int, prefixes: int, queries: int) -> None:
        """See that so many chains with so many prefixes can be followed once for so many questions."""
        have = (self.whole.reached.rules.size, *self.whole.at_answers.shape[:2])
        wanted = tuple(max(pair) for pair in zip(have, (chains, prefixes, queries), strict=True))
        if have != wanted:
            self.whole = self._new_whole(*wanted)

    def _new_whole(self, chains: int, prefixes: int, queries: int) -> UnmaskedWalks:
        return UnmaskedWalks(
            np.zeros(prefixes, np.int64),
            np.zeros(prefixes, np.int64),
            np.zeros(1, np.int64),
            np.empty((prefixes, queries, 2)),
            _new_reached(chains, chains * self._most),
        )

    def scratch(self, candidates: int) -> TrainingScratch:
        """Where weights are learned from questions with up to so many candidates."""
        if self._desk.scores.size < candidates:
            self._desk = self._desk._replace(scores=np.zeros(candidates))
        return self._desk


def _new_reached(rules: int, entries: int) -> Reached:
    return Reached(
        np.zeros(rules, np.int32),
        np.zeros(rules + 1, np.int64),
        np.empty(entries, np.uint32),
        np.empty((entries, 3), np.float64),
    )


class FeatureBuffers:
    """The arrays of a store, kept from one relation to the next, that only grow."""

    def __init__(self) -> None:
        whole, real = np.int64, np.float32
        self._arrays = FeatureStore(
            np.zeros(1, whole),
            np.empty(0, np.int32),
            np.empty(0, real),
            np.zeros(1, whole),
            np.zeros(1, np.uint32),
            np.zeros(1, whole),
            np.empty(0, np.uint16),
            np.empty((0, 3), real),
        )

    def store(self, queries: int, candidates: int, entries: int, kept: int = 0) -> FeatureStore:
        """Room for so many questions, candidates in all and entries; of what was in it so many entries stay."""
        uses = entries // 2 + 2
        sizes = (queries + 1, candidates, candidates, queries + 1, uses, uses + 1, entries, entries)
        self._arrays = FeatureStore(
            *(_grown(array, size, kept) for array, size in zip(self._arrays, sizes, strict=True))
        )
        return FeatureStore(*(array[:size] for array, size in zip(self._arrays, sizes, strict=True)))


def _grown(array: NDArray[Any], size: int, kept: int) -> NDArray[Any]:
    """The array, or a longer one that begins alike: with as much as so many entries can need, one more than they."""
    if len(array) >= size:
        return array
    new = np.empty((size, *array.shape[1:]), array.dtype)
    same = min(kept + 1, len(array))
    new[:same] = array[:same]
    return new
