"""RelationIndex: adjacency lists of each relation of a graph, including inverse relations, for the kernels."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
from numpy.typing import NDArray

from r5._util.arrays import IntArray
from r5.graph import Graph
from r5.relations import inverse_name
from r5.rules import support_kernels as kernels
from r5.rules.support_kernels import Adjacency, Sets

__all__ = ["RelationIndex"]

_LONG_ROW = 4
"""Targets per 64-bit word of a bit set above which a row has a bit set."""


class RelationIndex:
    """Distinct edges of some relations in CSR form: from `nodes[i]` to `targets[offsets[i]:offsets[i + 1]]`.

    A relation holds between two nodes if the graph has such an edge, or a reversed edge of the inverse relation.
    Added inverse edges therefore make no difference.

    Args:
        graph: The graph.
        names: Relations to index.
    """

    def __init__(self, graph: Graph, names: Collection[str]) -> None:
        self.number_of_nodes = graph.number_of_nodes
        self._names = {name: number for number, name in enumerate(sorted(names))}
        relations, sources, self.targets = map(np.ascontiguousarray, _distinct(_edges(graph, self._names)))
        new = np.ones(relations.size, dtype=bool)
        new[1:] = (relations[1:] != relations[:-1]) | (sources[1:] != sources[:-1])
        first = np.flatnonzero(new)
        self.nodes = sources[first]
        self.offsets = np.append(first, relations.size)
        self._rows = np.searchsorted(relations[first], np.arange(len(names) + 1))
        self._row = np.full(self.number_of_nodes, -1, np.int32)
        self._filled = slice(0, 0)
        self._long: dict[str, tuple[IntArray, NDArray[np.uint64]]] = {}

    def rows(self, name: str) -> tuple[int, int]:
        """Return the range of a relation's rows."""
        number = self._names[name]
        return int(self._rows[number]), int(self._rows[number + 1])

    def number_of_pairs(self, name: str, loops: bool) -> int:
        """Return the number of pairs of a relation, with or without pairs of a node with itself."""
        first, last = self.rows(name)
        start, stop = self.offsets[first], self.offsets[last]
        if loops:
            return int(stop - start)
        sources = np.repeat(self.nodes[first:last], np.diff(self.offsets[first : last + 1]))
        return int((sources != self.targets[start:stop]).sum())

    def sets(self, name: str) -> Sets:
        """Return the set of targets of each source of a relation."""
        first, last = self.rows(name)
        offsets = self.offsets[first : last + 1]
        values = self.targets[offsets[0] : offsets[-1]]
        return Sets(values, offsets - offsets[0], self.nodes[first:last], np.arange(last - first + 1))

    def adjacency(self, name: str) -> Adjacency:
        """Return the adjacency lists of a relation; they are valid until the next call."""
        first, last = self.rows(name)
        self._row[self.nodes[self._filled]] = -1
        self._filled = slice(first, last)
        self._row[self.nodes[self._filled]] = np.arange(last - first)
        if name not in self._long:
            self._long[name] = self._bits(first, last)
        return Adjacency(self._row, self.offsets[first : last + 1], self.targets, *self._long[name])

    def empty_bits(self) -> NDArray[np.uint64]:
        """Return an empty bit set of nodes."""
        return np.zeros((self.number_of_nodes + 63) // 64, np.uint64)

    def _bits(self, first: int, last: int) -> tuple[IntArray, NDArray[np.uint64]]:
        """Return the bit-set index of each row, or -1, and the bit sets; these are never larger than the edges."""
        offsets = self.offsets[first : last + 1]
        words = self.empty_bits().size
        rows = np.flatnonzero(np.diff(offsets) > _LONG_ROW * words)
        bit_row = np.full(last - first, -1, np.int32)
        bit_row[rows] = np.arange(rows.size)
        bits = np.zeros((rows.size, words), np.uint64)
        kernels.fill_bits(rows, offsets, self.targets, bits)
        return bit_row, bits


def _edges(graph: Graph, names: Mapping[str, int]) -> NDArray[np.int32]:
    """Return relation number, source and target of each edge and of each reversed inverse edge, [3, edges]."""
    forwards = np.stack([_numbers(graph, names), graph.sources, graph.targets])
    inverses = {
        inverse_name(name): number for name, number in names.items() if inverse_name(inverse_name(name)) == name
    }
    backwards = np.stack([_numbers(graph, inverses), graph.targets, graph.sources])
    edges = np.concatenate([forwards, backwards], axis=1)
    return edges[:, edges[0] >= 0]


def _numbers(graph: Graph, names: Mapping[str, int]) -> NDArray[np.int32]:
    """Return the number of each edge's relation, or -1, [edges]."""
    number = np.array([names.get(name, -1) for name in graph.vocabulary] or [-1], dtype=np.int32)
    return number[graph.relations]


def _distinct(edges: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the distinct edges, sorted by relation, source and target."""
    edges = edges[:, np.lexsort(edges[::-1])]
    new = np.ones(edges.shape[1], dtype=bool)
    new[1:] = (edges[:, 1:] != edges[:, :-1]).any(axis=0)
    return edges[:, new]
