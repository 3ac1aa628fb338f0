"""How good rules are on a graph: for how many pairs of entities the body holds, and for how many of them the head too.

A pair counts once, however many paths connect it. Bodies that begin alike are followed together, from
all sources at once, in blocks that bound the memory.
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
from r5.rules import count_kernels as kernels
from r5.rules.count_entities import Counts, EntityCounter
from r5.rules.count_kernels import Heads, Scratch, Sets
from r5.rules.rule import Rule
from r5.rules.steps import StepTable

__all__ = ["evaluate_rules"]

_BLOCK = 1 << 20
"""So many entities, or all of the graph's if they are more, are reached before what follows them is looked at."""


def evaluate_rules(
    rules: Sequence[Rule], graph: Graph, loops: bool, progress: ProgressCallback | None = None
) -> list[Rule]:
    """The rules with what was counted on the graph in place of what they were learned with; weights stay."""
    names = {name for rule in rules for name in (rule.head, *rule.relations)}
    table = StepTable(graph, names)
    counter = _Counter(table, loops)
    trie = _trie(rule for rule in rules if rule.target is None)
    counter.run(trie, progress)
    about_one = EntityCounter(graph, [rule for rule in rules if rule.target is not None], loops)
    known = {head: table.number_of_pairs(head, loops) for head in {rule.head for rule in rules}}

    def counts(rule: Rule) -> Counts:
        if rule.target is not None:
            return about_one.count(rule)
        node = _find(trie, rule.relations)
        return Counts(node.pairs, *node.heads[rule.head], known[rule.head])

    return [_counted(rule, counts(rule)) for rule in rules]


@dataclass
class _Node:
    """All bodies that begin with the relations on the way here; `heads` are those of the body that ends here."""

    relation: str = ""
    children: dict[str, _Node] = field(default_factory=dict)
    heads: dict[str, tuple[int, int]] = field(default_factory=dict)
    """For how many pairs each head holds too, and how many have a first entity with the head at all."""
    pairs: int = 0
    bodies: int = 0
    """Rules whose bodies begin so."""


def _trie(rules: Iterable[Rule]) -> _Node:
    """The root of all bodies."""
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
    """The rule with its figures; shares of nothing are 0."""
    return replace(
        rule,
        probability=counts.support / counts.pairs if counts.pairs else 0.0,
        score=None,
        support=counts.support,
        predictions=counts.pairs,
        body_probability=counts.support / counts.known if counts.known else 0.0,
        pca=counts.support / counts.asked if counts.asked else 0.0,
    )


class _Counter:
    """Fills a trie with counts."""

    def __init__(self, table: StepTable, loops: bool) -> None:
        self._table = table
        self._loops = loops
        nodes = table.number_of_nodes
        self._scratch = Scratch(np.zeros(nodes, np.int64), table.no_bits(), np.zeros(1, np.int64))
        self._room = np.empty(max(_BLOCK, nodes), np.int32)

    def run(self, root: _Node, progress: ProgressCallback | None = None) -> None:
        """Depth first, so that few blocks are kept at a time; what a step leads to waits if it does not fit."""
        waiting: list[tuple[_Node, Sets, int]] = []
        done, total = 0, root.bodies
        for node in root.children.values():
            self._visit(node, self._merged(self._table.sets(node.relation)), waiting)
            while waiting:
                if progress is not None:  # what waits in several blocks is there several times
                    left = sum(later.bodies for later, _, _ in waiting)
                    progress(Progress(done + max(node.bodies - left, 0), total, ""))
                later, sets, first = waiting.pop()
                block, following = self._follow(sets, first, later.relation)
                if following < sets.offsets.size - 1:
                    waiting.append((later, sets, following))
                self._visit(later, block, waiting)
            done += node.bodies

    def _visit(self, node: _Node, sets: Sets, waiting: list[tuple[_Node, Sets, int]]) -> None:
        """Count what ends here and one step on; what goes further waits."""
        if sets.offsets.size == 1:
            return
        if node.heads:
            self._count(node, sets, stay=True)
        for child in node.children.values():
            if child.children:
                waiting.append((child, sets, 0))
            else:
                self._count(child, sets, stay=False)

    def _count(self, node: _Node, sets: Sets, stay: bool) -> None:
        table = self._table
        spans = [table.rows(head) for head in node.heads]
        firsts, lasts = (np.array(ends, np.int64) for ends in zip(*spans, strict=True))
        heads = Heads(firsts, lasts, table.nodes, table.offsets, table.targets)
        pairs, (facts, asked) = np.zeros(1, np.int64), np.zeros((2, len(node.heads)), np.int64)
        steps = table.steps(node.relation)
        kernels.count(sets, steps, stay, heads, self._loops, self._scratch, pairs, facts, asked)
        node.pairs += int(pairs[0])
        for head, *more in zip(node.heads, facts.tolist(), asked.tolist(), strict=True):
            node.heads[head] = node.heads[head][0] + more[0], node.heads[head][1] + more[1]

    def _follow(self, sets: Sets, first: int, relation: str) -> tuple[Sets, int]:
        """Where the relation leads from the sets, as far as there is room, and the first set that is left."""
        sizes = np.zeros(sets.offsets.size - 1 - first, np.int64)
        last = int(kernels.follow(sets, first, self._table.steps(relation), self._scratch, self._room, sizes))
        sizes = sizes[: last - first]
        values = self._room[: sizes.sum()].copy()
        reached = np.flatnonzero(sizes)
        members = Ragged(sets.members, sets.starts).take(reached + first)
        return self._merged(_sets(values, _ends(sizes[reached]), members.values, members.offsets)), last

    def _merged(self, sets: Sets) -> Sets:
        """The distinct sets, each with the members of all that are equal to it."""
        size = sets.offsets.size - 1
        digests = np.zeros(size, np.uint64)
        kernels.digest(sets.values, sets.offsets, digests)
        order = np.argsort(digests, kind="stable")
        same = np.zeros(size, np.bool_)
        kernels.same_as_before(sets.values, sets.offsets, digests, order, self._scratch, same)
        if not same.any():
            return sets
        number = np.empty(size, np.int64)
        number[order] = np.cumsum(~same) - 1
        kept = Ragged(sets.values, sets.offsets).take(order[~same])
        owner = np.repeat(number, np.diff(sets.starts))
        starts = _ends(np.bincount(owner))
        return _sets(kept.values, kept.offsets, sets.members[np.argsort(owner, kind="stable")], starts)


def _sets(*arrays: NDArray[Any]) -> Sets:
    """Sets whose arrays can all be written to: kernels would be compiled once more for those that cannot."""
    return Sets(*(np.require(array, requirements="W") for array in arrays))


def _ends(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where each of some rows in one array starts, and where the last one ends."""
    return np.append(0, np.cumsum(sizes))
