"""The compiled kernel that finds the relation sequences of many queries in one call."""

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

__all__ = ["FULL", "NO_ROOM", "SOME", "Bag", "Options", "Queries", "find_some", "new_bag", "sample", "taken"]

ALL, SOME, NO_ROOM, FULL = 0, 1, 2, 3
"""How a kernel ends: with all sequences, with some to sample from, out of room in the bag or in the result."""


ENUMERATED = 4
"""Up to so many times the limit, sequences are enumerated and then chosen from; drawing would repeat itself often."""


class Options(NamedTuple):
    """Which paths are wanted, and how much effort each query is worth."""

    shortest: bool
    simple: bool
    skip_direct: bool
    dummy: int
    """The relation that follows a direct edge, or -1 for none."""
    max_length: int
    limit: int
    seed: int
    steps: int
    """Edges that may be tried for one query, in enumerating and again in sampling."""


class Queries(NamedTuple):
    """Columns of the examples, nodes as numbered in the pool, and of what is found."""

    sources: Array  # [examples]
    targets: Array
    hidden: Array
    firsts: Array  # the first node of the example's graph
    counts: Array  # how many sequences it has; to be filled
    complete: Array  # whether these are all; to be filled


class Bag(NamedTuple):
    """Sequences in rows: relations `values[starts[i]:starts[i + 1]]`, and one node more each in `nodes`.

    Distinct rows stand in a hash table by `serial + row + 1`; entries up to `serial` are of earlier queries.
    """

    values: Array
    nodes: Array  # row i starts at starts[i] + i
    starts: Array
    chosen: Array
    order: Array
    spare: Array
    table: Array


def new_bag(rows: int) -> Bag:
    """Room for so many rows (a power of two), of eight relations on average."""
    return Bag(
        values=np.zeros(8 * rows, np.int32),
        nodes=np.zeros(9 * rows, np.int32),
        starts=np.zeros(rows + 1, np.int64),
        chosen=np.zeros(rows, np.bool_),
        order=np.zeros(rows, np.int64),
        spare=np.zeros(rows, np.int64),
        table=np.zeros(2 * rows, np.int64),
    )


def taken(bag: Bag, rows: int) -> tuple[Array, Array, Array]:
    """Copies of the lengths, relations and nodes of the first rows."""
    size = bag.starts[rows]
    return np.diff(bag.starts[: rows + 1]), bag.values[:size].copy(), bag.nodes[: size + rows].copy()


@njit_inner
def compared(bag: Bag, first: int, second: int) -> int:
    """Below, at or above zero as the first row comes before, equals or comes after the second: shorter ones first."""
    start, other = bag.starts[first], bag.starts[second]
    length = bag.starts[first + 1] - start
    difference = length - (bag.starts[second + 1] - other)
    k = 0
    while difference == 0 and k < length:
        difference = np.int64(bag.values[start + k]) - bag.values[other + k]
        k += 1
    return int(difference)


@njit_inner
def add(edges: Edges, scratch: Scratch, bag: Bag, nodes: Array, path: Array, length: int, dummy: int) -> int:
    """Spell a path as a new row and return the row that holds its sequence, old or new; -1 where there is no room."""
    state = scratch.state[0]
    row, mask = state.rows, bag.table.size - 1
    start, size = bag.starts[row], 2 if length == 1 and dummy >= 0 else length
    if row + 1 >= bag.starts.size or start + size > bag.values.size:
        return -1
    hashed = np.uint64(14695981039346656037)
    for k in range(size):
        relation = edges.relations[path[k]] if k < length else dummy
        bag.values[start + k] = relation
        hashed = (hashed ^ np.uint64(relation)) * np.uint64(1099511628211)
    for k in range(size + 1):
        bag.nodes[start + row + k] = nodes[min(k, length)]
    bag.starts[row + 1] = start + size
    slot = np.int64(hashed >> np.uint64(20)) & mask
    while bag.table[slot] > state.serial:
        other = bag.table[slot] - state.serial - 1
        if compared(bag, other, row) == 0:
            return int(other)
        slot = (slot + 1) & mask
    bag.table[slot] = state.serial + row + 1
    bag.chosen[row] = False
    state.rows += 1
    return int(row)


@njit_inner
def enumerate_sequences(edges: Edges, scratch: Scratch, query: Query, options: Options, bag: Bag) -> int:
    """Gather distinct sequences, up to ENUMERATED times the limit; all are chosen if these are few enough."""
    state = scratch.state[0]
    state.steps = options.steps
    begin(edges, scratch, query, state.cutoff, False)
    length, row = 1, 0
    while length > 0 and row >= 0 and state.rows <= ENUMERATED * options.limit:
        length = next_path(edges, scratch, query)
        if length > 0:
            row = add(edges, scratch, bag, scratch.nodes, scratch.edges, length, options.dummy)
    unwind(edges, scratch)
    state.listed = length == 0
    few = state.listed and state.rows <= options.limit
    for k in range(state.rows):
        bag.chosen[k] = few
    return NO_ROOM if row < 0 else ALL if few else SOME


