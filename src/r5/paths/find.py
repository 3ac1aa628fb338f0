"""find_paths: which relation sequences lead from a query's source to its target."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from r5._util.arrays import as_int_array
from r5._util.ragged import Ragged
from r5._util.runtime.batch_size import AdaptiveBatchSize
from r5._util.runtime.memory import check_memory
from r5.errors import R5Error
from r5.examples import Example, Examples
from r5.graph import Graph
from r5.paths.kernels import FULL, NO_ROOM, SOME, Options, Queries, find_some, new_bag, sample, taken
from r5.paths.sampling_kernels import new_walks, with_room
from r5.paths.search_kernels import Array, Edges, new_scratch, without_repeats
from r5.paths.settings import Direct, Policy
from r5.relations import DUMMY, Vocabulary

__all__ = ["PathSet", "Tick", "find_paths"]

Tick = Callable[[int, int], None]
"""Called several times a second with the number of examples done and of all; what it raises ends the search."""

_WHILE_JOINING = 2
"""Paths are held so many times over while they are put together."""
_TAKE_LESS = "set path_limit lower, or take fewer examples"

STEPS_PER_SEQUENCE = 10_000
"""Edges tried for each sequence that is asked for (for 100 at the least) before enumerating, or sampling, stops."""


@dataclass(frozen=True, eq=False)
class PathSet:
    """The distinct relation sequences of each example, in columns; shorter ones first, then by relation ids."""

    starts: NDArray[np.int64]
    """[examples + 1]; the sequences of example i are rows `starts[i]:starts[i + 1]`."""
    sequences: Ragged
    """Rows of relation ids."""
    nodes: Ragged | None
    """For each sequence the nodes of one path that spells it, as numbered in the example's graph; where asked for."""
    complete: NDArray[np.bool_]
    """[examples]; False where the sequences are a sample of those that exist."""
    vocabulary: Vocabulary
    """The relations of the examples, and the dummy relation where it was asked for."""

    def __len__(self) -> int:
        return int(self.starts.size) - 1

    def __getitem__(self, example: int) -> list[tuple[int, ...]]:
        """The relation sequences of one example."""
        return [tuple(self.sequences[row].tolist()) for row in self.rows(example)]

    def names(self, example: int) -> list[tuple[str, ...]]:
        """The relation sequences of one example, by name."""
        return [self.vocabulary.names(sequence) for sequence in self[example]]

    def witnesses(self, example: int) -> list[tuple[int, ...]]:
        """The nodes of one path for each sequence of an example."""
        if self.nodes is None:
            raise R5Error("the nodes of the paths were not kept; ask for them with find_paths(..., nodes=True)")
        return [tuple(self.nodes[row].tolist()) for row in self.rows(example)]

    def in_words_of(self, names: Sequence[str], unknown: int | None = None, row: int | None = None) -> Ragged:
        """The sequences, or only the one in a `row`, in a model's words: each relation's place among `names`.

        For one that is not there `unknown`, or else len(names).
        """
        place = {name: number for number, name in enumerate(names)}
        other = len(names) if unknown is None else unknown
        table = np.array([place.get(name, other) for name in self.vocabulary], dtype=np.int32)
        sequences = self.sequences if row is None else Ragged.of([self.sequences[row].tolist()])
        values = sequences.values
        return Ragged(table[values] if values.size else values, sequences.offsets)

    def rows(self, example: int) -> range:
        """Which rows are those of one example."""
        row = range(len(self))[example]
        return range(int(self.starts[row]), int(self.starts[row + 1]))

    def __repr__(self) -> str:
        return f"PathSet({len(self.sequences)} sequences of {len(self)} examples)"


def find_paths(
    examples: Examples | Example,
    policy: Policy = "shortest",
    *,
    max_length: int = 10,
    limit: int = 100,
    direct: Direct = "skip",
    nodes: bool = False,
    seed: int = 0,
    tick: Tick | None = None,
) -> PathSet:
    """The distinct relation sequences along the paths from each query's source to its target.

    Policies: `shortest` takes the smallest cutoff of at least two edges at which a path exists, however
    large that is, and all simple paths up to it; `simple` takes all simple paths of up to
    `max_length` edges; `trail` admits nodes twice, even the query's ends, and only forbids to use a fact twice.
    No policy uses a fact twice or an example's hidden fact. Where the source is also the target, a
    simple path is a cycle.

    A `direct` edge between the ends is left out (`skip`), kept as a sequence of one relation
    (`keep`), or followed by the dummy relation of the paper's Appendix A.5 (`dummy`), so that rules
    with one relation in the body can be learned.

    Each example has at most `limit` sequences (the paper's L). Where there are more, they are drawn
    uniformly from the distinct sequences, without enumerating these where they are many; the same
    seed draws the same ones, for an example alone and in a batch. Effort is bounded: where it runs
    out, as in dense graphs where hardly any walk is a path, other sequences that were met fill up.
    `tick` is told how far it is, and may raise to end it.

    >>> from r5.graph import Graph
    >>> family = Graph.from_triples([("Ann", "mother", "Eve"), ("Eve", "brother", "Tom"), ("Ann", "uncle", "Tom")])
    >>> paths = find_paths(Examples.from_edges(family), nodes=True)
    >>> paths.names(2), paths.witnesses(2), paths.names(0)
    ([('mother', 'brother')], [(0, 1, 2)], [])
    >>> find_paths(Examples.over(family, [0], [2], [-1]), direct="dummy").names(0)
    [('mother', 'brother'), ('uncle', '<dummy>')]
    """
    _check_options(policy, max_length, limit, direct)
    if isinstance(examples, Example):
        ends = ([examples.query.source], [examples.query.target])
        examples = Examples.over(examples.graph, *ends, [-1], [examples.hidden_fact])
    examples = Examples.read(examples)
    _check_queries(examples)
    vocabulary = examples.vocabulary.with_known(DUMMY) if direct == "dummy" else examples.vocabulary
    shortest = policy == "shortest"
    longest = int(np.diff(examples.edge_offsets).max(initial=2))  # no path is longer than its graph has edges
    options = Options(
        shortest=shortest,
        simple=policy != "trail",
        skip_direct=direct == "skip",
        dummy=vocabulary.id(DUMMY) if direct == "dummy" else -1,
        max_length=max(longest, 2) if shortest else min(int(max_length), max(longest, 2)),
        limit=min(int(limit), 2**31),
        seed=(int(seed) + 2**63) % 2**64 - 2**63,
        steps=STEPS_PER_SEQUENCE * min(max(int(limit), 100), 2**31),
    )
    return _find(examples, options, vocabulary, nodes, tick)


