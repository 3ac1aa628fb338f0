"""Compiled kernels that find the relation sequences of many queries in one call."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from r5._util.kernels.compilation import njit_inner, njit_outer
from r5.paths.sampling_kernels import Walks, count_walks, draw, random, seed_random
from r5.paths.search_kernels import (
    TARGET,
    Array,
    Edges,
    Query,
    Scratch,
    begin,
    explore,
    next_path,
    unwind,
)

__all__ = [
    "RESULT_FULL",
    "SOME",
    "TABLE_FULL",
    "Options",
    "Queries",
    "SequenceTable",
    "copied_rows",
    "find_some",
    "new_table",
    "sample",
]

ALL, SOME, TABLE_FULL, RESULT_FULL = 0, 1, 2, 3
"""Outcomes of a kernel: all sequences found, a sample is needed, the table is full, or the result is full."""


ENUMERATED = 4
"""Multiple of the limit up to which sequences are enumerated; drawing from so few would repeat itself."""


class Options(NamedTuple):
    """Admitted paths and bounds of the search."""

    shortest: bool
    simple: bool
    skip_direct: bool
    dummy: int
    """Relation that follows a direct edge, or -1 for none."""
    max_length: int
    limit: int
    """Maximum number of sequences per query."""
    seed: int
    steps: int
    """Maximum number of edges tried per query, for enumeration and again for sampling."""


class Queries(NamedTuple):
    """Columns of the examples, with node ids of the pool, and of the results; all are [examples]."""

    sources: Array
    targets: Array
    masked: Array
    """Masked fact, or -1."""
    firsts: Array
    """First node of the example's graph."""
    counts: Array
    """Output: number of sequences."""
    complete: Array
    """Output: True if all sequences were found."""


class SequenceTable(NamedTuple):
    """Sequences in rows, with a hash table of the distinct ones: row i is `values[starts[i]:starts[i + 1]]`."""

    values: Array
    """Relations of all rows."""
    nodes: Array
    """Nodes of all rows; row i starts at `starts[i] + i`."""
    starts: Array
    """Start of each row, [rows + 1]."""
    chosen: Array
    """Mask of the rows that are returned, [rows]."""
    order: Array
    """Chosen rows in order, [rows]."""
    buffer: Array
    """Buffer of the merge sort, [rows]."""
    slots: Array
    """Hash table of `serial + row + 1`; entries up to `serial` belong to earlier queries, [2 * rows]."""


def new_table(rows: int) -> SequenceTable:
    """Allocate a table of some rows (a power of two), of eight relations on average."""
    return SequenceTable(
        values=np.zeros(8 * rows, np.int32),
        nodes=np.zeros(9 * rows, np.int32),
        starts=np.zeros(rows + 1, np.int64),
        chosen=np.zeros(rows, np.bool_),
        order=np.zeros(rows, np.int64),
        buffer=np.zeros(rows, np.int64),
        slots=np.zeros(2 * rows, np.int64),
    )


def copied_rows(table: SequenceTable, rows: int) -> tuple[Array, Array, Array]:
    """Return copies of the lengths, relations and nodes of the first rows."""
    size = table.starts[rows]
    return np.diff(table.starts[: rows + 1]), table.values[:size].copy(), table.nodes[: size + rows].copy()


@njit_inner
def compare(table: SequenceTable, first: int, second: int) -> int:
    """Compare two rows by length and relations; return a negative number, zero or a positive number."""
    start, other = table.starts[first], table.starts[second]
    length = table.starts[first + 1] - start
    difference = length - (table.starts[second + 1] - other)
    k = 0
    while difference == 0 and k < length:
        difference = np.int64(table.values[start + k]) - table.values[other + k]
        k += 1
    return int(difference)


