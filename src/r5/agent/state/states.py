"""States: the paths of many episodes at once, and the pairs that the agent sees of them (Section 2.1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from r5.agent.arrays import copy_rows
from r5.agent.beyond.rule_shares import log_shares
from r5.agent.memory.rule_memory import RuleMemory
from r5.agent.search.tree_kernels import Expansion, TreeArrays
from r5.agent.settings import R5Settings
from r5.agent.state.description_kernels import DescriptionOptions, describe
from r5.agent.state.feature_kernels import FEATURES, OCCURRENCE_COLUMNS, RuleContext, Scratch
from r5.agent.state.state_kernels import StateArrays, find_ends, merge_pairs

__all__ = ["Evaluator", "Pairs", "Paths", "States", "uniform"]

Paths = Sequence[Sequence[int]]
"""Relation sequences that connect the two entities of one query."""


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Relation pairs of some states; the pairs of each state follow those of the state before."""

    counts: NDArray[np.int32]
    """[states], number of pairs."""
    features: NDArray[np.float32]
    """[pairs, FEATURES]."""
    left: NDArray[np.int32]
    """[pairs], type of the first relation: known relations, then one type for invented and one for unseen ones."""
    right: NDArray[np.int32]
    """[pairs], type of the second relation."""


Evaluator = Callable[[Pairs], tuple[NDArray[np.float64], NDArray[np.float64]]]
"""f_theta: the probabilities rho of the pairs, [pairs], and the values nu of the states, [states]."""


