"""Compiled kernels that count the pairs of entities connected by rule bodies.

Sources that reach the same entities are grouped: each *set* of reached entities has *members*, the sources that
reach it. Following a relation from a set's entities gives the next set, for all its members at once.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels.compilation import int64, njit_inner, njit_outer
from r5._util.kernels.random_kernels import GOLDEN_RATIO, mix_bits

__all__ = [
    "Adjacency",
    "Counters",
    "Heads",
    "Scratch",
    "Sets",
    "count",
    "digest",
    "fill_bits",
    "follow",
    "mark_repeats",
]

Array = NDArray[Any]


class Sets(NamedTuple):
    """Sets of reached nodes: `members[starts[i]:starts[i + 1]]` reach `values[offsets[i]:offsets[i + 1]]`.

    Args:
        values: Reached nodes.
        offsets: Start of each set, [sets + 1].
        members: Sources that reach a set.
        starts: Start of each set's members, [sets + 1].
    """

    values: Array
    offsets: Array
    members: Array
    starts: Array


class Adjacency(NamedTuple):
    """Edges of one relation in CSR form: row i leads to `targets[offsets[i]:offsets[i + 1]]`.

    Args:
        row: Row of each node, or -1, [nodes].
        offsets: Start of each row, [rows + 1].
        targets: Target nodes.
        bit_row: Index in `bits` of long rows, or -1, [rows].
        bits: Bit sets of the targets of long rows, [long rows, nodes / 64].
    """

    row: Array
    offsets: Array
    targets: Array
    bit_row: Array
    bits: Array


class Heads(NamedTuple):
    """Known facts of the heads in CSR form: head i has the rows `firsts[i]:lasts[i]`.

    Args:
        firsts: First row of each head, [heads].
        lasts: End of each head's rows, [heads].
        nodes: Source node of each row, ascending within a head, [rows].
        offsets: Start of each row, [rows + 1].
        targets: Target nodes.
    """

    firsts: Array
    lasts: Array
    nodes: Array
    offsets: Array
    targets: Array


class Counters(NamedTuple):
    """Output of `count`, which adds to the arrays.

    Args:
        pairs: Number of pairs that the body connects, [1].
        support: Number of these pairs for which the head holds, [heads].
        pca_pairs: Number of these pairs whose source has the head with some entity, [heads].
    """

    pairs: Array
    support: Array
    pca_pairs: Array


class Scratch(NamedTuple):
    """Scratch arrays for the nodes reached from a set: marked with a stamp or, for large sets, as bits.

    Args:
        mark: Stamp of each node, [nodes].
        bits: Bit set of the nodes, [nodes / 64].
        stamp: Last stamp used, [1].
    """

    mark: Array
    bits: Array
    stamp: Array


@njit_inner
def reached(scratch: Scratch, dense: bool, node: int) -> bool:
    """Return whether a node is reached from the current set."""
    if dense:
        return bool((scratch.bits[node >> 6] >> np.uint64(node & 63)) & np.uint64(1))
    return bool(scratch.mark[node] == scratch.stamp[0])


@njit_inner
def ones(word: int) -> int:
    """Return the number of set bits of a word."""
    x = np.uint64(word)
    x -= (x >> np.uint64(1)) & np.uint64(0x5555555555555555)
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return int64((x * np.uint64(0x0101010101010101)) >> np.uint64(56))


@njit_inner
def has_long_row(sets: Sets, i: int, adjacency: Adjacency) -> bool:
    """Return whether a node of set i has a long row, for which bits are faster than marks."""
    for k in range(sets.offsets[i], sets.offsets[i + 1]):
        row = adjacency.row[sets.values[k]]
        if row >= 0 and adjacency.bit_row[row] >= 0:
            return True
    return False


@njit_inner
def mark_targets(sets: Sets, i: int, adjacency: Adjacency, scratch: Scratch) -> int:
    """Mark the targets of set i and return their number."""
    size, stamp = int64(0), scratch.stamp[0]
    for k in range(sets.offsets[i], sets.offsets[i + 1]):
        row = adjacency.row[sets.values[k]]
        if row >= 0:
            for j in range(adjacency.offsets[row], adjacency.offsets[row + 1]):
                size += scratch.mark[adjacency.targets[j]] != stamp
                scratch.mark[adjacency.targets[j]] = stamp
    return size


@njit_inner
def set_bits(sets: Sets, i: int, adjacency: Adjacency, scratch: Scratch) -> int:
    """Set the bits of the targets of set i and return their number."""
    bits = scratch.bits
    for w in range(bits.size):
        bits[w] = 0
    for k in range(sets.offsets[i], sets.offsets[i + 1]):
        row = adjacency.row[sets.values[k]]
        if row >= 0 and adjacency.bit_row[row] >= 0:
            bit_row = adjacency.bit_row[row]
            for w in range(bits.size):
                bits[w] |= adjacency.bits[bit_row, w]
        elif row >= 0:
            for j in range(adjacency.offsets[row], adjacency.offsets[row + 1]):
                node = adjacency.targets[j]
                bits[node >> 6] |= np.uint64(1) << np.uint64(node & 63)
    size = int64(0)
    for w in range(bits.size):
        size += ones(bits[w])
    return size


@njit_inner
def row_of(heads: Heads, head: int, node: int) -> int:
    """Return the row of a node among those of one head, or -1."""
    low, high = heads.firsts[head], heads.lasts[head]
    while low < high:
        middle = (low + high) >> 1
        if heads.nodes[middle] < node:
            low = middle + 1
        else:
            high = middle
    return int64(low) if low < heads.lasts[head] and heads.nodes[low] == node else int64(-1)


@njit_outer
def count(
    sets: Sets,
    adjacency: Adjacency,
    stay: bool,
    heads: Heads,
    loops: bool,
    scratch: Scratch,
    counters: Counters,
) -> None:
    """Count the pairs that the sets, or a further step from them, connect.

    Args:
        sets: Reached nodes and their sources.
        adjacency: Edges of the further step.
        stay: Count the sets themselves, without a further step.
        heads: Known facts of the heads.
        loops: Also count pairs of a node with itself.
        scratch: Scratch arrays.
        counters: Output arrays.
    """
    for i in range(sets.offsets.size - 1):
        scratch.stamp[0] += 1
        dense = False
        if stay:
            size = int64(sets.offsets[i + 1] - sets.offsets[i])
            for k in range(sets.offsets[i], sets.offsets[i + 1]):
                scratch.mark[sets.values[k]] = scratch.stamp[0]
        else:
            dense = has_long_row(sets, i, adjacency)
            size = set_bits(sets, i, adjacency, scratch) if dense else mark_targets(sets, i, adjacency, scratch)
        if size == 0:
            continue
        for m in range(sets.starts[i], sets.starts[i + 1]):
            source = sets.members[m]
            found = size - (1 if not loops and reached(scratch, dense, source) else 0)
            counters.pairs[0] += found
            for head in range(heads.firsts.size):
                row = row_of(heads, head, source)
                if row >= 0:
                    has_head = False
                    for j in range(heads.offsets[row], heads.offsets[row + 1]):
                        target = heads.targets[j]
                        if loops or target != source:
                            has_head = True
                            if reached(scratch, dense, target):
                                counters.support[head] += 1
                    if has_head:
                        counters.pca_pairs[head] += found


@njit_outer
def follow(sets: Sets, first: int, adjacency: Adjacency, scratch: Scratch, values: Array, sizes: Array) -> int:
    """Follow a relation from the sets until a buffer is full.

    Args:
        sets: Reached nodes.
        first: First set to follow.
        adjacency: Edges of the relation.
        scratch: Scratch arrays.
        values: Output: the next reached nodes, set by set.
        sizes: Output: number of nodes reached from set `first + i`, [sets - first].

    Returns:
        The first set that did not fit.
    """
    used = int64(0)
    for i in range(first, sets.offsets.size - 1):
        bound = int64(0)
        for k in range(sets.offsets[i], sets.offsets[i + 1]):
            row = adjacency.row[sets.values[k]]
            if row >= 0:
                bound += adjacency.offsets[row + 1] - adjacency.offsets[row]
        if used + min(bound, scratch.mark.size) > values.size:
            return i
        scratch.stamp[0] += 1
        before = used
        for k in range(sets.offsets[i], sets.offsets[i + 1]):
            row = adjacency.row[sets.values[k]]
            if row >= 0:
                for j in range(adjacency.offsets[row], adjacency.offsets[row + 1]):
                    node = adjacency.targets[j]
                    if scratch.mark[node] != scratch.stamp[0]:
                        scratch.mark[node] = scratch.stamp[0]
                        values[used] = node
                        used += 1
        sizes[i - first] = used - before
    return int64(sets.offsets.size - 1)


@njit_outer
def digest(values: Array, offsets: Array, digests: Array) -> None:
    """Hash each set, independently of the order of its values."""
    for i in range(offsets.size - 1):
        total = np.uint64(0)
        for k in range(offsets[i], offsets[i + 1]):
            total += mix_bits(np.uint64(values[k]) + GOLDEN_RATIO)
        digests[i] = total


@njit_outer
def mark_repeats(values: Array, offsets: Array, digests: Array, order: Array, scratch: Scratch, same: Array) -> None:
    """Mark the positions of an order, sorted by digest, whose set equals the previous one."""
    for position in range(1, order.size):
        one, other = order[position - 1], order[position]
        size = offsets[one + 1] - offsets[one]
        if digests[one] == digests[other] and size == offsets[other + 1] - offsets[other]:
            scratch.stamp[0] += 1
            for k in range(offsets[one], offsets[one + 1]):
                scratch.mark[values[k]] = scratch.stamp[0]
            equal = True
            for k in range(offsets[other], offsets[other + 1]):
                equal = equal and scratch.mark[values[k]] == scratch.stamp[0]
            same[position] = equal


@njit_outer
def fill_bits(rows: Array, offsets: Array, targets: Array, bits: Array) -> None:
    """Set the bits of the targets of some rows, one bit set per row."""
    for i in range(rows.size):
        for j in range(offsets[rows[i]], offsets[rows[i] + 1]):
            node = targets[j]
            bits[i, node >> 6] |= np.uint64(1) << np.uint64(node & 63)
