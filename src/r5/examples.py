"""Examples: graphs, queries over them and their answers.

`Examples` stores a whole split in columns over one pool, the disjoint union of all its graphs.
A hundred thousand examples cost a few arrays, and kernels run over all of them at once.
An `Example` is a light view of one row.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from r5._util.arrays import IntArray, as_int_array, id_difference
from r5._util.frames import make_frame
from r5._util.ragged import Ragged
from r5.errors import R5Error
from r5.example import NO_FACTS, Example, Query
from r5.graph import Graph
from r5.relations import Vocabulary

__all__ = ["Example", "Examples", "Query"]


@dataclass(frozen=True, eq=False)
class Examples(Sequence[Example]):
    """Immutable sequence of examples, stored in columns. Node and fact ids are those of the pool."""

    pool: Graph
    """Disjoint union of all graphs."""
    node_offsets: NDArray[np.int64]
    """Start of each graph's nodes in the pool, [graphs + 1]."""
    edge_offsets: NDArray[np.int64]
    """Start of each graph's edges in the pool, [graphs + 1]."""
    graph_of: IntArray
    """Graph of each example, [examples]."""
    sources: IntArray
    """Source node of each query, [examples]."""
    targets: IntArray
    """Target node of each query, [examples]."""
    answers: IntArray
    """Relation id of each answer, -1 if unknown, [examples]."""
    masked_facts: IntArray
    """Masked fact of each example, -1 for none, [examples]."""
    resolutions: Ragged
    """Nodes along each resolution path, empty if unknown, [examples] rows."""
    descriptors: Ragged
    """True relations along each resolution path, empty if unknown, [examples] rows."""
    background: IntArray = field(default_factory=lambda: NO_FACTS)
    """Facts of the pool that no query asks for, in order; the same in all selections of the examples.

    A fact of the pool that is neither background nor the answer to one of the examples belongs to other examples;
    a model that learns from these examples must not learn from it.
    """
    _cache: dict[int, Graph] = field(default_factory=dict, repr=False)

    @classmethod
    def empty(cls, vocabulary: Vocabulary) -> Examples:
        """Return an empty sequence of examples."""
        return cls.over(Graph.from_triples([], vocabulary), [], [], [])

    @classmethod
    def over(
        cls,
        graph: Graph,
        sources: Iterable[int] | NDArray[np.integer],
        targets: Iterable[int] | NDArray[np.integer],
        answers: Iterable[int] | NDArray[np.integer],
        masked_facts: Iterable[int] | NDArray[np.integer] | None = None,
        background: Iterable[int] | NDArray[np.integer] = (),
    ) -> Examples:
        """Build examples that share one graph.

        Args:
            graph: The shared graph.
            sources: Source nodes, [examples].
            targets: Target nodes, [examples].
            answers: Relation ids, -1 if unknown, [examples].
            masked_facts: Masked facts, -1 for none, [examples]; by default no fact is masked.
            background: Facts that no query asks for.

        Returns:
            Examples whose pool is the graph itself.
        """
        source_ids = as_int_array(sources)
        none = Ragged.of([[]] * source_ids.size)
        return cls(
            pool=graph,
            node_offsets=np.array([0, graph.number_of_nodes]),
            edge_offsets=np.array([0, graph.number_of_edges]),
            graph_of=as_int_array(np.zeros(source_ids.size, dtype=np.int32)),
            sources=source_ids,
            targets=as_int_array(targets),
            answers=as_int_array(answers),
            masked_facts=as_int_array(np.full(source_ids.size, -1) if masked_facts is None else masked_facts),
            resolutions=none,
            descriptors=none,
            background=as_int_array(background),
        )

    @classmethod
    def from_edges(cls, graph: Graph, limit: int | None = None, seed: int = 0) -> Examples:
        """Build one example per fact of a graph; the fact is masked in its own example.

        Args:
            graph: The shared graph.
            limit: Maximum number of examples, sampled from the facts. The other facts are background.
            seed: Seed of the sample.

        Returns:
            Examples in the order of the edges.

        >>> family = Graph.from_triples([("a", "mother", "b"), ("b", "mother", "c"), ("a", "grandmother", "c")])
        >>> examples = Examples.from_edges(family)
        >>> len(examples), examples[2].answer_name, examples[2].masked_fact == int(family.facts[2])
        (3, 'grandmother', True)

        """
        _, first = np.unique(graph.facts, return_index=True)
        first.sort()
        if limit is not None and limit < first.size:
            chosen = np.random.default_rng(seed).choice(first.size, limit, replace=False)
            first = first[np.sort(chosen)]
        edges = (graph.sources[first], graph.targets[first], graph.relations[first], graph.facts[first])
        return cls.over(graph, *edges, background=id_difference(graph.facts, graph.facts[first]))

    @classmethod
    def of(cls, examples: Sequence[Example], vocabulary: Vocabulary | None = None) -> Examples:
        """Collect single examples; a graph that several share is stored once.

        Args:
            examples: Examples over one vocabulary.
            vocabulary: Relation names of an empty result.

        Returns:
            The examples in columns.

        Raises:
            R5Error: The graphs have different vocabularies.
        """
        graphs = list({id(example.graph): example.graph for example in examples}.values())
        if not graphs:
            return cls.empty(vocabulary or Vocabulary(()))
        words = graphs[0].vocabulary
        if any(graph.vocabulary != words for graph in graphs):
            raise R5Error("the examples' graphs do not share one vocabulary")
        place = {id(graph): i for i, graph in enumerate(graphs)}
        nodes = np.cumsum([0, *(graph.number_of_nodes for graph in graphs)])
        edges = np.cumsum([0, *(graph.number_of_edges for graph in graphs)])
        facts = np.cumsum([0, *(int(graph.facts.max(initial=-1)) + 1 for graph in graphs)])
        # A single graph is shared, not copied: it may be large, and callers may pass one example at a time.
        pool = (
            graphs[0]
            if len(graphs) == 1
            else Graph(
                words,
                tuple(name for graph in graphs for name in graph.entities),
                as_int_array(np.concatenate([graph.sources + nodes[i] for i, graph in enumerate(graphs)])),
                as_int_array(np.concatenate([graph.relations for graph in graphs])),
                as_int_array(np.concatenate([graph.targets + nodes[i] for i, graph in enumerate(graphs)])),
                as_int_array(np.concatenate([graph.facts + facts[i] for i, graph in enumerate(graphs)])),
            )
        )
        at = [place[id(example.graph)] for example in examples]
        masked = [e.masked_fact + facts[g] if e.masked_fact >= 0 else -1 for e, g in zip(examples, at, strict=True)]
        # Examples of one graph share one background array; each distinct array is read once.
        known = {(g, id(e.background)): e.background + facts[g] for e, g in zip(examples, at, strict=True)}
        return cls(
            pool=pool,
            node_offsets=nodes,
            edge_offsets=edges,
            graph_of=as_int_array(at),
            sources=as_int_array([e.query.source + nodes[g] for e, g in zip(examples, at, strict=True)]),
            targets=as_int_array([e.query.target + nodes[g] for e, g in zip(examples, at, strict=True)]),
            answers=as_int_array([-1 if e.answer is None else e.answer for e in examples]),
            masked_facts=as_int_array(masked),
            resolutions=Ragged.of([[n + nodes[g] for n in e.resolution] for e, g in zip(examples, at, strict=True)]),
            descriptors=Ragged.of([e.descriptor for e in examples]),
            background=as_int_array(np.unique(np.concatenate([*known.values()]))),
        )

    @classmethod
    def read(cls, value: object) -> Examples:
        """Check an argument that must be examples.

        Args:
            value: `Examples`, one `Example` or a sequence of them.

        Returns:
            The examples; `Examples` are returned as they are.

        Raises:
            R5Error: The value is something else.

        >>> Examples.read("data")
        Traceback (most recent call last):
        r5.errors.R5Error: expected Examples, such as data.train, or a list of Example, not a str

        """
        if isinstance(value, cls):
            return value
        if isinstance(value, Example):
            return cls.of([value])
        many = isinstance(value, Iterable) and not isinstance(value, str | bytes)
        rows = list(value) if many else []  # type: ignore[call-overload]
        other = next((row for row in rows if not isinstance(row, Example)), None)
        if many and other is None:
            return cls.of(rows)
        kind = f"a {type(value).__name__}" + (f" with a {type(other).__name__} in it" if many else "")
        split = "; give one of its splits, such as .train" if isinstance(getattr(value, "train", None), cls) else ""
        raise R5Error(f"expected Examples, such as data.train, or a list of Example, not {kind}{split}")

    def with_answers(self, names: Iterable[str | None]) -> Examples:
        """Return the same queries with other answers.

        Args:
            names: Relation name of each answer; None if unknown.

        Raises:
            R5Error: The number of answers differs from the number of examples, or a relation is unknown.
        """
        answers = [-1 if name is None else self.vocabulary.id(str(name)) for name in names]
        if len(answers) != len(self):
            raise R5Error(f"there are {len(self)} examples and {len(answers)} answers")
        return replace(self, answers=as_int_array(answers), _cache={})

    @property
    def vocabulary(self) -> Vocabulary:
        """The relations of the graphs and answers."""
        return self.pool.vocabulary

    @property
    def hops(self) -> NDArray[np.int64]:
        """The length of each example's resolution path, 0 if unknown, [examples]."""
        steps: NDArray[np.int64] = np.diff(self.resolutions.offsets) - 1
        return np.maximum(steps, 0)

    def to_frame(self, library: str = "pandas") -> Any:
        """Return a data frame with one row per example.

        >>> family = Graph.from_triples([("Ann", "mother", "Eve"), ("Eve", "brother", "Tom")])
        >>> Examples.from_edges(family).to_frame()
           graph source target   answer  hops
        0      0    Ann    Eve   mother     0
        1      0    Eve    Tom  brother     0

        Args:
            library: `pandas` or `polars`.

        Returns:
            A frame with the columns graph (index of the example's graph), source and target (names), answer (None if
            unknown) and hops (0 if unknown).
        """
        names, words = self.pool.entities, [*self.vocabulary, None]
        columns = {
            "graph": self.graph_of.tolist(),
            "source": [names[node] for node in self.sources.tolist()],
            "target": [names[node] for node in self.targets.tolist()],
            "answer": [words[answer] for answer in self.answers.tolist()],
            "hops": self.hops.tolist(),
        }
        return make_frame(columns, library)

    def graph(self, number: int) -> Graph:
        """Return one of the graphs, with its own node and fact ids."""
        if self.node_offsets.size == 2:
            return self.pool
        if number not in self._cache:
            nodes = slice(self.node_offsets[number], self.node_offsets[number + 1])
            edges = slice(self.edge_offsets[number], self.edge_offsets[number + 1])
            pool = self.pool
            # The cache has one entry: enough for repeated use of one example, bounded in a loop over all.
            self._cache.clear()
            self._cache[number] = Graph(
                pool.vocabulary,
                pool.entities[nodes],
                as_int_array(pool.sources[edges] - np.int32(nodes.start)),
                pool.relations[edges],
                as_int_array(pool.targets[edges] - np.int32(nodes.start)),
                as_int_array(pool.facts[edges] - np.int32(self._first_fact(number))),
            )
        return self._cache[number]

    def _first_fact(self, number: int) -> int:
        """Return the smallest fact id of a graph in the pool, which becomes 0 in the graph's own ids."""
        if self.node_offsets.size == 2:
            return 0
        return int(self.pool.facts[self.edge_offsets[number] : self.edge_offsets[number + 1]].min(initial=2**31 - 1))

    def _background_of(self, number: int) -> IntArray:
        """Return the background facts of a graph, in its own fact ids."""
        if self.node_offsets.size == 2 or not self.background.size:
            return self.background
        facts = self.pool.facts[self.edge_offsets[number] : self.edge_offsets[number + 1]]
        return as_int_array(np.intersect1d(facts, self.background) - self._first_fact(number))

    def select(self, rows: NDArray[np.integer] | Sequence[int]) -> Examples:
        """Return some of the examples over the same pool.

        Args:
            rows: Example indices, in the order of the result.
        """
        at = np.asarray(rows, dtype=np.int64)
        return replace(
            self,
            graph_of=as_int_array(self.graph_of[at]),
            sources=as_int_array(self.sources[at]),
            targets=as_int_array(self.targets[at]),
            answers=as_int_array(self.answers[at]),
            masked_facts=as_int_array(self.masked_facts[at]),
            resolutions=self.resolutions.take(at),
            descriptors=self.descriptors.take(at),
            _cache={},
        )

    def with_relations(self, names: frozenset[str]) -> Examples:
        """Return the same examples over the subgraphs of some relations.

        >>> family = Graph.from_triples([("Ann", "mother", "Eve"), ("Eve", "likes", "Tom")])
        >>> Examples.over(family, [0], [2], [-1]).with_relations(frozenset({"mother"})).pool
        Graph(nodes=3, edges=1, relations=1)
        """
        pool = self.pool.with_relations(names)
        if pool is self.pool:
            return self
        before = np.concatenate([[0], np.cumsum(self.pool.edges_of(names))])
        return replace(self, pool=pool, edge_offsets=before[self.edge_offsets], _cache={})

    def __len__(self) -> int:
        return int(self.sources.size)

    @overload
    def __getitem__(self, index: int) -> Example: ...
    @overload
    def __getitem__(self, index: slice) -> Examples: ...
    def __getitem__(self, index: int | slice) -> Example | Examples:
        if isinstance(index, slice):
            return self.select(np.arange(len(self))[index])
        row = range(len(self))[index]
        number = int(self.graph_of[row])
        start = int(self.node_offsets[number])
        answer, masked = int(self.answers[row]), int(self.masked_facts[row])
        return Example(
            graph=self.graph(number),
            query=Query(int(self.sources[row]) - start, int(self.targets[row]) - start),
            answer=None if answer < 0 else answer,
            masked_fact=masked - self._first_fact(number) if masked >= 0 else -1,
            resolution=tuple(int(node) - start for node in self.resolutions[row]),
            descriptor=tuple(self.descriptors[row].tolist()),
            background=self._background_of(number),
        )

    def __iter__(self) -> Iterator[Example]:
        return (self[i] for i in range(len(self)))

    def __eq__(self, other: object) -> bool:
        """Compare queries, answers and graphs."""
        if not isinstance(other, Examples):
            return NotImplemented
        same_layout = all(
            np.array_equal(getattr(self, name), getattr(other, name))
            for name in ("node_offsets", "edge_offsets", "graph_of", "sources", "targets", "answers")
        )
        return same_layout and (
            self.vocabulary == other.vocabulary
            and self.resolutions == other.resolutions
            and self.descriptors == other.descriptors
            and self.pool == other.pool
            and np.array_equal(self.masked_facts < 0, other.masked_facts < 0)
            and np.array_equal(np.isin(self.pool.facts, self.background), np.isin(other.pool.facts, other.background))
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Examples({len(self)} over {self.node_offsets.size - 1} graphs)"