def uniform(pairs: Pairs) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Evaluate without a network: equal probabilities and value 0 (Table 6, R5 w/o PVN).

    Args:
        pairs: The pairs of the states.

    Returns:
        rho, [pairs], and nu, [states].
    """
    return np.repeat(1.0 / pairs.counts, pairs.counts), np.zeros(pairs.counts.size)


class States:
    """States of many episodes, numbered as the nodes of the search forest.

    The memory does not change during episodes. A body without a rule becomes `fresh`, one id for all relations still
    to be invented.

    Attributes:
        memory: The rule memory.
        evaluate: The policy-value network or `uniform`.
        settings: Hyperparameters.
        fresh: Id of a relation still to be invented.
        arrays: The states as arrays.
    """

    def __init__(self, memory: RuleMemory, evaluate: Evaluator, settings: R5Settings) -> None:
        self.memory = memory
        self.evaluate = evaluate
        self.settings = settings
        self.fresh = len(memory.vocabulary)
        self.arrays = _empty(4096, 1024, 1024, 4096)
        self._options = DescriptionOptions(
            extra_features=settings.extra_features,
            solving=settings.solved_nodes,
            by_shares=settings.ending_value == "shares",
        )
        self._log_shares = np.zeros(0)
        self._largest = (0, 0)
        self._scratch = _empty_scratch(0, 0)

    def start(
        self, episodes: Sequence[Paths], targets: Sequence[int], shares: Sequence[float] = (), steps: Sequence[int] = ()
    ) -> Expansion:
        """Replace all states by the first states of these queries, nodes 0, 1, ...

        Args:
            episodes: Paths of each query, at least one of two relations or more.
            targets: y of each query; -1 where search does not see it.
            shares: Sum of the log shares of the rules used before, for each query.
            steps: Number of merges made before, for each query.

        Returns:
            The nodes with their actions.
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
        self._log_shares = log_shares(self.memory)
        tokens = np.add.reduceat(lengths, arrays.first_path[: len(episodes)]) if episodes else np.zeros(1)
        self._largest = int(tokens.max()), int(arrays.paths[: len(episodes)].max(initial=0))
        self._scratch = _empty_scratch(self._largest[0], max(lengths, default=0))
        self._reserve(0, 0, 0, sum(lengths))
        return self._describe(np.arange(len(episodes)))

    def restart(self, nodes: NDArray[np.int64]) -> Expansion:
        """Replace all states by the states of these nodes, [nodes], which frees the space of the others."""
        arrays = self.arrays
        kept = (arrays.target[nodes].tolist(), arrays.log_share[nodes].tolist(), arrays.steps[nodes].tolist())
        return self.start([self.paths_of(node) for node in nodes.tolist()], *kept)

    def expand(self, tree: TreeArrays, edges: NDArray[np.int64]) -> Expansion:
        """Add the states behind these edges, [edges], of the search tree; they become the next nodes."""
        tokens, paths = self._largest
        self._reserve(edges.size * tokens, edges.size * paths, edges.size, edges.size * tokens)
        first = int(self.arrays.sizes[2])
        merge_pairs(self.arrays, tree.owner, edges, self._log_shares)
        return self._describe(np.arange(first, first + edges.size))

    def pairs(self, edges: NDArray[np.int64] | slice, counts: NDArray[np.int32]) -> Pairs:
        """Return the pairs on these edges as the evaluator sees them; `counts`, [states], are the pairs of each."""
        arrays = self.arrays
        return Pairs(counts, arrays.features[edges], arrays.left_type[edges], arrays.right_type[edges])

    def ends(self, nodes: NDArray[np.int64], edges: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which of these merges, an edge of a node each, leave a path of one relation, [merges]."""
        ended = np.empty(nodes.size, dtype=np.bool_)
        find_ends(self.arrays, nodes, edges, ended)
        return ended

    def paths_of(self, node: int) -> list[list[int]]:
        """Return the relation sequences of a state."""
        first = int(self.arrays.first_path[node])
        numbers = range(first, first + int(self.arrays.paths[node]))
        starts, lengths = self.arrays.path_start, self.arrays.path_length
        return [self.arrays.relations[starts[i] : starts[i] + lengths[i]].tolist() for i in numbers]

    def _describe(self, nodes: NDArray[np.int64]) -> Expansion:
        """Return the actions of these states with the evaluator's priors and values."""
        start = int(self.arrays.sizes[3])
        counts = np.empty(nodes.size, dtype=np.int32)
        outcomes = np.empty(nodes.size * self._largest[0])
        rules = RuleContext(
            memory=self.memory.arrays, log_shares=self._log_shares, known=self.memory.known, fresh=self.fresh
        )
        total = describe(self.arrays, nodes, rules, self._options, self._scratch, counts, outcomes)
        priors, values = self.evaluate(self.pairs(slice(start, start + total), counts))
        return Expansion(counts=counts, priors=priors, outcomes=outcomes[:total], values=values)

    def _reserve(self, tokens: int, paths: int, nodes: int, edges: int = 0) -> None:
        """Ensure capacity for more tokens, paths, nodes and edges."""
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
        larger = _empty(*(max(2 * want, size) for want, size in zip(wanted, have, strict=True)))
        copy_rows(larger, self.arrays)
        self.arrays = larger


def _empty_scratch(tokens: int, longest: int) -> Scratch:
    """Return scratch arrays for states of at most `tokens` relations on paths of at most `longest`."""
    slots = 1 << (2 * tokens + 2).bit_length()
    return Scratch(
        slots=np.full((slots, 2), -1), occurrences=np.empty((tokens, OCCURRENCE_COLUMNS + longest), dtype=np.int32)
    )


def _empty(tokens: int, paths: int, nodes: int, edges: int) -> StateArrays:
    """Return arrays of these sizes."""

    def int32(size: int) -> NDArray[np.int32]:
        return np.zeros(size, dtype=np.int32)

    return StateArrays(
        relations=int32(tokens),
        path_start=np.zeros(paths, dtype=np.int64),
        path_length=int32(paths),
        first_path=np.zeros(nodes, dtype=np.int64),
        paths=int32(nodes),
        target=int32(nodes),
        log_share=np.zeros(nodes),
        steps=int32(nodes),
        left=int32(edges),
        right=int32(edges),
        left_type=int32(edges),
        right_type=int32(edges),
        row=int32(edges),
        head=int32(edges),
        features=np.zeros((edges, FEATURES), dtype=np.float32),
        sizes=np.zeros(4, dtype=np.int64),
    )
