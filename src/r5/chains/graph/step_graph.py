"""StepGraph: the facts of a graph as steps, relations in one direction or the other, in rows that kernels follow.

A relation whose facts are reversed in the data half the time or more is taken to be symmetric: both of its
directions are one step, its own inverse, and a fact that the graph has both ways has two edges each way.
"""

from __future__ import annotations

import difflib
import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels.elementary_kernels import log
from r5.chains.graph.step_kernels import Steps, fill_back, fill_slots
from r5.errors import R5Error
from r5.graph import Graph
from r5.relations import INVERSE_SUFFIX, Vocabulary, inverse_name

__all__ = ["StepGraph", "base_facts", "find_symmetric"]

IdArray = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class StepGraph:
    """Facts over relations 0..R-1 as steps: `r` leads along relation r, `R + r` back; symmetric ones have `r` only."""

    entities: tuple[str, ...]
    relations: tuple[str, ...]
    symmetric: NDArray[np.bool_]  # [relations]
    facts: IdArray  # [facts, 3], distinct, in order: head, relation, tail
    steps: Steps

    @classmethod
    def of(cls, graph: Graph, relations: tuple[str, ...], symmetric: NDArray[np.bool_] | None = None) -> StepGraph:
        """The steps of a graph; facts of relations that are not among these are left out."""
        facts = base_facts(graph, Vocabulary(relations))
        if symmetric is None:
            symmetric = find_symmetric(facts, len(relations))
        return cls(graph.entities, relations, symmetric, facts, _rows(facts, symmetric, len(graph.entities)))

    def with_facts(self, facts: IdArray) -> StepGraph:
        """The same entities, relations and symmetries with other facts, distinct and in order."""
        rows = _rows(facts, self.symmetric, len(self.entities))
        return StepGraph(self.entities, self.relations, self.symmetric, facts, rows)

    @cached_property
    def row_keys(self) -> IdArray:
        """The entity and step of each row as one number, in order: entity * steps + step."""
        return self.steps.row_nodes.astype(np.int64) * self.number_of_steps + self.steps.row_steps

    @property
    def number_of_nodes(self) -> int:
        return len(self.entities)

    @property
    def number_of_steps(self) -> int:
        """Steps are numbered below this; the inverse of a symmetric relation has a number and no use."""
        return 2 * len(self.relations)

    def step(self, relation: int, backwards: bool) -> int:
        """The step along a relation or back."""
        return relation + len(self.relations) if backwards and not self.symmetric[relation] else relation

    def name(self, step: int) -> str:
        """The name of a step: the relation, or its inverse."""
        size = len(self.relations)
        return self.relations[step] if step < size else inverse_name(self.relations[step - size])

    def relation_named(self, name: str) -> int:
        """The number of a relation; one that no rule is about is an error that suggests near names."""
        if name in self._numbers:
            return self._numbers[name]
        near = difflib.get_close_matches(name, self.relations, n=3)
        hint = f"; did you mean {' or '.join(map(repr, near))}?" if near else ""
        few = ", ".join(self.relations[:5]) + (", ..." if len(self.relations) > 5 else "")
        raise R5Error(f"the model has no rules for the relation {name!r}; it knows {few}{hint}")

    def step_named(self, name: str) -> int:
        """The step of a name, or -1 where there is none."""
        back = name.endswith(INVERSE_SUFFIX) and name not in self._numbers
        number = self._numbers.get(inverse_name(name) if back else name, -1)
        return number if number < 0 else self.step(number, back)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.relations)}

    def queries(self, step: int) -> tuple[IdArray, IdArray]:
        """Where the step leads from and to, an entry for each fact; for a symmetric one, for each fact both ways."""
        relation = step % len(self.relations)
        order, starts = self._of_relation
        facts = self.facts[order[starts[relation] : starts[relation + 1]]]
        heads, tails = np.ascontiguousarray(facts[:, 0]), np.ascontiguousarray(facts[:, 2])
        if self.symmetric[relation]:
            return np.concatenate([heads, tails]), np.concatenate([tails, heads])
        return (heads, tails) if step == relation else (tails, heads)

    def number_of_queries(self, step: int) -> int:
        """How many questions there are about a step."""
        relation = step % len(self.relations)
        first, last = self._of_relation[1][relation : relation + 2].tolist()
        return int(last - first) * (2 if self.symmetric[relation] else 1)

    @cached_property
    def _of_relation(self) -> tuple[IdArray, IdArray]:
        """The numbers of the facts, those of one relation side by side, and where each relation's start."""
        order = np.argsort(self.facts[:, 1].astype(np.int32), kind="stable")
        return order, np.append(0, np.cumsum(np.bincount(self.facts[:, 1], minlength=len(self.relations))))

    def used(self) -> list[int]:
        """The relations with facts."""
        found: list[int] = np.flatnonzero(np.diff(self._of_relation[1])).tolist()
        return found

    def steps_of(self, relation: int) -> list[int]:
        """Along a relation and back; the same where it is symmetric."""
        return sorted({self.step(relation, False), self.step(relation, True)})

    def targets(self) -> list[int]:
        """The steps that can be asked for: those with facts."""
        return sorted(step for relation in self.used() for step in self.steps_of(relation))


