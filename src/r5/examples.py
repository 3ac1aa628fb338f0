"""Query, Example and Examples: graphs with questions about them, and the answers.

`Examples` stores a whole split in columns over one pool, the disjoint union of all its graphs,
so that a hundred thousand examples cost a few arrays and kernels run over all of them at once.
An `Example` is a light view of one row.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from numbers import Integral
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from r5._util.arrays import IntArray, as_int_array
from r5._util.frames import make_frame
from r5._util.ragged import Ragged
from r5.errors import R5Error
from r5.graph import Graph
from r5.relations import Vocabulary

__all__ = ["Example", "Examples", "Query"]

_NO_FACTS = as_int_array(())


@dataclass(frozen=True, slots=True)
class Query:
    """How is `source` related to `target`? Both are node ids of the example's graph."""

    source: int
    target: int

    def __post_init__(self) -> None:
        for name in ("source", "target"):
            node = getattr(self, name)
            if isinstance(node, bool) or not isinstance(node, Integral):
                raise R5Error(f"a query's {name} must be the number of a node, such as graph.node('Ann'), not {node!r}")
            object.__setattr__(self, name, int(node))


@dataclass(frozen=True, slots=True)
class Example:
    """A graph, a question about it and, where known, the answer and how it comes about."""

    graph: Graph
    query: Query
    answer: int | None = None
    """The relation id of the answer."""
    hidden_fact: int = -1
    """A fact of the graph that must not be used, for it is the answer itself; -1 for none."""
    resolution: tuple[int, ...] = ()
    """The nodes of the path that the answer was made from, where the data says so."""
    descriptor: tuple[int, ...] = ()
    """The true relations along that path; the observed edges may carry wrong ones."""
    background: IntArray = field(default_factory=lambda: _NO_FACTS, compare=False, repr=False)
    """The facts of the graph that no question asks for: any fit may learn from them."""

    @property
    def source(self) -> str:
        """The name of the entity asked about."""
        return self.graph.entities[self.query.source]

    @property
    def target(self) -> str:
        """The name of the other entity."""
        return self.graph.entities[self.query.target]

    @property
    def answer_name(self) -> str | None:
        """The name of the answer's relation."""
        return None if self.answer is None else self.graph.vocabulary.name(self.answer)

    @property
    def hops(self) -> int:
        """The length of the resolution path; 0 where it is not known."""
        return max(len(self.resolution) - 1, 0)


