"""Support and confidence of rules on a graph, counted over distinct pairs of entities.

A pair counts once, however many groundings connect it. Bodies with a common prefix are evaluated together, from all
sources at once, in blocks that bound the memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from r5._util.ragged import Ragged
from r5._util.runtime.progress import Progress, ProgressCallback
from r5.graph import Graph
from r5.rules import support_kernels as kernels
from r5.rules.constant_support import ConstantRuleCounter, Counts
from r5.rules.relation_index import RelationIndex
from r5.rules.rule import Rule
from r5.rules.support_kernels import Counters, Heads, Scratch, Sets

__all__ = ["evaluate_rules"]

_BLOCK_SIZE = 1 << 20
"""Maximum number of reached entities per block; at least the number of the graph's entities is used."""


def evaluate_rules(
    rules: Sequence[Rule],
    graph: Graph,
    loops: bool,
    progress: ProgressCallback | None = None,
    block_size: int = _BLOCK_SIZE,
) -> list[Rule]:
    """Replace the statistics of rules by counts on a graph; weights stay.

    Args:
        rules: The rules.
        graph: The graph.
        loops: Also count pairs of an entity with itself.
        progress: Called with the number of evaluated rules.
        block_size: Maximum number of reached entities per block; the counts do not depend on it.

    Returns:
        The rules in the same order, with support, predictions, confidence, head coverage and PCA confidence.
    """
    names = {name for rule in rules for name in (rule.head, *rule.relations)}
    index = RelationIndex(graph, names)
    counter = _Counter(index, loops, block_size)
    trie = _trie(rule for rule in rules if rule.target is None)
    counter.run(trie, progress)
    constant_counter = ConstantRuleCounter(graph, [rule for rule in rules if rule.target is not None], loops)
    known = {head: index.number_of_pairs(head, loops) for head in {rule.head for rule in rules}}

    def counts(rule: Rule) -> Counts:
        if rule.target is not None:
            return constant_counter.count(rule)
        node = _find(trie, rule.relations)
        return Counts(node.pairs, *node.heads[rule.head], known[rule.head])

    return [_counted(rule, counts(rule)) for rule in rules]


