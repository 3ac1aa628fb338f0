"""StepGraph: the facts of a graph as steps, in compressed rows for kernels.

A step is a relation in one direction. A relation is symmetric if the graph holds the reverse of at least half of its
facts. Both directions of a symmetric relation are one step, which is its own inverse. A fact that the graph holds in
both directions has two edges each way.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels.elementary_kernels import log
from r5.chains.graph.step_kernels import StepEdges, Steps, fill_back, fill_by_step
from r5.errors import R5Error
from r5.graph import Graph
from r5.relations import INVERSE_SUFFIX, Vocabulary, inverse_name

__all__ = ["StepGraph", "base_facts", "distinct", "find_sorted", "find_symmetric", "sort_rows"]

IdArray = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class StepGraph:
    """Facts over relations 0..R-1 as steps.

    Step `r` follows relation r from head to tail, step `R + r` from tail to head.
    A symmetric relation has step `r` only.
    """

    entities: tuple[str, ...]
    relations: tuple[str, ...]
    symmetric: NDArray[np.bool_]  # [relations]
    facts: IdArray  # [facts, 3], distinct and sorted: head, relation, tail
    steps: Steps

    @classmethod
    def of(cls, graph: Graph, relations: tuple[str, ...], symmetric: NDArray[np.bool_] | None = None) -> StepGraph:
        """Return the steps of a graph.

        Args:
            graph: The graph. Facts of relations that are not in `relations` are left out.
            relations: The names of the relations.
            symmetric: Whether each relation is symmetric, [relations]; None to find that in the graph.
        """
        facts = base_facts(graph, Vocabulary(relations))
        if symmetric is None:
            symmetric = find_symmetric(facts, len(relations))
        return cls(graph.entities, relations, symmetric, facts, _rows(facts, symmetric, len(graph.entities)))

    def with_facts(self, facts: IdArray) -> StepGraph:
        """Return the same entities, relations and symmetries with other facts.

        Args:
            facts: [facts, 3], distinct and sorted: head, relation, tail.
        """
        rows = _rows(facts, self.symmetric, len(self.entities))
        return StepGraph(self.entities, self.relations, self.symmetric, facts, rows)

    def without(self, facts: IdArray) -> StepGraph:
        """Return the graph without some facts, [facts, 3]."""
        kept = np.ones(len(self.facts), dtype=bool)
        positions = find_sorted(self._fact_keys, facts @ self._sizes)
        kept[positions[positions >= 0]] = False
        return self if kept.all() else self.with_facts(self.facts[kept])

    def has(self, facts: IdArray) -> NDArray[np.bool_]:
        """Return whether each of some facts, [facts, 3], is in the graph."""
        return find_sorted(self._fact_keys, facts @ self._sizes) >= 0

    @property
    def _sizes(self) -> IdArray:
        """Factors of head, relation and tail in the key of a fact."""
        return np.array([self.number_of_nodes * len(self.relations), self.number_of_nodes, 1])

    @cached_property
    def _fact_keys(self) -> IdArray:
        """Sorted keys of the facts, [facts]."""
        keys: IdArray = self.facts @ self._sizes
        return keys

    @cached_property
    def _row_keys(self) -> IdArray:
        """Sorted keys of the rows, [rows]: entity * steps + step."""
        return self.steps.row_nodes.astype(np.int64) * self.number_of_steps + self.steps.row_steps

    def rows(self, entities: IdArray, steps: IdArray | int) -> IdArray:
        """Return the row of each entity and step, -1 where the entity does not have the step."""
        return find_sorted(self._row_keys, entities * self.number_of_steps + steps)

    def ends(self, entity: int, step: int) -> list[int]:
        """Return the distinct entities that a step leads to from an entity, in order."""
        row = int(self.rows(np.array([entity]), step)[0])
        offsets = self.steps.row_offsets
        found: list[int] = np.unique(self.steps.targets[offsets[row] : offsets[row + 1]]).tolist() if row >= 0 else []
        return found

    @property
    def number_of_nodes(self) -> int:
        """Number of entities."""
        return len(self.entities)

    @property
    def number_of_steps(self) -> int:
        """Number of steps, with an unused one for each symmetric relation."""
        return 2 * len(self.relations)

    def step(self, relation: int, backwards: bool) -> int:
        """Return the step of a relation in one direction."""
        return relation + len(self.relations) if backwards and not self.symmetric[relation] else relation

    def steps_along(self, relations: IdArray, backwards: bool) -> IdArray:
        """Return the steps of several relations in one direction."""
        return np.where(self.symmetric[relations] | (not backwards), relations, relations + len(self.relations))

    def name(self, step: int) -> str:
        """Return the name of a step: the relation or its inverse."""
        size = len(self.relations)
        return self.relations[step] if step < size else inverse_name(self.relations[step - size])

    def body_names(self, head: str, body: Sequence[int]) -> tuple[str, ...]:
        """Return the names of a body; the rule of a symmetric relation about its reversed fact is `r <= r^-1`."""
        names = tuple(map(self.name, body))
        return (inverse_name(head),) if len(body) == 1 and self._is_own_inverse(head, body[0]) else names

    def stored_name(self, source: int, step: int, target: int, masked: tuple[int, int, int] | None = None) -> str:
        """Return the name of a step between two entities, so that it stands for a fact of the graph.

        Args:
            source: Entity where the step begins.
            step: The step.
            target: Entity where it ends.
            masked: A masked fact (head, step, tail), which the name does not stand for.

        Returns:
            The name of the step. If it is of a symmetric relation and the graph has the reversed fact alone, the
            inverse name.
        """
        name = self.name(step)
        if not self._is_own_inverse(name, step) or not self.has(np.array([[target, step, source]]))[0]:
            return name
        return (
            name
            if self.has(np.array([[source, step, target]]))[0] and masked != (source, step, target)
            else inverse_name(name)
        )

    def _is_own_inverse(self, name: str, step: int) -> bool:
        return bool(self.symmetric[step % len(self.relations)]) and self.step_named(name) == step

    def relation_named(self, name: str) -> int:
        """Return the number of a relation.

        Raises:
            R5Error: If the relation is unknown; the message suggests similar names.
        """
        if name in self._numbers:
            return self._numbers[name]
        near = difflib.get_close_matches(name, self.relations, n=3)
        hint = f"; did you mean {' or '.join(map(repr, near))}?" if near else ""
        examples = ", ".join(self.relations[:5]) + (", ..." if len(self.relations) > 5 else "")
        raise R5Error(f"the model has no rules for the relation {name!r}; it knows {examples}{hint}")

    def step_named(self, name: str) -> int:
        """Return the step of a name, or -1 for an unknown name."""
        back = name.endswith(INVERSE_SUFFIX) and name not in self._numbers
        number = self._numbers.get(inverse_name(name) if back else name, -1)
        return number if number < 0 else self.step(number, back)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        """Number of each relation, by name."""
        return {name: number for number, name in enumerate(self.relations)}

    def queries(self, step: int) -> tuple[IdArray, IdArray]:
        """Return the source and the answer of each query of a step.

        Returns:
            Sources and answers, [queries] both: one query for each fact, two for each fact of a symmetric relation.
        """
        relation = step % len(self.relations)
        order, starts = self._of_relation
        facts = self.facts[order[starts[relation] : starts[relation + 1]]]
        heads, tails = np.ascontiguousarray(facts[:, 0]), np.ascontiguousarray(facts[:, 2])
        if self.symmetric[relation]:
            return np.concatenate([heads, tails]), np.concatenate([tails, heads])
        return (heads, tails) if step == relation else (tails, heads)

    def number_of_facts(self, relation: int) -> int:
        """Return the number of facts of a relation."""
        first, last = self._of_relation[1][relation : relation + 2].tolist()
        return int(last - first)

    def number_of_queries(self, step: int) -> int:
        """Return the number of queries of a step."""
        relation = step % len(self.relations)
        return self.number_of_facts(relation) * (2 if self.symmetric[relation] else 1)

    @cached_property
    def _of_relation(self) -> tuple[IdArray, IdArray]:
        """Positions of the facts grouped by relation, [facts], and the offsets of the relations, [relations + 1]."""
        order = np.argsort(self.facts[:, 1].astype(np.int32), kind="stable")
        return order, np.append(0, np.cumsum(np.bincount(self.facts[:, 1], minlength=len(self.relations))))

    def used(self) -> list[int]:
        """Return the relations that have facts."""
        relations: list[int] = np.flatnonzero(np.diff(self._of_relation[1])).tolist()
        return relations

    def steps_of(self, relation: int) -> list[int]:
        """Return the steps of a relation: two, or one if it is symmetric."""
        return sorted({self.step(relation, False), self.step(relation, True)})

    def targets(self) -> list[int]:
        """Return the steps that have queries."""
        return list(self._targets)

    @cached_property
    def _targets(self) -> tuple[int, ...]:
        """The steps that have queries."""
        return tuple(sorted(step for relation in self.used() for step in self.steps_of(relation)))


def base_facts(graph: Graph, vocabulary: Vocabulary) -> IdArray:
    """Return the distinct facts of a graph in the ids of a vocabulary.

    Args:
        graph: The graph. An inverse edge counts as the fact that it is the inverse of.
        vocabulary: The relations. Facts of other relations are left out.

    Returns:
        [facts, 3], sorted: head, relation, tail.
    """
    number = np.full(max(len(graph.vocabulary), 1), -1, dtype=np.int64)
    is_inverse = np.zeros(number.size, dtype=bool)
    for position, name in enumerate(graph.vocabulary):
        back = name.endswith(INVERSE_SUFFIX) and inverse_name(name) in vocabulary
        base = inverse_name(name) if back else name
        if base in vocabulary:
            number[position], is_inverse[position] = vocabulary.id(base), back
    relations, reversed_ = number[graph.relations], is_inverse[graph.relations]
    heads = np.where(reversed_, graph.targets, graph.sources).astype(np.int64)
    tails = np.where(reversed_, graph.sources, graph.targets).astype(np.int64)
    facts = np.stack([heads, relations, tails], axis=1)[relations >= 0]
    return distinct(facts)


def find_sorted(keys: IdArray, wanted: IdArray) -> IdArray:
    """Return the position of each wanted key in sorted keys, -1 where it is missing.

    >>> find_sorted(np.array([2, 5]), np.array([5, 3])).tolist()
    [1, -1]
    """
    if not keys.size:
        return np.full(wanted.size, -1)
    positions = np.minimum(np.searchsorted(keys, wanted), keys.size - 1)
    return np.where(keys[positions] == wanted, positions, -1)


def sort_rows(rows: IdArray) -> IdArray:
    """Return the rows in lexicographic order.

    Rows that fit in 63 bits are sorted as one number each, which is far faster.

    Args:
        rows: [rows, columns].

    Example:
        >>> sort_rows(np.array([[1, 0, 2], [0, 5, 1], [0, 5, 0]])).tolist()
        [[0, 5, 0], [0, 5, 1], [1, 0, 2]]
    """
    if not len(rows):
        return rows
    sizes = [int(column.max()) + 1 for column in rows.T]
    if rows.min() < 0 or math.prod(sizes) >= 1 << 63:
        return rows[np.lexsort(rows.T[::-1])]
    keys = rows[:, 0].astype(np.int64)
    for column, size in zip(rows.T[1:], sizes[1:], strict=True):
        keys *= size
        keys += column
    keys.sort()
    ordered = np.empty_like(rows)
    for column_number in range(len(sizes) - 1, 0, -1):
        keys, ordered[:, column_number] = np.divmod(keys, sizes[column_number])
    ordered[:, 0] = keys
    return ordered


def distinct(facts: IdArray) -> IdArray:
    """Return the distinct rows in lexicographic order."""
    facts = sort_rows(facts)
    is_new = np.ones(len(facts), dtype=bool)
    is_new[1:] = (facts[1:] != facts[:-1]).any(axis=1)
    return facts[is_new]


def find_symmetric(facts: IdArray, relations: int) -> NDArray[np.bool_]:
    """Return whether each relation is symmetric, [relations].

    A relation is symmetric if at least half of its facts, self loops aside, hold in the other direction too.

    Args:
        facts: [facts, 3], distinct: head, relation, tail.
        relations: Number of relations.
    """
    proper = facts[facts[:, 0] != facts[:, 2]]
    ordered = sort_rows(np.concatenate([proper, proper[:, ::-1]]))
    is_pair = np.zeros(len(ordered), dtype=bool)
    is_pair[1:] = (ordered[1:] == ordered[:-1]).all(axis=1)
    # One row of each equal pair is a fact and the other a reversed fact, so each pair is one reversed fact.
    reversed_ = np.bincount(ordered[is_pair, 1], minlength=relations)
    total = np.bincount(proper[:, 1], minlength=relations)
    return (total > 0) & (2 * reversed_ >= total)


def _rows(facts: IdArray, symmetric: NDArray[np.bool_], nodes: int) -> Steps:
    """Return the compressed rows of all edges, one row for each entity and step."""
    relations = symmetric.size
    forwards = np.arange(relations)
    backwards = np.where(symmetric, forwards, forwards + relations)
    inverse = np.concatenate([backwards, np.where(symmetric, forwards + relations, forwards)]).astype(np.int64)
    forward = np.stack([facts[:, 0], forwards[facts[:, 1]], facts[:, 2]], axis=1)
    back = np.stack([facts[:, 2], backwards[facts[:, 1]], facts[:, 0]], axis=1)
    sources, edge_steps, targets = np.ascontiguousarray(sort_rows(np.concatenate([forward, back])).T)
    is_new = np.ones(sources.size, dtype=bool)
    is_new[1:] = (sources[1:] != sources[:-1]) | (edge_steps[1:] != edge_steps[:-1])
    first = np.flatnonzero(is_new)
    offsets = np.append(first, sources.size).astype(np.int64)
    row_nodes, row_steps = sources[first], edge_steps[first]
    node_rows = np.zeros(nodes + 1, dtype=np.int64)
    np.cumsum(np.bincount(row_nodes, minlength=nodes), out=node_rows[1:])
    row_counts = np.bincount(row_steps, minlength=inverse.size)
    kinds, first_kinds, logs, twice = _kinds(row_steps, np.diff(offsets), inverse.size)
    steps = Steps(
        inverse=inverse,
        node_rows=node_rows,
        row_nodes=row_nodes.astype(np.int32),
        row_steps=row_steps.astype(np.int32),
        row_offsets=offsets,
        targets=targets.astype(np.uint32),
        back=np.zeros(targets.size, np.int32),
        kinds=kinds,
        first_kinds=first_kinds,
        kind_logs=logs,
        kind_twice=twice,
        by_step=_empty_step_edges(row_counts, targets.size),
    )
    rows = np.empty(first.size, np.int64)
    fill_by_step(steps, np.cumsum(row_counts) - row_counts, rows)
    fill_back(steps, rows)
    return steps


def _empty_step_edges(row_counts: IdArray, edges: int) -> StepEdges:
    """Return unfilled arrays for a number of rows of each step, [steps], with tables that are at most half full."""
    rows = int(row_counts.sum())
    sizes = np.where(row_counts > 0, 1 << np.ceil(np.log2(2 * np.maximum(row_counts, 1))).astype(np.int64), 0)
    first_slots = np.append(0, np.cumsum(sizes))
    return StepEdges(
        nodes=np.empty(rows, np.int32),
        offsets=np.empty(rows + 1, np.int64),
        targets=np.empty(edges, np.uint32),
        back=np.empty(edges, np.int32),
        first_slots=first_slots,
        slots=np.full(int(first_slots[-1]), -1, np.int32),
    )


def _kinds(row_steps: IdArray, sizes: IdArray, steps: int) -> tuple[NDArray[Any], ...]:
    """Number the distinct pairs of a step and a number of edges; rows of one kind have one entity bias term.

    Returns:
        Kinds of the rows, first kind of each step, log(1 + edges) of each kind, and whether it has two edges or more.
    """
    base = int(sizes.max(initial=0)) + 1
    pairs, kinds = np.unique(row_steps * base + sizes, return_inverse=True)
    first = np.searchsorted(pairs, np.arange(steps + 1) * base)
    counts = pairs % base
    return kinds.astype(np.int32), first, log(1.0 + counts), counts > 1