@njit_inner
def add(
    edges: Edges, scratch: Scratch, table: SequenceTable, nodes: Array, path: Array, length: int, dummy: int
) -> int:
    """Add the relation sequence of a path; return its row, new or known, or -1 if the table is full."""
    state = scratch.state[0]
    row, mask = state.rows, table.slots.size - 1
    start, size = table.starts[row], 2 if length == 1 and dummy >= 0 else length
    if row + 1 >= table.starts.size or start + size > table.values.size:
        return -1
    hashed = np.uint64(14695981039346656037)
    for k in range(size):
        relation = edges.relations[path[k]] if k < length else dummy
        table.values[start + k] = relation
        hashed = (hashed ^ np.uint64(relation)) * np.uint64(1099511628211)
    for k in range(size + 1):
        table.nodes[start + row + k] = nodes[min(k, length)]
    table.starts[row + 1] = start + size
    slot = np.int64(hashed >> np.uint64(20)) & mask
    while table.slots[slot] > state.serial:
        other = table.slots[slot] - state.serial - 1
        if compare(table, other, row) == 0:
            return int(other)
        slot = (slot + 1) & mask
    table.slots[slot] = state.serial + row + 1
    table.chosen[row] = False
    state.rows += 1
    return int(row)


@njit_inner
def enumerate_sequences(edges: Edges, scratch: Scratch, query: Query, options: Options, table: SequenceTable) -> int:
    """Enumerate distinct sequences, up to ENUMERATED times the limit; choose all if they are within the limit."""
    state = scratch.state[0]
    state.steps = options.steps
    begin(edges, scratch, query, state.cutoff, False)
    length, row = 1, 0
    while length > 0 and row >= 0 and state.rows <= ENUMERATED * options.limit:
        length = next_path(edges, scratch, query)
        if length > 0:
            row = add(edges, scratch, table, scratch.nodes, scratch.edges, length, options.dummy)
    unwind(edges, scratch)
    state.exhaustive = length == 0
    few = state.exhaustive and state.rows <= options.limit
    for k in range(state.rows):
        table.chosen[k] = few
    return TABLE_FULL if row < 0 else ALL if few else SOME


@njit_inner
def gather(edges: Edges, scratch: Scratch, query: Query, options: Options, table: SequenceTable) -> int:
    """Enumerate the sequences of one query; with `shortest`, at the smallest cutoff that has any.

    The search over cutoffs ends when the steps of the query are spent.
    """
    state = scratch.state[0]
    state.serial += state.rows
    state.rows = 0
    outcome, least, spent = ALL, 2 if options.shortest else options.max_length, 0
    # Distances are necessary, not sufficient: facts must not repeat. Without a path the next cutoff is tried.
    while state.rows == 0 and outcome == ALL and least <= options.max_length:
        explore(edges, scratch, query, least, options.max_length)
        if state.cutoff < 0:
            break
        outcome = enumerate_sequences(edges, scratch, query, options, table)
        least = state.cutoff + 1
        spent += options.steps - state.steps + scratch.sides[TARGET].right
        if state.rows == 0 and outcome == ALL and options.shortest and spent > options.steps:
            outcome = SOME
    return outcome


@njit_inner
def sort_chosen(scratch: Scratch, table: SequenceTable) -> int:
    """Write the chosen rows to `table.order`, sorted by their sequences (merge sort), and return their number."""
    rows, merged, count = table.order, table.buffer, 0
    for row in range(scratch.state[0].rows):
        if table.chosen[row]:
            rows[count] = row
            count += 1
    width = 1
    while width < count:
        for left in range(0, count, 2 * width):
            middle, right = min(left + width, count), min(left + 2 * width, count)
            first, second = left, middle
            for k in range(left, right):
                if second >= right or (first < middle and compare(table, rows[first], rows[second]) <= 0):
                    merged[k] = rows[first]
                    first += 1
                else:
                    merged[k] = rows[second]
                    second += 1
        for k in range(count):
            rows[k] = merged[k]
        width *= 2
    return count


