"""Workspace: the scratch arrays of kernels, made once for each thread and reused for every relation."""

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
"""Function that is called between pieces of work of less than a second; it raises to stop the work."""


class Workspace:
    """Scratch arrays for walks over one graph and for training on it.

    Args:
        graph: The graph.
        frontier: Maximum number of entities that a prefix of a body may reach.
    """

    def __init__(self, graph: StepGraph, frontier: int) -> None:
        nodes = graph.number_of_nodes
        self.walker = new_walker(nodes, frontier)
        self.frontier, self._max_reached = frontier, min(frontier, nodes)
        self.reached = _new_reached(0, 0)
        self.unmasked = self._new_unmasked(0, 0, 0)
        self.marks = CandidateMarks(
            places=np.full(nodes, -1, np.int32),
            is_reached=np.zeros(nodes, np.bool_),
            known=np.zeros(nodes, np.bool_),
            reached=np.zeros(nodes, np.int32),
        )
        self.buffers = (FeatureBuffers(), FeatureBuffers())
        """Feature buffers of each direction of the current relation."""
        self.scores = np.zeros(nodes)
        self.flags = np.zeros(nodes, np.bool_)
        self.candidates = np.zeros(nodes + 1)
        self._scratch = TrainingScratch(
            scores=np.zeros(0),
            gradients=np.zeros((graph.number_of_steps, 4)),
            positions=np.full(nodes, -1, np.int32),
            entities=np.zeros(nodes, np.int32),
            entity_bias=np.zeros(nodes),
            errors=np.zeros(nodes),
            size=np.zeros(1, np.int64),
            start_gradient=np.zeros(1),
            kind_terms=np.zeros(graph.steps.kind_logs.size),
            kind_errors=np.zeros(graph.steps.kind_logs.size),
        )

    def reserve_rules(self, chains: int, constants: int = 0, reached: int = 0) -> None:
        """Enlarge `reached` for the rules of one step.

        Args:
            chains: Number of rules without constants.
            constants: Number of rules with constants.
            reached: Maximum number of entities that the rules with constants reach.
        """
        rules, entries = chains + constants, chains * self._max_reached + reached
        if self.reached.rules.size < rules or self.reached.entities.size < entries:
            self.reached = _new_reached(max(rules, self.reached.rules.size), max(entries, self.reached.entities.size))

    def reserve_queries(self, chains: int, prefixes: int, queries: int) -> None:
        """Enlarge `unmasked` for walks that several queries share.

        Args:
            chains: Number of bodies.
            prefixes: Number of prefixes of the bodies.
            queries: Maximum number of queries of one source.
        """
        sizes = (self.unmasked.reached.rules.size, *self.unmasked.at_answers.shape[:2])
        wanted = tuple(max(pair) for pair in zip(sizes, (chains, prefixes, queries), strict=True))
        if sizes != wanted:
            self.unmasked = self._new_unmasked(*wanted)

    def _new_unmasked(self, chains: int, prefixes: int, queries: int) -> UnmaskedWalks:
        """Return empty arrays of these sizes."""
        return UnmaskedWalks(
            prefixes=np.zeros(prefixes, np.int64),
            uses=np.zeros(prefixes, np.int64),
            size=np.zeros(1, np.int64),
            at_answers=np.empty((prefixes, queries, 2)),
            reached=_new_reached(chains, chains * self._max_reached, 3),
        )

    def scratch(self, candidates: int) -> TrainingScratch:
        """Return the scratch arrays of training for queries with up to this number of candidates."""
        if self._scratch.scores.size < candidates:
            self._scratch = self._scratch._replace(scores=np.zeros(candidates))
        return self._scratch


def _new_reached(rules: int, entries: int, features: int = 2) -> Reached:
    """Return empty arrays for a number of rules and of reached entities."""
    return Reached(
        rules=np.zeros(rules, np.int32),
        starts=np.zeros(rules + 1, np.int64),
        entities=np.empty(entries, np.uint32),
        features=np.empty((entries, features), np.float64),
    )


class FeatureBuffers:
    """Arrays of a feature store that are reused for every relation and only grow."""

    def __init__(self) -> None:
        self._arrays = FeatureStore(
            offered=np.zeros(1, np.int64),
            candidates=np.empty(0, np.int32),
            stands_for=np.empty(0, np.float32),
            used=np.zeros(1, np.int64),
            rules=np.zeros(1, np.uint32),
            starts=np.zeros(1, np.int64),
            places=np.empty(0, np.uint16),
            features=np.empty((0, 2), np.float32),
        )

    def store(self, queries: int, candidates: int, entries: int, kept: int = 0) -> FeatureStore:
        """Return a feature store of at least these sizes.

        Args:
            queries: Number of queries.
            candidates: Number of candidates of all queries.
            entries: Number of entries.
            kept: Number of entries whose contents stay, with their queries, candidates and uses.
        """
        uses = entries // 2 + 2
        sizes = (queries + 1, candidates, candidates, queries + 1, uses, uses + 1, entries, entries)
        self._arrays = FeatureStore(
            *(_enlarge(array, size, kept) for array, size in zip(self._arrays, sizes, strict=True))
        )
        return FeatureStore(*(array[:size] for array, size in zip(self._arrays, sizes, strict=True)))


def _enlarge(array: NDArray[Any], size: int, kept: int) -> NDArray[Any]:
    """Return the array, or a longer one with the same first `kept + 1` values."""
    if len(array) >= size:
        return array
    new = np.empty((size, *array.shape[1:]), array.dtype)
    copied = min(kept + 1, len(array))
    new[:copied] = array[:copied]
    return new
