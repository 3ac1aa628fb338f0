"""StepTable: where each relation leads in a graph, forwards or (an inverse) backwards, as kernels want it."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
from numpy.typing import NDArray

from r5._util.arrays import IntArray
from r5.graph import Graph
from r5.relations import inverse_name
from r5.rules import count_kernels as kernels
from r5.rules.count_kernels import Sets, Steps

__all__ = ["StepTable"]

_LONG = 4
"""Rows whose targets are so many times the words of 64 bits that all nodes take have bits too."""


class StepTable:
    """The distinct edges of some relations in rows: from `nodes[i]` to `targets[offsets[i]:offsets[i + 1]]`.

    A relation holds between two nodes where the graph has such an edge, or an edge of the inverse relation
    the other way round; so it makes no difference whether the graph has inverse edges.
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
        self._place = np.full(self.number_of_nodes, -1, np.int32)
        self._placed = slice(0, 0)
        self._long: dict[str, tuple[IntArray, NDArray[np.uint64]]] = {}

    def rows(self, name: str) -> tuple[int, int]:
        """The first row of a relation, and the one after its last."""
        number = self._names[name]
        return int(self._rows[number]), int(self._rows[number + 1])

    def number_of_pairs(self, name: str, loops: bool) -> int:
        """Between how many pairs the relation holds; without `loops`, of two different nodes."""
        first, last = self.rows(name)
        start, stop = self.offsets[first], self.offsets[last]
        if loops:
            return int(stop - start)
        sources = np.repeat(self.nodes[first:last], np.diff(self.offsets[first : last + 1]))
        return int((sources != self.targets[start:stop]).sum())

    def sets(self, name: str) -> Sets:
        """For each node from which the relation leads, the set of nodes that it leads to."""
        first, last = self.rows(name)
        offsets = self.offsets[first : last + 1]
        values = self.targets[offsets[0] : offsets[-1]]
        return Sets(values, offsets - offsets[0], self.nodes[first:last], np.arange(last - first + 1))

    def steps(self, name: str) -> Steps:
        """Where the relation leads; good until the next call."""
        first, last = self.rows(name)
        self._place[self.nodes[self._placed]] = -1
        self._placed = slice(first, last)
        self._place[self.nodes[self._placed]] = np.arange(last - first)
        if name not in self._long:
            self._long[name] = self._bits(first, last)
        return Steps(self._place, self.offsets[first : last + 1], self.targets, *self._long[name])

    def no_bits(self) -> NDArray[np.uint64]:
        """A bit for each node, none set."""
        return np.zeros((self.number_of_nodes + 63) // 64, np.uint64)

    def _bits(self, first: int, last: int) -> tuple[IntArray, NDArray[np.uint64]]:
        """For each row its line of bits, or -1, and the lines: together they are not larger than the edges."""
        offsets = self.offsets[first : last + 1]
        words = self.no_bits().size
        rows = np.flatnonzero(np.diff(offsets) > _LONG * words)
        line = np.full(last - first, -1, np.int32)
        line[rows] = np.arange(rows.size)
        bits = np.zeros((rows.size, words), np.uint64)
        kernels.fill_bits(rows, offsets, self.targets, bits)
        return line, bits


def _edges(graph: Graph, names: Mapping[str, int]) -> NDArray[np.int32]:
    """Relation (as numbered in `names`), source and target of what each edge says: [3, edges]."""
    forwards = np.stack([_numbers(graph, names), graph.sources, graph.targets])
    inverses = {
        inverse_name(name): number for name, number in names.items() if inverse_name(inverse_name(name)) == name
    }
    backwards = np.stack([_numbers(graph, inverses), graph.targets, graph.sources])
    edges = np.concatenate([forwards, backwards], axis=1)
    return edges[:, edges[0] >= 0]


def _numbers(graph: Graph, names: Mapping[str, int]) -> NDArray[np.int32]:
    """The number of each edge's relation, or -1."""
    number = np.array([names.get(name, -1) for name in graph.vocabulary] or [-1], dtype=np.int32)
    return number[graph.relations]


def _distinct(edges: NDArray[np.int32]) -> NDArray[np.int32]:
    """The edges by relation, source and target, each once."""
    edges = edges[:, np.lexsort(edges[::-1])]
    new = np.ones(edges.shape[1], dtype=bool)
    new[1:] = (edges[:, 1:] != edges[:, :-1]).any(axis=0)
    return edges[:, new]