@njit_inner
def gather(edges: Edges, scratch: Scratch, query: Query, options: Options, bag: Bag) -> int:
    """Gather the sequences of one query, at the smallest cutoff that has any where `shortest` is set.

    Where cutoff after cutoff has none, it ends when all steps of the query are spent.
    """
    state = scratch.state[0]
    state.serial += state.rows
    state.rows = 0
    outcome, least, spent = ALL, 2 if options.shortest else options.max_length, 0
    # Distances say where paths may exist; where none does (facts may not repeat), the next cutoff is tried.
    while state.rows == 0 and outcome == ALL and least <= options.max_length:
        explore(edges, scratch, query, least, options.max_length)
        if state.cutoff < 0:
            break
        outcome = enumerate_sequences(edges, scratch, query, options, bag)
        least = state.cutoff + 1
        spent += options.steps - state.steps + scratch.sides[TARGET].right
        if state.rows == 0 and outcome == ALL and options.shortest and spent > options.steps:
            outcome = SOME
    return outcome


@njit_inner
def sort_chosen(scratch: Scratch, bag: Bag) -> int:
    """Put the chosen rows into `bag.order`, sorted by their sequences, and return their number: a merge sort."""
    rows, merged, count = bag.order, bag.spare, 0
    for row in range(scratch.state[0].rows):
        if bag.chosen[row]:
            rows[count] = row
            count += 1
    width = 1
    while width < count:
        for left in range(0, count, 2 * width):
            middle, right = min(left + width, count), min(left + 2 * width, count)
            first, second = left, middle
            for k in range(left, right):
                if second >= right or (first < middle and compared(bag, rows[first], rows[second]) <= 0):
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
def copy_rows(bag: Bag, count: int, found: Bag, at: int) -> bool:
    """Append the ordered rows to `found` from its row `at`; False where there is no room."""
    size = 0
    for k in range(count):
        size += bag.starts[bag.order[k] + 1] - bag.starts[bag.order[k]]
    if at + count >= found.starts.size or found.starts[at] + size > found.values.size:
        return False
    for k in range(count):
        row = bag.order[k]
        start, stop, to = bag.starts[row], bag.starts[row + 1], found.starts[at + k]
        for j in range(stop - start):
            found.values[to + j] = bag.values[start + j]
        for j in range(stop - start + 1):
            found.nodes[to + at + k + j] = bag.nodes[start + row + j]
        found.starts[at + k + 1] = to + stop - start
    return True


@njit_outer
def find_some(
    edges: Edges, scratch: Scratch, bag: Bag, found: Bag, queries: Queries, options: Options, first: int, total: int
) -> tuple[int, int, int]:
    """Answer queries from the first on and append their sequences to the `total` rows found.

    Returns the next query, the rows found and, where queries are left, why it stopped: that query has
    SOME sequences to sample from, more than the bag has room for (NO_ROOM), or the result is FULL.
    """
    state = scratch.state[0]
    for i in range(first, queries.sources.size):
        if not state.sampled:
            query = Query(
                queries.sources[i], queries.targets[i], queries.hidden[i], options.simple, options.skip_direct
            )
            outcome = gather(edges, scratch, query, options, bag)
            if outcome != ALL:
                return i, total, outcome
        count = sort_chosen(scratch, bag)
        if not copy_rows(bag, count, found, total):
            return i, total, FULL
        queries.counts[i], queries.complete[i] = count, not state.sampled
        state.sampled = False
        total += count
    return queries.sources.size, total, ALL


@njit_inner
def choose_listed(scratch: Scratch, bag: Bag, limit: int) -> None:
    """Choose so many of all rows, each set of rows being equally likely."""
    wanted, rows = limit, scratch.state[0].rows
    for row in range(rows):
        bag.chosen[row] = random(scratch) * (rows - row) < wanted
        wanted -= 1 if bag.chosen[row] else 0


@njit_outer
def sample(edges: Edges, scratch: Scratch, bag: Bag, walks: Walks, queries: Queries, options: Options, i: int) -> int:
    """Choose sequences of query i at random, up to the limit, unless the bag has NO_ROOM.

    Where the steps run out, other sequences that were met fill up: drawn ones first, then those enumerated.
    """
    source, target, first = queries.sources[i], queries.targets[i], queries.firsts[i]
    query = Query(source, target, queries.hidden[i], options.simple, options.skip_direct)
    state = scratch.state[0]
    seed_random(scratch, options.seed, source - first, target - first)
    state.sampled = True
    if state.listed:
        choose_listed(scratch, bag, options.limit)
        return ALL
    state.steps = options.steps
    count_walks(edges, scratch, query, walks)
    enough, wanted, length = state.rows + options.limit, options.limit, 1
    while length != 0 and wanted > 0:
        length = draw(edges, scratch, query, walks)
        if length > 0 or (length < 0 and state.rows < enough):
            row = add(edges, scratch, bag, walks.nodes, walks.edges, abs(length), options.dummy)
            if row < 0:
                state.sampled = False
                return NO_ROOM
            if length > 0 and not bag.chosen[row]:
                bag.chosen[row] = True
                wanted -= 1
    for row in range(state.rows - 1, -1, -1):
        if wanted > 0 and not bag.chosen[row]:
            bag.chosen[row] = True
            wanted -= 1
    return ALL