def base_facts(graph: Graph, vocabulary: Vocabulary) -> IdArray:
    """The distinct facts in a vocabulary's ids, an inverse edge read as the fact that it says: [facts, 3], in order."""
    number = np.full(max(len(graph.vocabulary), 1), -1, dtype=np.int64)
    flip = np.zeros(number.size, dtype=bool)
    for place, name in enumerate(graph.vocabulary):
        back = name.endswith(INVERSE_SUFFIX) and inverse_name(name) in vocabulary
        wanted = inverse_name(name) if back else name
        if wanted in vocabulary:
            number[place], flip[place] = vocabulary.id(wanted), back
    relations, reversed_ = number[graph.relations], flip[graph.relations]
    heads = np.where(reversed_, graph.targets, graph.sources).astype(np.int64)
    tails = np.where(reversed_, graph.sources, graph.targets).astype(np.int64)
    facts = np.stack([heads, relations, tails], axis=1)[relations >= 0]
    return distinct(facts)


def sort_rows(rows: IdArray) -> IdArray:
    """The rows by their first column, then the next ones: as one number each, where they fit, which is far quicker.

    >>> in_order(np.array([[1, 0, 2], [0, 5, 1], [0, 5, 0]])).tolist()
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
    found = np.empty_like(rows)
    for place in range(len(sizes) - 1, 0, -1):
        keys, found[:, place] = np.divmod(keys, sizes[place])
    found[:, 0] = keys
    return found


def distinct(facts: IdArray) -> IdArray:
    """The rows in order, each once."""
    facts = sort_rows(facts)
    new = np.ones(len(facts), dtype=bool)
    new[1:] = (facts[1:] != facts[:-1]).any(axis=1)
    return facts[new]


def find_symmetric(facts: IdArray, relations: int) -> NDArray[np.bool_]:
    """Which relations hold the other way round for half of their facts or more; self loops do not tell."""
    proper = facts[facts[:, 0] != facts[:, 2]]
    ordered = sort_rows(np.concatenate([proper, proper[:, ::-1]]))
    same = np.zeros(len(ordered), dtype=bool)
    same[1:] = (ordered[1:] == ordered[:-1]).all(axis=1)
    # Of each pair of equal rows one is a fact and one a reversed fact, so each pair is a fact that is reversed.
    reversed_ = np.bincount(ordered[same, 1], minlength=relations)
    total = np.bincount(proper[:, 1], minlength=relations)
    return (total > 0) & (2 * reversed_ >= total)


def _rows(facts: IdArray, symmetric: NDArray[np.bool_], nodes: int) -> Steps:
    """The edges of each entity and step side by side."""
    relations = symmetric.size
    forwards = np.arange(relations)
    backwards = np.where(symmetric, forwards, forwards + relations)
    inverse = np.concatenate([backwards, np.where(symmetric, forwards + relations, forwards)]).astype(np.int64)
    forward = np.stack([facts[:, 0], forwards[facts[:, 1]], facts[:, 2]], axis=1)
    back = np.stack([facts[:, 2], backwards[facts[:, 1]], facts[:, 0]], axis=1)
    sources, kinds, targets = np.ascontiguousarray(sort_rows(np.concatenate([forward, back])).T)
    new = np.ones(sources.size, dtype=bool)
    new[1:] = (sources[1:] != sources[:-1]) | (kinds[1:] != kinds[:-1])
    first = np.flatnonzero(new)
    offsets = np.append(first, sources.size).astype(np.int64)
    row_nodes, row_steps = sources[first], kinds[first]
    node_rows = np.zeros(nodes + 1, dtype=np.int64)
    np.cumsum(np.bincount(row_nodes, minlength=nodes), out=node_rows[1:])
    slots = np.full(1 << max(int(2 * first.size).bit_length(), 1), -1, dtype=np.int32)
    row_nodes32, row_steps32 = row_nodes.astype(np.int32), row_steps.astype(np.int32)
    fill_slots(row_nodes32, row_steps32, slots)
    targets32, backward_degree = targets.astype(np.uint32), np.zeros(targets.size, np.int32)
    kinds, first_kinds, logs, twice = _kinds(row_steps, np.diff(offsets), inverse.size)
    steps = Steps(
        inverse,
        node_rows,
        row_nodes32,
        row_steps32,
        offsets,
        targets32,
        backward_degree,
        kinds,
        first_kinds,
        logs,
        twice,
        slots,
    )
    fill_back(steps)
    return steps


def _kinds(row_steps: IdArray, sizes: IdArray, steps: int) -> tuple[NDArray[Any], ...]:
    """What rows say about their entities by themselves is the same for a step and a number of edges."""
    most = int(sizes.max(initial=0)) + 1
    found, kinds = np.unique(row_steps * most + sizes, return_inverse=True)
    first = np.searchsorted(found, np.arange(steps + 1) * most)
    counts = found % most
    return kinds.astype(np.int32), first, log(1.0 + counts), counts > 1
