"""Search: PUCT for one player over many trees at once, with the evaluator handed in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from r5.agent import search_kernels as kernels
from r5.agent.search_kernels import TreeArrays

__all__ = ["Expand", "Expansion", "Forest", "copy_into"]


@dataclass(frozen=True, slots=True, eq=False)
class Expansion:
    """What is behind some edges: for each a node with its actions, one after the other."""

    counts: NDArray[np.int32]  # [nodes], actions of each, at least one
    priors: NDArray[np.float64]  # [actions], rho, sums to 1 over each node
    outcomes: NDArray[np.float64]  # [actions], the value of an action whose end is certain, else not a number
    values: NDArray[np.float64]  # [nodes], nu


Expand = Callable[[NDArray[np.int64]], Expansion]
"""Tells what is behind these edges; the new nodes get the next numbers, in this order."""


class Forest:
    """Search trees of several episodes, kept in one pool."""

    def __init__(self, solving: bool = False, free_visits: int = 0) -> None:
        self.solving = solving
        self.free_visits = free_visits
        self.tree = _empty(1024, 4096)

    def clear(self) -> None:
        """Drop all trees, keep the room."""
        self.tree.sizes[:] = 0

    def add_roots(self, expansion: Expansion, above: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
        """New nodes to search from; `above` says behind which edges they are, if any."""
        self._reserve(expansion.counts.size, expansion.priors.size)
        nodes = np.arange(self.tree.sizes[0], self.tree.sizes[0] + expansion.counts.size)
        edges = np.full(nodes.size, -1) if above is None else above
        kernels.add_nodes(self.tree, edges, expansion.counts, expansion.priors, expansion.outcomes)
        return nodes

    def search(self, roots: NDArray[np.int64], simulations: int, exploration: float, expand: Expand) -> None:
        """Run so many simulations from each root; new nodes of all trees are expanded together."""
        remaining = np.full(roots.size, simulations)
        leaves = np.empty(roots.size, dtype=np.int64)
        while kernels.descend(self.tree, roots, remaining, exploration, self.solving, self.free_visits, leaves):
            found = expand(leaves[leaves >= 0])
            self._reserve(found.counts.size, found.priors.size)
            actions = (found.counts, found.priors, found.outcomes)
            kernels.grow(self.tree, roots, remaining, self.solving, leaves, *actions, found.values)

    def edges(self, node: int) -> slice:
        """Where a node's edges stand."""
        start = int(self.tree.first[node])
        return slice(start, start + int(self.tree.actions[node]))

    def choose(
        self, roots: NDArray[np.int64], draws: NDArray[np.float64], temperature: float
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """An edge of each root, drawn from pi at that temperature (0: the likeliest), and pi of all roots in a row."""
        edges = np.empty(roots.size, dtype=np.int64)
        policies = np.empty(int(self.tree.actions[roots].sum()))
        kernels.choose(self.tree, roots, draws, 1 / temperature if temperature else 0.0, self.solving, policies, edges)
        return edges, policies

    def add_noise(self, root: int, noise: NDArray[np.float64], share: float) -> None:
        """Mix noise into the priors of a root."""
        edges = self.edges(root)
        self.tree.prior[edges] = (1 - share) * self.tree.prior[edges] + share * noise

    def _reserve(self, nodes: int, edges: int) -> None:
        """See to it that so many nodes and edges can be added."""
        wanted = (int(self.tree.sizes[0]) + nodes, int(self.tree.sizes[1]) + edges)
        have = (self.tree.first.size, self.tree.owner.size)
        if wanted[0] <= have[0] and wanted[1] <= have[1]:
            return
        larger = _empty(max(2 * wanted[0], have[0]), max(2 * wanted[1], have[1]))
        copy_into(larger, self.tree)
        self.tree = larger


def copy_into(larger: tuple[Any, ...], arrays: tuple[Any, ...]) -> None:
    """Copy each array to the start of a larger one."""
    for new, kept in zip(larger, arrays, strict=True):
        new[: kept.shape[0]] = kept


def _empty(nodes: int, edges: int) -> TreeArrays:
    return TreeArrays(
        first=np.zeros(nodes, dtype=np.int64),
        actions=np.zeros(nodes, dtype=np.int32),
        above=np.zeros(nodes, dtype=np.int64),
        owner=np.zeros(edges, dtype=np.int32),
        child=np.zeros(edges, dtype=np.int32),
        prior=np.zeros(edges),
        visits=np.zeros(edges, dtype=np.int32),
        total=np.zeros(edges),
        outcome=np.zeros(edges),
        sizes=np.zeros(2, dtype=np.int64),
    )
