"""find_paths: relation sequences along the paths from a query's source to its target."""

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
from r5.paths.query_kernels import (
    RESULT_FULL,
    SOME,
    TABLE_FULL,
    Options,
    Queries,
    copied_rows,
    find_some,
    new_table,
    sample,
)
from r5.paths.sampling_kernels import ensure_capacity, new_walks
from r5.paths.search_kernels import Array, Edges, new_scratch, without_repeats
from r5.paths.settings import Direct, Policy
from r5.relations import DUMMY, Vocabulary

__all__ = ["PathSet", "Tick", "find_paths"]

Tick = Callable[[int, int], None]
"""Callback with the number of examples done and of all, several times a second; an exception ends the search."""

_COPIES = 2
"""Number of copies of the paths in memory while parts are concatenated."""
_MEMORY_HINT = "set path_limit lower, or take fewer examples"

STEPS_PER_SEQUENCE = 10_000
"""Maximum number of edges tried per requested sequence, of at least 100 sequences, by enumeration and by sampling."""


@dataclass(frozen=True, eq=False)
class PathSet:
    """Distinct relation sequences of each example, in columns, sorted by length and relation ids."""

    starts: NDArray[np.int64]
    """The sequences of example i are rows `starts[i]:starts[i + 1]`, [examples + 1]."""
    sequences: Ragged
    """Relation ids of each sequence."""
    nodes: Ragged | None
    """Nodes of one path of each sequence, in the ids of the example's graph; None if not requested."""
    complete: NDArray[np.bool_]
    """False for examples whose sequences are a sample, [examples]."""
    vocabulary: Vocabulary
    """Relations of the examples and, if requested, the dummy relation."""

    def __len__(self) -> int:
        return int(self.starts.size) - 1

    def __getitem__(self, example: int) -> list[tuple[int, ...]]:
        """Return the relation sequences of one example."""
        return [tuple(self.sequences[row].tolist()) for row in self.rows(example)]

    def names(self, example: int) -> list[tuple[str, ...]]:
        """Return the relation sequences of one example, by name."""
        return [self.vocabulary.names(sequence) for sequence in self[example]]

    def witnesses(self, example: int) -> list[tuple[int, ...]]:
        """Return the nodes of one path for each sequence of an example.

        Raises:
            R5Error: The nodes were not requested.
        """
        if self.nodes is None:
            raise R5Error("the nodes of the paths were not kept; request them with find_paths(..., nodes=True)")
        return [tuple(self.nodes[row].tolist()) for row in self.rows(example)]

    def in_words_of(self, names: Sequence[str], unknown: int | None = None, row: int | None = None) -> Ragged:
        """Return the sequences in the relation ids of a model.

        Args:
            names: Relation names of the model, in order of their ids.
            unknown: Id of relations that the model lacks; by default len(names).
            row: Convert only this row.
        """
        ids = {name: number for number, name in enumerate(names)}
        other = len(names) if unknown is None else unknown
        table = np.array([ids.get(name, other) for name in self.vocabulary], dtype=np.int32)
        sequences = self.sequences if row is None else Ragged.of([self.sequences[row].tolist()])
        values = sequences.values
        return Ragged(table[values] if values.size else values, sequences.offsets)

    def rows(self, example: int) -> range:
        """Return the rows of one example."""
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
    steps_per_sequence: int = STEPS_PER_SEQUENCE,
) -> PathSet:
    """Find the distinct relation sequences along the paths from each query's source to its target.

    - `shortest`: the smallest cutoff of at least two edges at which a path exists, and all simple paths up to it.
    - `simple`: all simple paths of up to `max_length` edges.
    - `trail`: paths that may repeat nodes, even the query's ends.

    No policy uses a fact twice or an example's masked fact. If the source is the target, a simple path is a cycle.

    If there are more than `limit` sequences, a uniform sample of the distinct sequences is drawn, without enumeration
    if there are many. The sample depends on the seed and the query, not on the batch. The number of steps is bounded.
    If it is reached, as in dense graphs where few walks are paths, the sample is completed by other sequences found.

    Args:
        examples: The queries.
        policy: Admitted paths: `shortest`, `simple` or `trail`.
        max_length: Maximum number of edges for `simple` and `trail`.
        limit: Maximum number of sequences per example (the paper's L).
        direct: Treatment of a direct edge between the ends: `skip`, `keep` as a sequence of one relation, or `dummy`,
            followed by the dummy relation of the paper's Appendix A.5, for rules with one relation in the body.
        nodes: Keep the nodes of one path per sequence.
        seed: Seed of the sample.
        tick: Callback with the number of examples done and of all; an exception ends the search.
        steps_per_sequence: Maximum number of edges tried per requested sequence.

    Returns:
        The sequences of all examples.

    Raises:
        R5Error: An option or a query is invalid.

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
        examples = Examples.over(examples.graph, *ends, [-1], [examples.masked_fact])
    examples = Examples.read(examples)
    _check_queries(examples)
    vocabulary = examples.vocabulary.with_known(DUMMY) if direct == "dummy" else examples.vocabulary
    shortest = policy == "shortest"
    longest = int(np.diff(examples.edge_offsets).max(initial=2))  # a path has at most all edges of its graph
    options = Options(
        shortest=shortest,
        simple=policy != "trail",
        skip_direct=direct == "skip",
        dummy=vocabulary.id(DUMMY) if direct == "dummy" else -1,
        max_length=max(longest, 2) if shortest else min(int(max_length), max(longest, 2)),
        limit=min(int(limit), 2**31),
        seed=(int(seed) + 2**63) % 2**64 - 2**63,
        steps=steps_per_sequence * min(max(int(limit), 100), 2**31),
    )
    return _find(examples, options, vocabulary, nodes, tick)


def _find(examples: Examples, options: Options, vocabulary: Vocabulary, nodes: bool, tick: Tick | None) -> PathSet:
    """Run the kernels over all examples and concatenate the results."""
    firsts = examples.node_offsets[examples.graph_of]
    queries = Queries(
        sources=_packed(examples.sources),
        targets=_packed(examples.targets),
        masked=_packed(examples.masked_facts),
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
    """Yield lengths, relations and nodes of the sequences, part by part, with buffers that grow on demand.

    Each call of a kernel is short, so that interrupts are handled soon.
    """
    edges, number_of_facts = _edges(pool)
    scratch = new_scratch(pool.number_of_nodes, number_of_facts, options.max_length)
    table, found, walks = new_table(2**9), new_table(2**12), new_walks(0, options.max_length)
    at, rows, outcome, total, held, batch = 0, 0, RESULT_FULL, queries.sources.size, 0, AdaptiveBatchSize()
    while at < total:
        piece = Queries(*(column[: at + batch.size] for column in queries))
        at, rows, outcome = find_some(edges, scratch, table, found, piece, options, at, rows)
        if outcome == SOME:
            walks = ensure_capacity(walks, scratch)
            outcome = sample(edges, scratch, table, walks, queries, options, at)
        if outcome == TABLE_FULL:
            table = new_table(2 * table.chosen.size)
        elif outcome == RESULT_FULL and rows == 0:
            found = new_table(2 * found.chosen.size)
        elif outcome == RESULT_FULL:
            part = copied_rows(found, rows)
            held += sum(array.nbytes for array in part)
            needed = _COPIES * held * total / at - held
            check_memory(needed, f"keeping the paths of {total:,} examples", _MEMORY_HINT)
            yield part
            rows = 0
        batch.update()
        if tick is not None:
            tick(at, total)
    yield copied_rows(found, rows)


def _edges(pool: Graph) -> tuple[Edges, int]:
    """Return the pool's arrays for the kernels, and the number of its facts."""
    sources, targets, relations, facts = map(_packed, (pool.sources, pool.targets, pool.relations, pool.facts))
    number_of_facts = int(facts.max(initial=-1)) + 1
    edges = Edges(
        outgoing_starts=_packed(pool.outgoing.offsets),
        outgoing=_packed(pool.outgoing.edges),
        incoming_starts=_packed(pool.incoming.offsets),
        incoming=_packed(pool.incoming.edges),
        sources=sources,
        targets=targets,
        relations=relations,
        facts=_packed(without_repeats(sources, targets, relations, facts, number_of_facts)),
    )
    return edges, number_of_facts


def _packed(array: NDArray[Any]) -> NDArray[Any]:
    """Return a contiguous, read-only array, so that kernels are compiled for one array type."""
    packed = np.ascontiguousarray(array).view()
    packed.flags.writeable = False
    return packed


def _offsets(lengths: NDArray[Any]) -> NDArray[np.int64]:
    """Return the offsets of rows of given lengths, [rows + 1]."""
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
