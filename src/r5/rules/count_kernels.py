"""Compiled kernels that count which entities the bodies of rules connect.

Sources that reach the same entities stand together: *sets* of entities, each with the *members* that
reach it. Following one more relation from a set's entities gives the next set, for all its members at once.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels.compilation import int64, njit_inner, njit_outer

__all__ = ["Heads", "Scratch", "Sets", "Steps", "count", "digest", "fill_bits", "follow", "same_as_before"]

Array = NDArray[Any]


class Sets(NamedTuple):
    """Set i holds `values[offsets[i]:offsets[i + 1]]` and is reached by `members[starts[i]:starts[i + 1]]`."""

    values: Array
    offsets: Array
    members: Array
    starts: Array


class Steps(NamedTuple):
    """Where one relation leads: from the node of row i to `targets[offsets[i]:offsets[i + 1]]`."""

    place: Array  # [nodes], the row of each node, or -1
    offsets: Array  # [rows + 1]
    targets: Array
    line: Array  # [rows], for long rows the line of `bits` that holds the same targets, else -1
    bits: Array  # [lines, nodes / 64], a bit for each node


class Heads(NamedTuple):
    """The facts that are looked for: head i has the rows `firsts[i]:lasts[i]`, each of one node."""

    firsts: Array
    lasts: Array
    nodes: Array  # [rows], in order within a head
    offsets: Array  # [rows + 1]
    targets: Array


class Scratch(NamedTuple):
    """What is reached from a set: the nodes marked with its stamp or, where there are many, those whose bit is set."""

    mark: Array  # [nodes]
    bits: Array  # [nodes / 64]
    stamp: Array  # [1], the last one used


@njit_inner
def reached(scratch: Scratch, dense: bool, node: int) -> bool:
    """Whether the node is reached from the set at hand."""
    if dense:
        return bool((scratch.bits[node >> 6] >> np.uint64(node & 63)) & np.uint64(1))
    return bool(scratch.mark[node] == scratch.stamp[0])


@njit_inner
def ones(word: int) -> int:
    """How many bits of a word are set."""
    x = np.uint64(word)
    x -= (x >> np.uint64(1)) & np.uint64(0x5555555555555555)
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return int64((x * np.uint64(0x0101010101010101)) >> np.uint64(56))


@njit_inner
def has_long_row(sets: Sets, i: int, steps: Steps) -> bool:
    """Whether a node of set i has so many targets that bits are quicker than marks."""
    for k in range(sets.offsets[i], sets.offsets[i + 1]):
        row = steps.place[sets.values[k]]
        if row >= 0 and steps.line[row] >= 0:
            return True
    return False


@njit_inner
def mark_targets(sets: Sets, i: int, steps: Steps, scratch: Scratch) -> int:
    """Mark where a step leads from set i, and return how many nodes that are."""
    size, stamp = int64(0), scratch.stamp[0]
    for k in range(sets.offsets[i], sets.offsets[i + 1]):
        row = steps.place[sets.values[k]]
        if row >= 0:
            for j in range(steps.offsets[row], steps.offsets[row + 1]):
                size += scratch.mark[steps.targets[j]] != stamp
                scratch.mark[steps.targets[j]] = stamp
    return size


@njit_inner
def set_bits(sets: Sets, i: int, steps: Steps, scratch: Scratch) -> int:
    """The same with bits."""
    bits = scratch.bits
    for w in range(bits.size):
        bits[w] = 0
    for k in range(sets.offsets[i], sets.offsets[i + 1]):
        row = steps.place[sets.values[k]]
        if row >= 0 and steps.line[row] >= 0:
            line = steps.line[row]
            for w in range(bits.size):
                bits[w] |= steps.bits[line, w]
        elif row >= 0:
            for j in range(steps.offsets[row], steps.offsets[row + 1]):
                node = steps.targets[j]
                bits[node >> 6] |= np.uint64(1) << np.uint64(node & 63)
    size = int64(0)
    for w in range(bits.size):
        size += ones(bits[w])
    return size


@njit_inner
def row_of(heads: Heads, head: int, node: int) -> int:
    """The row of a node among those of one head, or -1."""
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
    steps: Steps,
    stay: bool,
    heads: Heads,
    loops: bool,
    scratch: Scratch,
    pairs: Array,
    facts: Array,
    asked: Array,
) -> None:
    """Add to `pairs` how many pairs a further step connects, and to `facts` how many of them each head holds for.

    `asked` gets the pairs whose first node has the head at all.
    With `stay` the pairs are those of the sets as they are; without `loops` those of a node with itself are left out.
    """
    for i in range(sets.offsets.size - 1):
        scratch.stamp[0] += 1
        dense = False
        if stay:
            size = int64(sets.offsets[i + 1] - sets.offsets[i])
            for k in range(sets.offsets[i], sets.offsets[i + 1]):
                scratch.mark[sets.values[k]] = scratch.stamp[0]
        else:
            dense = has_long_row(sets, i, steps)
            size = set_bits(sets, i, steps, scratch) if dense else mark_targets(sets, i, steps, scratch)
        if size == 0:
            continue
        for m in range(sets.starts[i], sets.starts[i + 1]):
            source = sets.members[m]
            found = size - (1 if not loops and reached(scratch, dense, source) else 0)
            pairs[0] += found
            for head in range(heads.firsts.size):
                row = row_of(heads, head, source)
                if row >= 0:
                    has_head = False
                    for j in range(heads.offsets[row], heads.offsets[row + 1]):
                        target = heads.targets[j]
                        if loops or target != source:
                            has_head = True
                            if reached(scratch, dense, target):
                                facts[head] += 1
                    if has_head:
                        asked[head] += found


@njit_outer
def follow(sets: Sets, first: int, steps: Steps, scratch: Scratch, values: Array, sizes: Array) -> int:
    """Write where a step leads from set `first` and those after it, while there is room in `values`.

    Returns the first set that is left; `sizes[i]` is how many nodes are reached from set `first + i`.
    """
    used = int64(0)
    for i in range(first, sets.offsets.size - 1):
        room = int64(0)
        for k in range(sets.offsets[i], sets.offsets[i + 1]):
            row = steps.place[sets.values[k]]
            if row >= 0:
                room += steps.offsets[row + 1] - steps.offsets[row]
        if used + min(room, scratch.mark.size) > values.size:
            return i
        scratch.stamp[0] += 1
        before = used
        for k in range(sets.offsets[i], sets.offsets[i + 1]):
            row = steps.place[sets.values[k]]
            if row >= 0:
                for j in range(steps.offsets[row], steps.offsets[row + 1]):
                    node = steps.targets[j]
                    if scratch.mark[node] != scratch.stamp[0]:
                        scratch.mark[node] = scratch.stamp[0]
                        values[used] = node
                        used += 1
        sizes[i - first] = used - before
    return int64(sets.offsets.size - 1)


@njit_outer
def digest(values: Array, offsets: Array, digests: Array) -> None:
    """A number for each set that does not depend on the order of its values."""
    for i in range(offsets.size - 1):
        total = np.uint64(0)
        for k in range(offsets[i], offsets[i + 1]):
            x = np.uint64(values[k]) + np.uint64(0x9E3779B97F4A7C15)
            x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            total += x ^ (x >> np.uint64(31))
        digests[i] = total


@njit_outer
def same_as_before(values: Array, offsets: Array, digests: Array, order: Array, scratch: Scratch, same: Array) -> None:
    """Whether the set at each place of an order equals the one before it; sets with one digest stand together there."""
    for place in range(1, order.size):
        one, other = order[place - 1], order[place]
        size = offsets[one + 1] - offsets[one]
        if digests[one] == digests[other] and size == offsets[other + 1] - offsets[other]:
            scratch.stamp[0] += 1
            for k in range(offsets[one], offsets[one + 1]):
                scratch.mark[values[k]] = scratch.stamp[0]
            equal = True
            for k in range(offsets[other], offsets[other + 1]):
                equal = equal and scratch.mark[values[k]] == scratch.stamp[0]
            same[place] = equal


@njit_outer
def fill_bits(rows: Array, offsets: Array, targets: Array, bits: Array) -> None:
    """Set the bits of the targets of some rows, a line each."""
    for line in range(rows.size):
        for j in range(offsets[rows[line]], offsets[rows[line] + 1]):
            node = targets[j]
            bits[line, node >> 6] |= np.uint64(1) << np.uint64(node & 63)
