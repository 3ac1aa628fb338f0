"""Graph: labelled, directed edges as arrays, with adjacency lists in compressed sparse rows (CSR)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from r5._util.arrays import IntArray, as_int_array, isin_columns, number_by_appearance, number_columns
from r5._util.text import similar_names
from r5.errors import R5Error
from r5.relations import INVERSE_SUFFIX, Vocabulary, inverse_name

__all__ = ["Graph", "Rows"]


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Adjacency lists in CSR form: the edges of node v are `edges[offsets[v]:offsets[v + 1]]`."""

    offsets: NDArray[np.int64]
    """Start of each node's row, [nodes + 1]."""
    edges: IntArray
    """Edge indices, sorted by relation within a row, [edges]."""


@dataclass(frozen=True, eq=False)
class Graph:
    """Directed multigraph whose edges carry a relation; nodes are 0..len(entities)-1.

    Each edge belongs to a *fact*. Duplicates of an edge and its inverse edge are the same fact:
    masking a fact masks them all, and no path uses a fact twice.

    >>> family = Graph.from_triples([("Ann", "mother", "Eve"), ("Eve", "brother", "Tom")])
    >>> print(family)
    Graph(nodes=3, edges=2, relations=2)
    >>> family.with_inverses().triples()[2:]
    [('Eve', 'mother^-1', 'Ann'), ('Tom', 'brother^-1', 'Eve')]
    """

    vocabulary: Vocabulary
    entities: tuple[str, ...]
    """Name of each node."""
    sources: IntArray
    """Source node of each edge, [edges]."""
    relations: IntArray
    """Relation id of each edge, [edges]."""
    targets: IntArray
    """Target node of each edge, [edges]."""
    facts: IntArray
    """Fact id of each edge, [edges]."""

    @classmethod
    def from_arrays(
        cls,
        vocabulary: Vocabulary,
        entities: Sequence[str],
        sources: NDArray[np.integer],
        relations: NDArray[np.integer],
        targets: NDArray[np.integer],
    ) -> Graph:
        """Build a graph from arrays of node and relation ids.

        Args:
            vocabulary: Relation names.
            entities: Node names.
            sources: Source nodes, [edges].
            relations: Relation ids, [edges].
            targets: Target nodes, [edges].

        Returns:
            A graph; an edge, its duplicates and its inverse share a fact id.

        Raises:
            R5Error: The arrays differ in length or an id is out of range.
        """
        for name, ids, size in (
            ("source", sources, len(entities)),
            ("target", targets, len(entities)),
            ("relation", relations, len(vocabulary)),
        ):
            if ids.shape != sources.shape:
                raise R5Error(f"an edge array has {ids.shape[0]} entries where {sources.shape[0]} were expected")
            if ids.size and (ids.min() < 0 or ids.max() >= size):
                raise R5Error(f"{name} ids must be in 0..{size - 1}, found {ids.min()}..{ids.max()}")
        facts = _fact_ids(vocabulary, sources, relations, targets)
        return cls(
            vocabulary, tuple(entities), as_int_array(sources), as_int_array(relations), as_int_array(targets), facts
        )

    @classmethod
    def from_triples(
        cls, triples: Iterable[tuple[str, str, str]], vocabulary: Vocabulary | None = None, inverse: bool = False
    ) -> Graph:
        """Build a graph from triples of names; nodes are numbered in order of appearance.

        Args:
            triples: (source, relation, target) names.
            vocabulary: Relation names; by default those of the triples, in natural order.
            inverse: Add an inverse edge for each edge.

        Returns:
            A graph.

        Raises:
            R5Error: A row is not a triple of names, or the vocabulary lacks a relation.
        """
        rows = list(triples)
        for number, row in enumerate(rows):
            if not (isinstance(row, tuple | list) and len(row) == 3 and all(isinstance(name, str) for name in row)):
                raise R5Error(f"triple {number} must be three names, (source, relation, target), not {row!r}")
        words = vocabulary or Vocabulary.of(relation for _, relation, _ in rows)
        nodes: dict[str, int] = {}
        ends = [(nodes.setdefault(s, len(nodes)), nodes.setdefault(t, len(nodes))) for s, _, t in rows]
        pairs = np.array(ends, dtype=np.int32).reshape(-1, 2)
        kinds = np.array([words.id(relation) for _, relation, _ in rows], dtype=np.int32)
        graph = cls.from_arrays(words, tuple(nodes), pairs[:, 0], kinds, pairs[:, 1])
        return graph.with_inverses() if inverse else graph

    @classmethod
    def from_facts(cls, facts: Iterable[tuple[str, Sequence[str]]], vocabulary: Vocabulary | None = None) -> Graph:
        """Build a graph from facts of any arity, the hyperedges of the paper's Appendix A.5.

        A fact of two arguments is a directed edge. A fact of three or more arguments has an edge
        between each ordered pair of them, so that consecutive facts on a path share an entity.

        Args:
            facts: Pairs of a relation and its arguments.
            vocabulary: Relation names; by default those of the facts, in natural order.

        Returns:
            A graph; the edges of one fact share a fact id.

        Raises:
            R5Error: A fact has fewer than two arguments.

        >>> graph = Graph.from_facts([("r0", ("x0", "x1", "x2")), ("r1", ("x1", "x2", "x7"))])
        >>> graph.number_of_edges, len(set(graph.facts.tolist()))
        (12, 2)

        """
        triples: list[tuple[str, str, str]] = []
        numbers: list[int] = []
        seen: dict[tuple[str, tuple[str, ...]], int] = {}
        for relation, arguments in facts:
            if len(arguments) < 2:
                raise R5Error(f"a fact of {relation!r} has {len(arguments)} argument; at least 2 are needed")
            number = seen.setdefault((relation, tuple(arguments)), len(seen))
            pairs = [tuple(arguments)] if len(arguments) == 2 else permutations(dict.fromkeys(arguments), 2)
            edges = [(source, relation, target) for source, target in pairs]
            triples += edges
            numbers += [number] * len(edges)
        graph = cls.from_triples(triples, vocabulary)
        return cls(
            graph.vocabulary, graph.entities, graph.sources, graph.relations, graph.targets, as_int_array(numbers)
        )

    def with_inverses(self) -> Graph:
        """Add an inverse edge, named `relation^-1`, for each edge that has none.

        Returns:
            A new graph.
        """
        names = self.vocabulary.known
        backward = self.vocabulary.with_known(*(inverse_name(name) for name in names))
        inverse = np.array([backward.id(inverse_name(name)) for name in names] or [0], dtype=np.int32)
        flipped = np.stack([self.targets, inverse[self.relations], self.sources])
        edges = np.stack([self.sources, self.relations, self.targets])
        new = ~isin_columns(flipped, edges)
        flipped = flipped[:, new]
        return Graph(
            backward,
            self.entities,
            as_int_array(np.concatenate([self.sources, flipped[0]])),
            as_int_array(np.concatenate([self.relations, flipped[1]])),
            as_int_array(np.concatenate([self.targets, flipped[2]])),
            as_int_array(np.concatenate([self.facts, self.facts[new]])),
        )

    def with_triples(self, triples: Iterable[tuple[str, str, str]] | Graph) -> Graph:
        """Add facts; nodes and relations keep their ids, and new ones follow.

        If each edge of the graph has an inverse edge, new facts get inverse edges too.

        >>> family = Graph.from_triples([("Ann", "mother", "Eve")], inverse=True)
        >>> family.with_triples([("Ann", "mother", "Eve"), ("Eve", "brother", "Tom")]).triples()[2:]
        [('Eve', 'brother', 'Tom'), ('Tom', 'brother^-1', 'Eve')]

        Args:
            triples: (source, relation, target) names, or a graph whose edges are added. Known edges are skipped.

        Returns:
            A new graph.
        """
        other = triples if isinstance(triples, Graph) else Graph.from_triples(triples)
        other = other.with_inverses() if self._has_inverses() else other
        words = self.vocabulary.with_known(*other.vocabulary)
        nodes = dict(self.nodes)
        entities = (*self.entities, *(name for name in dict.fromkeys(other.entities) if name not in nodes))
        nodes |= {entities[node]: node for node in range(self.number_of_nodes, len(entities))}
        old, more = self._by_name(words, nodes), other._by_name(words, nodes)
        _, first = np.unique(number_columns(more), return_index=True)
        new = np.sort(first)
        new = new[~isin_columns(more[:, new], old)]
        facts = other.facts[new] + self.facts.max(initial=-1) + 1
        # A new edge whose inverse is in the graph belongs to the same fact.
        keys = _fact_ids(words, *np.concatenate([old, more[:, new]], axis=1))
        known, place = np.unique(keys[: self.number_of_edges], return_index=True)
        at = np.searchsorted(known, keys[self.number_of_edges :])
        same = np.isin(keys[self.number_of_edges :], known)
        facts[same] = self.facts[place[at[same]]]
        relations = np.array([*self.vocabulary.ids_in(words), 0])[self.relations]
        return Graph(
            words,
            entities,
            as_int_array(np.concatenate([self.sources, more[0, new]])),
            as_int_array(np.concatenate([relations, more[1, new]])),
            as_int_array(np.concatenate([self.targets, more[2, new]])),
            as_int_array(np.concatenate([self.facts, facts])),
        )

    def without_triples(self, triples: Iterable[tuple[str, str, str]] | Graph) -> Graph:
        """Remove facts: these edges, their duplicates and their inverse edges. Keep all nodes and relations.

        >>> family = Graph.from_triples([("Ann", "mother", "Eve"), ("Eve", "brother", "Tom")], inverse=True)
        >>> family.without_triples([("Eve", "brother", "Tom")]).triples()
        [('Ann', 'mother', 'Eve'), ('Eve', 'mother^-1', 'Ann')]

        Args:
            triples: (source, relation, target) names, or a graph whose edges are removed.

        Returns:
            A new graph, with the same ids of nodes and relations.

        Raises:
            R5Error: The graph lacks one of the triples.
        """
        other = triples if isinstance(triples, Graph) else Graph.from_triples(triples)
        own, less = self._by_name(self.vocabulary, self.nodes), other._by_name(self.vocabulary, self.nodes)
        missing = np.flatnonzero(~isin_columns(less, own))
        if missing.size:
            source, relation, target = other.triples()[missing[0]]
            raise R5Error(f"the graph has no fact {source} -{relation}-> {target}")
        kept = ~np.isin(self.facts, self.facts[isin_columns(own, less)])
        edges = (self.sources[kept], self.relations[kept], self.targets[kept], self.facts[kept])
        return Graph(self.vocabulary, self.entities, *map(as_int_array, edges))

    def _by_name(self, vocabulary: Vocabulary, nodes: dict[str, int]) -> NDArray[np.int64]:
        """Return the edges in the ids of another graph, [3, edges]; -1 for an unknown relation or node."""
        node = np.array([*(nodes.get(name, -1) for name in self.entities), -1])
        relation = np.array([*self.vocabulary.ids_in(vocabulary), -1])
        return np.stack([node[self.sources], relation[self.relations], node[self.targets]])

    def _has_inverses(self) -> bool:
        """Return whether each edge has its inverse edge; without edges, whether the vocabulary has inverses."""
        used = self.vocabulary.names(np.unique(self.relations)) or self.vocabulary.known
        paired = [name for name in used if inverse_name(name) in self.vocabulary]
        if not self.number_of_edges or len(paired) < len(used):
            return bool(paired) and not self.number_of_edges
        return self.with_inverses().number_of_edges == self.number_of_edges

    def with_relations(self, names: frozenset[str]) -> Graph:
        """Return the subgraph of some relations, with the same nodes, vocabulary and fact ids.

        Args:
            names: The relations to keep.

        Returns:
            A new graph, or this graph if it has no other edges.

        >>> family = Graph.from_triples([("Ann", "mother", "Eve"), ("Eve", "likes", "Tom")])
        >>> family.with_relations(frozenset({"mother"})).triples()
        [('Ann', 'mother', 'Eve')]

        """
        kept = self.edges_of(names)
        if kept.all():
            return self
        if names not in self._parts:
            self._parts.clear()
            edges = (self.sources, self.relations, self.targets, self.facts)
            self._parts[names] = Graph(
                self.vocabulary, self.entities, *(as_int_array(column[kept]) for column in edges)
            )
        return self._parts[names]

    def edges_of(self, names: Collection[str]) -> NDArray[np.bool_]:
        """Return a mask of the edges that have one of these relations, [edges]."""
        table = np.array([name in names for name in self.vocabulary] or [False])
        return table[self.relations]

    @cached_property
    def _parts(self) -> dict[frozenset[str], Graph]:
        """Cache of `with_relations`, of one entry: batches of queries over a large graph share one subgraph."""
        return {}

    @property
    def number_of_nodes(self) -> int:
        return len(self.entities)

    @property
    def number_of_edges(self) -> int:
        return int(self.sources.size)

    @cached_property
    def outgoing(self) -> Rows:
        """The outgoing edges of each node."""
        return _rows(self.sources, self.relations, self.number_of_nodes)

    @cached_property
    def incoming(self) -> Rows:
        """The incoming edges of each node."""
        return _rows(self.targets, self.relations, self.number_of_nodes)

    @cached_property
    def nodes(self) -> dict[str, int]:
        """Node id by name; of several nodes with one name, the first."""
        return {name: node for node, name in reversed(list(enumerate(self.entities)))}

    def node(self, name: str) -> int:
        """Return the node id of an entity.

        Raises:
            R5Error: No entity has this name; the message suggests similar names.
        """
        if name in self.nodes:
            return self.nodes[name]
        near = similar_names(name, self.entities[:100_000], 0.6)
        hint = f"; did you mean {' or '.join(map(repr, near))}?" if near else ""
        raise R5Error(f"no entity is called {name!r}{hint}")

    def triples(self) -> list[tuple[str, str, str]]:
        """Return all edges as (source, relation, target) names, in order."""
        names = self.vocabulary.names(range(len(self.vocabulary)))
        return [
            (self.entities[s], names[r], self.entities[t])
            for s, r, t in zip(self.sources.tolist(), self.relations.tolist(), self.targets.tolist(), strict=True)
        ]

    def __str__(self) -> str:
        used = np.unique(self.relations).size
        return f"Graph(nodes={self.number_of_nodes}, edges={self.number_of_edges}, relations={used})"

    __repr__ = __str__

    def __eq__(self, other: object) -> bool:
        """Compare nodes, edges by name in order, and facts up to renumbering."""
        if not isinstance(other, Graph):
            return NotImplemented
        return (
            self.entities == other.entities
            and self.triples() == other.triples()
            and np.array_equal(number_by_appearance(self.facts), number_by_appearance(other.facts))
        )

    __hash__ = None  # type: ignore[assignment]


def _rows(ends: IntArray, relations: IntArray, nodes: int) -> Rows:
    """Group the edges by one of their ends and, within a node, by relation."""
    offsets = np.zeros(nodes + 1, dtype=np.int64)
    np.cumsum(np.bincount(ends, minlength=nodes), out=offsets[1:])
    offsets.flags.writeable = False
    keys = ends.astype(np.int64) * (int(relations.max(initial=0)) + 1) + relations
    return Rows(offsets, as_int_array(np.argsort(keys, kind="stable").astype(np.int32)))


def _fact_ids(
    vocabulary: Vocabulary,
    sources: NDArray[np.integer],
    relations: NDArray[np.integer],
    targets: NDArray[np.integer],
) -> IntArray:
    """Number the distinct edges; an edge and its inverse have one number."""
    base = np.arange(max(len(vocabulary), 1), dtype=np.int32)
    for name in vocabulary:
        if name.endswith(INVERSE_SUFFIX) and inverse_name(name) in vocabulary:
            base[vocabulary.id(name)] = vocabulary.id(inverse_name(name))
    flip = base[relations] != relations
    keys = np.stack([np.where(flip, targets, sources), base[relations], np.where(flip, sources, targets)])
    return as_int_array(number_columns(keys))