@dataclass
class _Node:
    """Trie node: all bodies with a common prefix."""

    relation: str = ""
    """Last relation of the prefix."""
    children: dict[str, _Node] = field(default_factory=dict)
    heads: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Support and PCA denominator of each head of the body that ends here."""
    pairs: int = 0
    """Number of pairs that the body connects."""
    bodies: int = 0
    """Number of rules whose bodies have the prefix."""


def _trie(rules: Iterable[Rule]) -> _Node:
    """Build the trie of all bodies and return its root."""
    root = _Node()
    for rule in rules:
        node = root
        node.bodies += 1
        for name in rule.relations:
            node = node.children.setdefault(name, _Node(name))
            node.bodies += 1
        node.heads[rule.head] = (0, 0)
    return root


def _find(node: _Node, body: Iterable[str]) -> _Node:
    for name in body:
        node = node.children[name]
    return node


def _counted(rule: Rule, counts: Counts) -> Rule:
    """Set the statistics of a rule; ratios with a denominator of 0 are 0."""
    return replace(
        rule,
        probability=counts.support / counts.pairs if counts.pairs else 0.0,
        score=None,
        support=counts.support,
        predictions=counts.pairs,
        body_probability=counts.support / counts.known if counts.known else 0.0,
        pca=counts.support / counts.pca_pairs if counts.pca_pairs else 0.0,
    )


class _Counter:
    """Depth-first evaluation of a trie of bodies."""

    def __init__(self, index: RelationIndex, loops: bool, block_size: int) -> None:
        self._index = index
        self._loops = loops
        nodes = index.number_of_nodes
        self._scratch = Scratch(np.zeros(nodes, np.int64), index.empty_bits(), np.zeros(1, np.int64))
        self._buffer = np.empty(max(block_size, nodes), np.int32)

    def run(self, root: _Node, progress: ProgressCallback | None = None) -> None:
        """Count all bodies; depth-first order and a stack of unfinished blocks bound the memory."""
        pending: list[tuple[_Node, Sets, int]] = []
        done, total = 0, root.bodies
        for node in root.children.values():
            self._visit(node, self._merged(self._index.sets(node.relation)), pending)
            while pending:
                if progress is not None:  # a node occurs once for each of its pending blocks
                    left = sum(later.bodies for later, _, _ in pending)
                    progress(Progress(done + max(node.bodies - left, 0), total, ""))
                later, sets, first = pending.pop()
                block, following = self._follow(sets, first, later.relation)
                if following < sets.offsets.size - 1:
                    pending.append((later, sets, following))
                self._visit(later, block, pending)
            done += node.bodies

    def _visit(self, node: _Node, sets: Sets, pending: list[tuple[_Node, Sets, int]]) -> None:
        """Count the bodies that end here or at a leaf below; push the other children."""
        if sets.offsets.size == 1:
            return
        if node.heads:
            self._count(node, sets, stay=True)
        for child in node.children.values():
            if child.children:
                pending.append((child, sets, 0))
            else:
                self._count(child, sets, stay=False)

    def _count(self, node: _Node, sets: Sets, stay: bool) -> None:
        """Count the body of a node: with `stay` the sets are its targets, else those of the prefix."""
        index = self._index
        spans = [index.rows(head) for head in node.heads]
        firsts, lasts = (np.array(ends, np.int64) for ends in zip(*spans, strict=True))
        heads = Heads(firsts, lasts, index.nodes, index.offsets, index.targets)
        support, pca_pairs = np.zeros((2, len(node.heads)), np.int64)
        counters = Counters(np.zeros(1, np.int64), support, pca_pairs)
        adjacency = index.adjacency(node.relation)
        kernels.count(sets, adjacency, stay, heads, self._loops, self._scratch, counters)
        node.pairs += int(counters.pairs[0])
        for head, *more in zip(node.heads, support.tolist(), pca_pairs.tolist(), strict=True):
            node.heads[head] = node.heads[head][0] + more[0], node.heads[head][1] + more[1]

    def _follow(self, sets: Sets, first: int, relation: str) -> tuple[Sets, int]:
        """Follow a relation from the sets until the buffer is full; return the new sets and the first one left."""
        sizes = np.zeros(sets.offsets.size - 1 - first, np.int64)
        adjacency = self._index.adjacency(relation)
        last = int(kernels.follow(sets, first, adjacency, self._scratch, self._buffer, sizes))
        sizes = sizes[: last - first]
        values = self._buffer[: sizes.sum()].copy()
        reached = np.flatnonzero(sizes)
        members = Ragged(sets.members, sets.starts).take(reached + first)
        return self._merged(_sets(values, _offsets(sizes[reached]), members.values, members.offsets)), last

    def _merged(self, sets: Sets) -> Sets:
        """Merge equal sets and their members."""
        size = sets.offsets.size - 1
        digests = np.zeros(size, np.uint64)
        kernels.digest(sets.values, sets.offsets, digests)
        order = np.argsort(digests, kind="stable")
        same = np.zeros(size, np.bool_)
        kernels.mark_repeats(sets.values, sets.offsets, digests, order, self._scratch, same)
        if not same.any():
            return sets
        number = np.empty(size, np.int64)
        number[order] = np.cumsum(~same) - 1
        kept = Ragged(sets.values, sets.offsets).take(order[~same])
        owner = np.repeat(number, np.diff(sets.starts))
        starts = _offsets(np.bincount(owner))
        return _sets(kept.values, kept.offsets, sets.members[np.argsort(owner, kind="stable")], starts)


def _sets(*arrays: NDArray[Any]) -> Sets:
    """Build sets of writeable arrays; kernels would be compiled again for read-only ones."""
    return Sets(*(np.require(array, requirements="W") for array in arrays))


def _offsets(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the offsets of rows of given sizes in one array, [rows + 1]."""
    return np.append(0, np.cumsum(sizes))