def _find(examples: Examples, options: Options, vocabulary: Vocabulary, nodes: bool, tick: Tick | None) -> PathSet:
    """Run the kernels over all examples and join what they found."""
    firsts = examples.node_offsets[examples.graph_of]
    queries = Queries(
        sources=_packed(examples.sources),
        targets=_packed(examples.targets),
        hidden=_packed(examples.hidden_facts),
        firsts=_packed(firsts),
        counts=np.zeros(len(examples), np.int64),
        complete=np.zeros(len(examples), np.bool_),
    )
    parts = zip(*_parts(examples.pool, queries, options, tick), strict=True)
    lengths, relations, witnesses = map(np.concatenate, parts)
    kept = None
    if nodes:
        first = np.repeat(np.repeat(firsts, queries.counts), lengths + 1)
        kept = Ragged(as_int_array(witnesses - first), _offsets(lengths + 1))
    sequences = Ragged(as_int_array(relations), _offsets(lengths))
    return PathSet(_offsets(queries.counts), sequences, kept, queries.complete, vocabulary)


def _parts(pool: Graph, queries: Queries, options: Options, tick: Tick | None) -> Iterator[tuple[Array, Array, Array]]:
    """The sequences of all queries, part by part: their lengths, relations and nodes. Buffers grow as need be.

    A kernel is never called for long, so that an interrupt is not kept waiting.
    """
    edges, number_of_facts = _edges(pool)
    scratch = new_scratch(pool.number_of_nodes, number_of_facts, options.max_length)
    bag, found, walks = new_bag(2**9), new_bag(2**12), new_walks(0, options.max_length)
    at, rows, outcome, total, held, batch = 0, 0, FULL, queries.sources.size, 0, AdaptiveBatchSize()
    while at < total:
        piece = Queries(*(column[: at + batch.size] for column in queries))
        at, rows, outcome = find_some(edges, scratch, bag, found, piece, options, at, rows)
        if outcome == SOME:
            walks = with_room(walks, scratch)
            outcome = sample(edges, scratch, bag, walks, queries, options, at)
        if outcome == NO_ROOM:
            bag = new_bag(2 * bag.chosen.size)
        elif outcome == FULL and rows == 0:
            found = new_bag(2 * found.chosen.size)
        elif outcome == FULL:
            part = taken(found, rows)
            held += sum(array.nbytes for array in part)
            needed = _WHILE_JOINING * held * total / at - held
            check_memory(needed, f"keeping the paths of {total:,} examples", _TAKE_LESS)
            yield part
            rows = 0
        batch.update()
        if tick is not None:
            tick(at, total)
    yield taken(found, rows)


def _edges(pool: Graph) -> tuple[Edges, int]:
    """The pool's arrays for the kernels, and the number of its facts."""
    sources, targets, relations, facts = map(_packed, (pool.sources, pool.targets, pool.relations, pool.facts))
    number_of_facts = int(facts.max(initial=-1)) + 1
    edges = Edges(
        leaving_starts=_packed(pool.leaving.offsets),
        leaving=_packed(pool.leaving.edges),
        arriving_starts=_packed(pool.arriving.offsets),
        arriving=_packed(pool.arriving.edges),
        sources=sources,
        targets=targets,
        relations=relations,
        facts=_packed(without_repeats(sources, targets, relations, facts, number_of_facts)),
    )
    return edges, number_of_facts


def _packed(array: NDArray[Any]) -> NDArray[Any]:
    """The array contiguous and read-only, so that one compiled version of the kernel serves every caller."""
    packed = np.ascontiguousarray(array).view()
    packed.flags.writeable = False
    return packed


def _offsets(lengths: NDArray[Any]) -> NDArray[np.int64]:
    """Where rows of these lengths start and, last, where they end."""
    offsets = np.zeros(lengths.size + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets


def _check_options(policy: str, max_length: int, limit: int, direct: str) -> None:
    for name, value, choices in (("policy", policy, get_args(Policy)), ("direct", direct, get_args(Direct))):
        if value not in choices:
            raise R5Error(f"{name} is {value!r}; expected {', '.join(choices[:-1])} or {choices[-1]}")
    for name, number, least in (("max_length", max_length, 2), ("limit", limit, 1)):
        if number < least:
            raise R5Error(f"{name} is {number}; expected at least {least}")


def _check_queries(examples: Examples) -> None:
    size = examples.pool.number_of_nodes
    for name, nodes in (("source", examples.sources), ("target", examples.targets)):
        if nodes.size and not 0 <= nodes.min() <= nodes.max() < size:
            raise R5Error(f"a query's {name} must be a node in 0..{size - 1}, found {nodes.min()}..{nodes.max()}")
