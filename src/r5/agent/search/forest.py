"""Forest: PUCT search for one player over many trees at once, with the evaluator passed in."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from r5.agent.arrays import copy_rows
from r5.agent.search import policy_kernels, simulation_kernels, tree_kernels
from r5.agent.search.tree_kernels import Expansion, TreeArrays

__all__ = ["Expand", "Forest"]

Expand = Callable[[NDArray[np.int64]], Expansion]
"""Describes the nodes behind these edges, [edges]; they get the next node numbers, in this order."""


class Forest:
    """Search trees of several episodes in shared arrays.

    Attributes:
        solving: True to use solved nodes (beyond the paper).
        free_visits: Number of simulations in a row that may end in a solved part without being counted.
        tree: Arrays of all trees.
    """

    def __init__(self, solving: bool = False, free_visits: int = 0) -> None:
        self.solving = solving
        self.free_visits = free_visits
        self.tree = _empty(1024, 4096)

    def clear(self) -> None:
        """Remove all trees and keep the arrays."""
        self.tree.sizes[:] = 0

    def add_roots(self, expansion: Expansion, above: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
        """Add nodes to search from.

        Args:
            expansion: The nodes with their actions.
            above: Edge that leads to each node, [nodes]; None for none.

        Returns:
            The numbers of the nodes, [nodes].
        """
        self._reserve(expansion.counts.size, expansion.priors.size)
        nodes = np.arange(self.tree.sizes[0], self.tree.sizes[0] + expansion.counts.size)
        edges = np.full(nodes.size, -1) if above is None else above
        tree_kernels.add_nodes(self.tree, edges, expansion)
        return nodes

    def search(self, roots: NDArray[np.int64], simulations: int, exploration: float, expand: Expand) -> None:
        """Run simulations from each root; new nodes of all trees are expanded together.

        Args:
            roots: Root of each tree, [trees].
            simulations: Number of simulations for each root.
            exploration: c of PUCT.
            expand: Evaluator of new nodes.
        """
        remaining = np.full(roots.size, simulations)
        leaves = np.empty(roots.size, dtype=np.int64)
        while simulation_kernels.descend(
            self.tree, roots, remaining, exploration, self.solving, self.free_visits, leaves
        ):
            expansion = expand(leaves[leaves >= 0])
            self._reserve(expansion.counts.size, expansion.priors.size)
            simulation_kernels.expand_leaves(self.tree, roots, remaining, leaves, expansion, self.solving)

    def edges(self, node: int) -> slice:
        """Return the range of a node's edges."""
        start = int(self.tree.first[node])
        return slice(start, start + int(self.tree.actions[node]))

    def choose(
        self, roots: NDArray[np.int64], draws: NDArray[np.float64], temperature: float
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Choose an edge of each root, drawn from pi ** (1 / temperature).

        Args:
            roots: Root of each tree, [trees].
            draws: Random numbers in [0, 1), [trees].
            temperature: Temperature; 0 chooses the edge with the largest pi.

        Returns:
            The edges, [trees], and pi of all roots one after the other, [actions].
        """
        edges = np.empty(roots.size, dtype=np.int64)
        policies = np.empty(int(self.tree.actions[roots].sum()))
        power = 1 / temperature if temperature else 0.0
        policy_kernels.choose_moves(self.tree, roots, draws, power, self.solving, policies, edges)
        return edges, policies

    def add_noise(self, root: int, noise: NDArray[np.float64], fraction: float) -> None:
        """Mix noise, [actions], into the priors of a root."""
        edges = self.edges(root)
        self.tree.prior[edges] = (1 - fraction) * self.tree.prior[edges] + fraction * noise

    def _reserve(self, nodes: int, edges: int) -> None:
        """Ensure capacity for more nodes and edges."""
        wanted = (int(self.tree.sizes[0]) + nodes, int(self.tree.sizes[1]) + edges)
        have = (self.tree.first.size, self.tree.owner.size)
        if wanted[0] <= have[0] and wanted[1] <= have[1]:
            return
        larger = _empty(max(2 * wanted[0], have[0]), max(2 * wanted[1], have[1]))
        copy_rows(larger, self.tree)
        self.tree = larger


def _empty(nodes: int, edges: int) -> TreeArrays:
    """Return arrays for as many nodes and edges."""
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