@dataclass(frozen=True, eq=False)
class Examples(Sequence[Example]):
    """An immutable sequence of examples, in columns. Node ids here are those of the pool."""

    pool: Graph
    node_offsets: NDArray[np.int64]  # [graphs + 1], where each graph's nodes start in the pool
    edge_offsets: NDArray[np.int64]  # [graphs + 1]
    graph_of: IntArray  # [examples]
    sources: IntArray  # [examples]
    targets: IntArray  # [examples]
    answers: IntArray  # [examples], -1 where unknown
    hidden_facts: IntArray  # [examples], -1 for none
    resolutions: Ragged  # [examples] rows of nodes, empty where unknown
    descriptors: Ragged  # [examples] rows of relations, empty where unknown
    background: IntArray = field(default_factory=lambda: _NO_FACTS)
    """The facts of the pool that no question asks for, in order: given beside the examples, in all selections of them.

    A fact of the pool that is neither background nor the answer to one of the examples belongs to examples that
    were not given; a model that learns from the examples must not learn from it.
    """
    _cache: dict[int, Graph] = field(default_factory=dict, repr=False)

    @classmethod
    def empty(cls, vocabulary: Vocabulary) -> Examples:
        """No examples."""
        return cls.over(Graph.from_triples([], vocabulary), [], [], [])

    @classmethod
    def over(
        cls,
        graph: Graph,
        sources: Iterable[int] | NDArray[np.integer],
        targets: Iterable[int] | NDArray[np.integer],
        answers: Iterable[int] | NDArray[np.integer],
        hidden_facts: Iterable[int] | NDArray[np.integer] | None = None,
        background: Iterable[int] | NDArray[np.integer] = (),
    ) -> Examples:
        """Questions about one graph, which all of them share; `background` are its facts that are never asked for."""
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
            hidden_facts=as_int_array(np.full(source_ids.size, -1) if hidden_facts is None else hidden_facts),
            resolutions=none,
            descriptors=none,
            background=as_int_array(background),
        )

    @classmethod
    def from_edges(cls, graph: Graph, limit: int | None = None, seed: int = 0) -> Examples:
        """Each edge (or `limit` sampled ones) as a question whose graph lacks it and its duplicates.

        Facts that are not sampled are background.

        >>> family = Graph.from_triples([("a", "mother", "b"), ("b", "mother", "c"), ("a", "grandmother", "c")])
        >>> examples = Examples.from_edges(family)
        >>> len(examples), examples[2].answer_name, examples[2].hidden_fact == int(family.facts[2])
        (3, 'grandmother', True)
        """
        _, first = np.unique(graph.facts, return_index=True)
        first.sort()
        if limit is not None and limit < first.size:
            chosen = np.random.default_rng(seed).choice(first.size, limit, replace=False)
            first = first[np.sort(chosen)]
        edges = (graph.sources[first], graph.targets[first], graph.relations[first], graph.facts[first])
        return cls.over(graph, *edges, background=np.setdiff1d(graph.facts, graph.facts[first]))

    @classmethod
    def of(cls, examples: Sequence[Example], vocabulary: Vocabulary | None = None) -> Examples:
        """From single examples, which must share one vocabulary; a graph they share is stored once."""
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
        # One graph is shared, not copied: it may be large, and asked about one example at a time.
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
        hidden = [e.hidden_fact + facts[g] if e.hidden_fact >= 0 else -1 for e, g in zip(examples, at, strict=True)]
        # Examples of one graph share one array; only distinct arrays are looked at.
        known = {(g, id(e.background)): e.background + facts[g] for e, g in zip(examples, at, strict=True)}
        return cls(
            pool=pool,
            node_offsets=nodes,
            edge_offsets=edges,
            graph_of=as_int_array(at),
            sources=as_int_array([e.query.source + nodes[g] for e, g in zip(examples, at, strict=True)]),
            targets=as_int_array([e.query.target + nodes[g] for e, g in zip(examples, at, strict=True)]),
            answers=as_int_array([-1 if e.answer is None else e.answer for e in examples]),
            hidden_facts=as_int_array(hidden),
            resolutions=Ragged.of([[n + nodes[g] for n in e.resolution] for e, g in zip(examples, at, strict=True)]),
            descriptors=Ragged.of([e.descriptor for e in examples]),
            background=as_int_array(np.unique(np.concatenate([*known.values()]))),
        )

    @classmethod
    def read(cls, value: object) -> Examples:
        """What was given as examples: these as they are, or any sequence of single ones; else an error that says so.

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
        stranger = next((row for row in rows if not isinstance(row, Example)), None)
        if many and stranger is None:
            return cls.of(rows)
        kind = f"a {type(value).__name__}" + (f" with a {type(stranger).__name__} in it" if many else "")
        split = "; give one of its splits, such as .train" if isinstance(getattr(value, "train", None), cls) else ""
        raise R5Error(f"expected Examples, such as data.train, or a list of Example, not {kind}{split}")

    def with_answers(self, names: Iterable[str | None]) -> Examples:
        """The same questions with these answers, by name; None where it is not known."""
        answers = [-1 if name is None else self.vocabulary.id(str(name)) for name in names]
        if len(answers) != len(self):
            raise R5Error(f"there are {len(self)} examples and {len(answers)} answers")
        return replace(self, answers=as_int_array(answers), _cache={})

    @property
    def vocabulary(self) -> Vocabulary:
        """The relations of the graphs and the answers."""
        return self.pool.vocabulary

    @property
    def hops(self) -> NDArray[np.int64]:
        """The length of each example's resolution path; 0 where it is not known."""
        steps: NDArray[np.int64] = np.diff(self.resolutions.offsets) - 1
        return np.maximum(steps, 0)

    def to_frame(self, library: str = "pandas") -> Any:
        """A frame of the questions, a row for each example.

        >>> family = Graph.from_triples([("Ann", "mother", "Eve"), ("Eve", "brother", "Tom")])
        >>> Examples.from_edges(family).to_frame()
           graph source target   answer  hops
        0      0    Ann    Eve   mother     0
        1      0    Eve    Tom  brother     0

        Args:
            library: `pandas` or `polars`.

        Returns:
            A frame with the columns graph (the number of the example's graph), source and target (names), answer
            (None where it is not known) and hops (0 where the data does not tell).
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
        """One of the graphs, with its own node ids."""
        if self.node_offsets.size == 2:
            return self.pool
        if number not in self._cache:
            nodes = slice(self.node_offsets[number], self.node_offsets[number + 1])
            edges = slice(self.edge_offsets[number], self.edge_offsets[number + 1])
            pool = self.pool
            # One graph is kept: enough for looking at one example in several ways, bounded for loops over all.
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
        """The smallest fact of a graph in the pool, so that its own facts can be numbered from 0."""
        if self.node_offsets.size == 2:
            return 0
        return int(self.pool.facts[self.edge_offsets[number] : self.edge_offsets[number + 1]].min(initial=2**31 - 1))

    def _background_of(self, number: int) -> IntArray:
        """The background facts of a graph, by its own numbers."""
        if self.node_offsets.size == 2 or not self.background.size:
            return self.background
        facts = self.pool.facts[self.edge_offsets[number] : self.edge_offsets[number + 1]]
        return as_int_array(np.intersect1d(facts, self.background) - self._first_fact(number))

    def select(self, rows: NDArray[np.integer] | Sequence[int]) -> Examples:
        """Only these examples, in this order, over the same pool."""
        at = np.asarray(rows, dtype=np.int64)
        return replace(
            self,
            graph_of=as_int_array(self.graph_of[at]),
            sources=as_int_array(self.sources[at]),
            targets=as_int_array(self.targets[at]),
            answers=as_int_array(self.answers[at]),
            hidden_facts=as_int_array(self.hidden_facts[at]),
            resolutions=self.resolutions.take(at),
            descriptors=self.descriptors.take(at),
            _cache={},
        )

    def with_relations(self, names: frozenset[str]) -> Examples:
        """Return the examples over graphs with the edges of these relations alone; these where that is all edges.

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
        answer, hidden = int(self.answers[row]), int(self.hidden_facts[row])
        return Example(
            graph=self.graph(number),
            query=Query(int(self.sources[row]) - start, int(self.targets[row]) - start),
            answer=None if answer < 0 else answer,
            hidden_fact=hidden - self._first_fact(number) if hidden >= 0 else -1,
            resolution=tuple(int(node) - start for node in self.resolutions[row]),
            descriptor=tuple(self.descriptors[row].tolist()),
            background=self._background_of(number),
        )

    def __iter__(self) -> Iterator[Example]:
        return (self[i] for i in range(len(self)))

    def __eq__(self, other: object) -> bool:
        """Equal where each example asks the same of the same graph."""
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
            and np.array_equal(self.hidden_facts < 0, other.hidden_facts < 0)
            and np.array_equal(np.isin(self.pool.facts, self.background), np.isin(other.pool.facts, other.background))
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Examples({len(self)} over {self.node_offsets.size - 1} graphs)"
