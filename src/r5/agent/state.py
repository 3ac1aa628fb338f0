"""States: the paths of many episodes at once, and what the agent sees of them (Section 2.1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from r5.agent import state_kernels as kernels
from r5.agent.beyond.shares import log_shares
from r5.agent.memory import RuleMemory
from r5.agent.search import Expansion, copy_into
from r5.agent.search_kernels import TreeArrays
from r5.agent.settings import R5Settings
from r5.agent.state_kernels import FEATURES, TALLY, StateArrays

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

    def __init__(self, memory: RuleMemory, evaluate: Evaluator, settings: R5Settings) -> None:
        self.memory = memory
        self.evaluate = evaluate
        self.settings = settings
        self.fresh = len(memory.vocabulary)
        self.log_shares = np.zeros(0)
        self.arrays = _empty(4096, 1024, 1024, 4096)
        self._largest = (0, 0)
        self._work = _working_memory(0, 0)

    def start(
        self, episodes: Sequence[Paths], targets: Sequence[int], shares: Sequence[float] = (), steps: Sequence[int] = ()
    ) -> Expansion:
        """Begin anew with these queries: nodes 0, 1, ...; each needs a path of two relations or more.

        `shares`, logarithms summed up, and `steps` tell of merges made before, if any.
        """
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
        arrays.log_share[: len(episodes)] = shares or 0.0
        arrays.steps[: len(episodes)] = steps or 0
        arrays.sizes[:3] = sum(lengths), len(lengths), len(episodes)
        self.log_shares = log_shares(self.memory)
        tokens = np.add.reduceat(lengths, arrays.first_path[: len(episodes)]) if episodes else np.zeros(1)
        self._largest = int(tokens.max()), int(arrays.paths[: len(episodes)].max(initial=0))
        self._work = _working_memory(self._largest[0], max(lengths, default=0))
        self._reserve(0, 0, 0, sum(lengths))
        return self._describe(np.arange(len(episodes)))

    def restart(self, nodes: NDArray[np.int64]) -> Expansion:
        """Begin anew with the states of these nodes, to free the room that all others take."""
        arrays = self.arrays
        kept = (arrays.target[nodes].tolist(), arrays.log_share[nodes].tolist(), arrays.steps[nodes].tolist())
        return self.start([self.paths_of(node) for node in nodes.tolist()], *kept)

    def expand(self, tree: TreeArrays, edges: NDArray[np.int64]) -> Expansion:
        """The states behind these edges of the forest, which become the next nodes."""
        tokens, paths = self._largest
        self._reserve(edges.size * tokens, edges.size * paths, edges.size, edges.size * tokens)
        first = int(self.arrays.sizes[2])
        kernels.merge_all(self.arrays, tree.owner, edges, self.log_shares)
        return self._describe(np.arange(first, first + edges.size))

    def pairs(self, edges: NDArray[np.int64] | slice, counts: NDArray[np.int32]) -> Pairs:
        """The pairs on these edges as the evaluator sees them: relations by type."""
        arrays = self.arrays
        return Pairs(counts, arrays.features[edges], arrays.left_type[edges], arrays.right_type[edges])

    def ends(self, nodes: NDArray[np.int64], edges: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which of these merges, each of a state, leave a path of one relation."""
        ended = np.empty(nodes.size, dtype=np.bool_)
        kernels.ends(self.arrays, nodes, edges, ended)
        return ended

    def paths_of(self, node: int) -> list[list[int]]:
        """The relation sequences of a state."""
        first = int(self.arrays.first_path[node])
        spans = range(first, first + int(self.arrays.paths[node]))
        starts, lengths = self.arrays.path_start, self.arrays.path_length
        return [self.arrays.relations[starts[i] : starts[i] + lengths[i]].tolist() for i in spans]

    def _describe(self, nodes: NDArray[np.int64]) -> Expansion:
        """The actions of these states and what the evaluator thinks of them."""
        start = int(self.arrays.sizes[3])
        counts = np.empty(nodes.size, dtype=np.int32)
        outcomes = np.empty(nodes.size * self._largest[0])
        total = kernels.describe(
            self.arrays,
            nodes,
            self.memory.arrays,
            self.log_shares,
            self.memory.known,
            self.fresh,
            self.settings.extra_features,
            self.settings.solved_nodes,
            self.settings.ending_value == "shares",
            counts,
            outcomes,
            *self._work,
        )
        priors, values = self.evaluate(self.pairs(slice(start, start + total), counts))
        return Expansion(counts, priors, outcomes[:total], values)

    def _reserve(self, tokens: int, paths: int, nodes: int, edges: int = 0) -> None:
        """See to it that so much can be added."""
        used = self.arrays.sizes
        arrays = self.arrays
        if (
            used[0] + tokens <= arrays.relations.shape[0]
            and used[1] + paths <= arrays.path_start.shape[0]
            and used[2] + nodes <= arrays.first_path.shape[0]
            and used[3] + edges <= arrays.left.shape[0]
        ):
            return
        have = [array.shape[0] for array in (arrays.relations, arrays.path_start, arrays.first_path, arrays.left)]
        wanted = [u + more for u, more in zip(used.tolist(), (tokens, paths, nodes, edges), strict=True)]
        larger = _empty(*(max(2 * want, room) for want, room in zip(wanted, have, strict=True)))
        copy_into(larger, self.arrays)
        self.arrays = larger


def _working_memory(tokens: int, longest: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """What the kernels need to describe states of at most so many relations, on paths of at most so many."""
    slots = 1 << (2 * tokens + 2).bit_length()
    return np.full((slots, 2), -1), np.empty((tokens, TALLY + longest), dtype=np.int32)


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
        log_share=np.zeros(nodes),
        steps=whole(nodes),
        left=whole(edges),
        right=whole(edges),
        left_type=whole(edges),
        right_type=whole(edges),
        row=whole(edges),
        head=whole(edges),
        features=np.zeros((edges, FEATURES), dtype=np.float32),
        sizes=np.zeros(4, dtype=np.int64),
    )
