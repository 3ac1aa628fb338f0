"""States: the paths of many episodes at once, and what the agent sees of them (Section 2.1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from r5.agent import state_kernels as kernels
from r5.agent.memory import RuleMemory
from r5.agent.search import Expansion
from r5.agent.search_kernels import TreeArrays
from r5.agent.state_kernels import FEATURES, StateArrays

__all__ = ["Evaluator", "Pairs", "Paths", "States", "uniform"]

Paths = Sequence[Sequence[int]]
"""The relation sequences that connect one query."""


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """The relation pairs of some states, those of each state one after the other."""

    counts: NDArray[np.int32]  # [states]
    features: NDArray[np.float32]  # [pairs, FEATURES]
    left: NDArray[np.int32]  # [pairs], relation type: known relations, then one type for all invented, one for unseen
    right: NDArray[np.int32]  # [pairs]


Evaluator = Callable[[Pairs], tuple[NDArray[np.float64], NDArray[np.float64]]]
"""f_theta: the probabilities rho of the pairs, [pairs], and the values nu of the states, [states]."""


def uniform(pairs: Pairs) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The evaluator that knows nothing: equal probabilities and value 0 (the paper's ablation without network)."""
    return np.repeat(1.0 / pairs.counts, pairs.counts), np.zeros(pairs.counts.size)


class States:
    """The states of many episodes, numbered as the nodes of the search forest are.

    The memory is not changed while episodes run; a body that is not in it becomes `fresh`, one
    relation id that stands for all relations still to be invented.
    """

    def __init__(self, memory: RuleMemory, evaluate: Evaluator, extra_features: bool = False, lean: float = 0.0) -> None:
        self.memory = memory
        self.evaluate = evaluate
        self.extra_features = extra_features
        self.fresh = len(memory.vocabulary)
        self.merits = np.zeros(0)
        self.arrays = _empty(4096, 1024, 1024, 4096)
        self._largest = (0, 0)
        self.lean = lean
        self.prefer = 0.0
        self.trust = 0.0

    def start(self, episodes: Sequence[Paths], targets: Sequence[int]) -> Expansion:
        """Begin anew with these queries: nodes 0, 1, ...; each needs a path of two relations or more."""
        lengths = [len(path) for paths in episodes for path in paths]
        self.arrays.sizes[:] = 0
        self._reserve(sum(lengths), len(lengths), len(episodes))
        arrays = self.arrays
        arrays.relations[: sum(lengths)] = [relation for paths in episodes for path in paths for relation in path]
        arrays.path_length[: len(lengths)] = lengths
        arrays.path_start[: len(lengths)] = np.cumsum(lengths) - lengths
        arrays.paths[: len(episodes)] = [len(paths) for paths in episodes]
        arrays.first_path[: len(episodes)] = np.cumsum(arrays.paths[: len(episodes)]) - arrays.paths[: len(episodes)]
        arrays.target[: len(episodes)] = targets
        arrays.merit[: len(episodes)] = 0.0
        arrays.steps[: len(episodes)] = 0
        arrays.sizes[:3] = sum(lengths), len(lengths), len(episodes)
        self.merits = self.memory.merits()
        tokens = np.add.reduceat(lengths, arrays.first_path[: len(episodes)]) if episodes else np.zeros(1)
        self._largest = int(tokens.max()), int(arrays.paths[: len(episodes)].max(initial=0))
        return self._describe(np.arange(len(episodes)))

    def expand(self, tree: TreeArrays, edges: NDArray[np.int64]) -> Expansion:
        """The states behind these edges of the forest, which become the next nodes."""
        tokens, paths = self._largest
        self._reserve(edges.size * tokens, edges.size * paths, edges.size)
        first = int(self.arrays.sizes[2])
        kernels.merge_all(self.arrays, tree.owner, edges, self.merits, tree.prior, self.trust)
        return self._describe(np.arange(first, first + edges.size))

    def pairs(self, edges: NDArray[np.int64] | slice, counts: NDArray[np.int32]) -> Pairs:
        """The pairs on these edges as the evaluator sees them: relations by type."""
        known = self.memory.known
        types = []
        for side in (self.arrays.left[edges], self.arrays.right[edges]):
            kind = np.minimum(side, known)
            kind[side < 0] = known + 1
            types.append(kind)
        return Pairs(counts, self.arrays.features[edges], types[0], types[1])

    def paths_of(self, node: int) -> list[list[int]]:
        """The relation sequences of a state."""
        first = int(self.arrays.first_path[node])
        spans = range(first, first + int(self.arrays.paths[node]))
        starts, lengths = self.arrays.path_start, self.arrays.path_length
        return [self.arrays.relations[starts[i] : starts[i] + lengths[i]].tolist() for i in spans]

    def _describe(self, nodes: NDArray[np.int64]) -> Expansion:
        """The actions of these states and what the evaluator thinks of them."""
        self._reserve(0, 0, 0, nodes.size * self._largest[0])
        start = int(self.arrays.sizes[3])
        counts = np.empty(nodes.size, dtype=np.int32)
        outcomes = np.empty(nodes.size * self._largest[0])
        total = kernels.describe(
            self.arrays,
            nodes,
            self.memory.arrays,
            self.merits,
            self.memory.known,
            self.fresh,
            self.extra_features,
            self.lean,
            self.memory.values.v3,
            self.memory.values.v4,
            self.prefer,
            counts,
            outcomes,
        )
        priors, values = self.evaluate(self.pairs(slice(start, start + total), counts))
        return Expansion(counts, priors, outcomes[:total], values)

    def _reserve(self, tokens: int, paths: int, nodes: int, edges: int = 0) -> None:
        """See to it that so much can be added."""
        used = self.arrays.sizes.tolist()
        wanted = [u + more for u, more in zip(used, (tokens, paths, nodes, edges), strict=True)]
        have = [self.arrays[i].shape[0] for i in (0, 1, 3, 8)]
        if all(want <= room for want, room in zip(wanted, have, strict=True)):
            return
        old = self.arrays
        self.arrays = _empty(*(max(2 * want, room) for want, room in zip(wanted, have, strict=True)))
        for new, kept in zip(self.arrays[:-1], old[:-1], strict=True):
            new[: kept.shape[0]] = kept
        self.arrays.sizes[:] = old.sizes


def _empty(tokens: int, paths: int, nodes: int, edges: int) -> StateArrays:
    def whole(size: int) -> NDArray[np.int32]:
        return np.zeros(size, dtype=np.int32)

    return StateArrays(
        relations=whole(tokens),
        path_start=np.zeros(paths, dtype=np.int64),
        path_length=whole(paths),
        first_path=np.zeros(nodes, dtype=np.int64),
        paths=whole(nodes),
        target=whole(nodes),
        merit=np.zeros(nodes),
        steps=whole(nodes),
        left=whole(edges),
        right=whole(edges),
        row=whole(edges),
        head=whole(edges),
        features=np.zeros((edges, FEATURES), dtype=np.float32),
        sizes=np.zeros(4, dtype=np.int64),
    )