@njit_inner
def copy_rows(table: SequenceTable, count: int, found: SequenceTable, at: int) -> bool:
    """Append the ordered rows to `found` from its row `at`; return False if it is full."""
    size = 0
    for k in range(count):
        size += table.starts[table.order[k] + 1] - table.starts[table.order[k]]
    if at + count >= found.starts.size or found.starts[at] + size > found.values.size:
        return False
    for k in range(count):
        row = table.order[k]
        start, stop, to = table.starts[row], table.starts[row + 1], found.starts[at + k]
        for j in range(stop - start):
            found.values[to + j] = table.values[start + j]
        for j in range(stop - start + 1):
            found.nodes[to + at + k + j] = table.nodes[start + row + j]
        found.starts[at + k + 1] = to + stop - start
    return True


@njit_outer
def find_some(
    edges: Edges,
    scratch: Scratch,
    table: SequenceTable,
    found: SequenceTable,
    queries: Queries,
    options: Options,
    first: int,
    total: int,
) -> tuple[int, int, int]:
    """Find the sequences of queries and append them to `found`.

    Args:
        edges: The pool of graphs.
        scratch: Scratch arrays.
        table: Sequences of the current query.
        found: Output: sequences of all queries.
        queries: The queries.
        options: Options of the search.
        first: First query.
        total: Number of rows in `found`.

    Returns:
        The next query, the number of rows in `found`, and the outcome: ALL at the end of the queries; SOME if the
        next query needs a sample; TABLE_FULL or RESULT_FULL if a buffer is too small.
    """
    state = scratch.state[0]
    for i in range(first, queries.sources.size):
        if not state.sampled:
            query = Query(
                queries.sources[i], queries.targets[i], queries.masked[i], options.simple, options.skip_direct
            )
            outcome = gather(edges, scratch, query, options, table)
            if outcome != ALL:
                return i, total, outcome
        count = sort_chosen(scratch, table)
        if not copy_rows(table, count, found, total):
            return i, total, RESULT_FULL
        queries.counts[i], queries.complete[i] = count, not state.sampled
        state.sampled = False
        total += count
    return queries.sources.size, total, ALL


@njit_inner
def choose_rows(scratch: Scratch, table: SequenceTable, limit: int) -> None:
    """Choose a uniform random subset of `limit` rows."""
    wanted, rows = limit, scratch.state[0].rows
    for row in range(rows):
        table.chosen[row] = random(scratch) * (rows - row) < wanted
        wanted -= 1 if table.chosen[row] else 0


@njit_outer
def sample(
    edges: Edges, scratch: Scratch, table: SequenceTable, walks: Walks, queries: Queries, options: Options, i: int
) -> int:
    """Draw a sample of the sequences of query i, up to the limit; return ALL or TABLE_FULL.

    When the steps are spent, the sample is completed by other sequences found: drawn ones first, then enumerated ones.
    """
    source, target, first = queries.sources[i], queries.targets[i], queries.firsts[i]
    query = Query(source, target, queries.masked[i], options.simple, options.skip_direct)
    state = scratch.state[0]
    seed_random(scratch, options.seed, source - first, target - first)
    state.sampled = True
    if state.exhaustive:
        choose_rows(scratch, table, options.limit)
        return ALL
    state.steps = options.steps
    count_walks(edges, scratch, query, walks)
    enough, wanted, length = state.rows + options.limit, options.limit, 1
    while length != 0 and wanted > 0:
        length = draw(edges, scratch, query, walks)
        if length > 0 or (length < 0 and state.rows < enough):
            row = add(edges, scratch, table, walks.nodes, walks.edges, abs(length), options.dummy)
            if row < 0:
                state.sampled = False
                return TABLE_FULL
            if length > 0 and not table.chosen[row]:
                table.chosen[row] = True
                wanted -= 1
    for row in range(state.rows - 1, -1, -1):
        if wanted > 0 and not table.chosen[row]:
            table.chosen[row] = True
            wanted -= 1
    return ALL
