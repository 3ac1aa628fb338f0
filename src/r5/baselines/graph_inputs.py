"""What graph networks read: the graphs of some questions as one, the disjoint union."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from r5.baselines.inputs import Bags, Codes, IntColumn
from r5.baselines.numbering import numbered
from r5.baselines.settings import GraphSettings
from r5.errors import R5Error
from r5.examples import Examples
from r5.relations import Vocabulary

__all__ = ["ROLES", "GraphBatch", "GraphInputs", "check_size", "edges_of_questions", "read_graphs"]

ROLES = 4
"""A node is neither end of the question, its source, its target, or both."""


class GraphBatch(NamedTuple):
    """Several graphs as one; each has one question."""

    marks: Tensor  # [nodes], what each starts with: its role, or its number
    graphs: Tensor  # [nodes], which graph each belongs to
    edges: Tensor  # [2, edges], sources and targets, by relation
    relations: Tensor  # [edges], ascending
    sources: Tensor  # [graphs], nodes
    targets: Tensor  # [graphs], nodes


@dataclass(frozen=True, eq=False)
class GraphInputs:
    """Distinct questions about graphs."""

    examples: Examples
    chosen: IntColumn  # [questions], examples
    relations: IntColumn  # [edges of the pool], from 0 on; -1 for a relation never seen in training
    inverse: int
    """What is added to the number of a relation for messages against its edges; 0: there are none."""
    numbers: IntColumn | None = None
    """[nodes of the pool], where nodes are known by number and not by role."""

    def __len__(self) -> int:
        return int(self.chosen.size)

    def batch(self, rows: IntColumn) -> GraphBatch:
        """Some of the questions; edges that are hidden or of a relation never seen are left out."""
        examples, at = self.examples, self.chosen[rows]
        graphs = examples.graph_of[at].astype(np.int64)
        first_nodes = examples.node_offsets[graphs]
        nodes = examples.node_offsets[graphs + 1] - first_nodes
        starts = np.cumsum(nodes) - nodes
        shift = starts - first_nodes
        edges, owner = edges_of_questions(examples, at)
        seen = self.relations[edges] >= 0
        edges, owner = edges[seen], owner[seen]
        ends = np.stack([examples.pool.sources[edges], examples.pool.targets[edges]]) + shift[owner]
        relations = self.relations[edges]
        if self.inverse:
            ends = np.concatenate([ends, ends[::-1]], axis=1)
            relations = np.concatenate([relations, relations + self.inverse])
        order = np.argsort(relations, kind="stable")
        sources, targets = examples.sources[at] + shift, examples.targets[at] + shift
        if self.numbers is None:
            marks = np.zeros(int(nodes.sum()), dtype=np.int64)
            marks[sources] += 1
            marks[targets] += 2
        else:
            marks = self.numbers[_ranges(first_nodes, first_nodes + nodes)[0]]
        arrays = (marks, np.repeat(np.arange(at.size), nodes), ends[:, order], relations[order], sources, targets)
        return GraphBatch(*map(torch.from_numpy, arrays))


def read_graphs(examples: Examples, codes: Codes, vocabulary: Vocabulary, settings: GraphSettings) -> Bags:
    """The graphs in the numbers that the network was made for; equal questions about equal graphs are read once."""
    check_size(examples, settings.edge_limit)
    numbers = numbered(examples, settings.entities) if settings.marks == "numbers" else None
    seen: dict[tuple[object, ...], int] = {}
    place = np.array([seen.setdefault(key, len(seen)) for key in _keys(examples, numbers)], dtype=np.int64)
    _, chosen = np.unique(place, return_index=True)
    relations = codes.of_relations(examples.vocabulary, vocabulary)[examples.pool.relations] - 1
    inverse = len(codes.relations) if settings.inverse else 0
    return Bags(GraphInputs(examples, chosen, relations, inverse, numbers), place, np.arange(len(examples) + 1))


def check_size(examples: Examples, limit: int) -> None:
    """An error where the graph of an example has more edges."""
    largest = int(np.diff(examples.edge_offsets)[examples.graph_of].max(initial=0))
    if largest > limit:
        raise R5Error(
            f"such a network reads the whole graph of each example, of at most {limit:,} edges "
            f"(the setting edge_limit); one has {largest:,}"
        )


def edges_of_questions(examples: Examples, at: IntColumn) -> tuple[IntColumn, IntColumn]:
    """The edges that some questions may be answered by, which hides the fact asked for, and whose each is."""
    graphs = examples.graph_of[at]
    edges, owner = _ranges(examples.edge_offsets[graphs], examples.edge_offsets[graphs + 1])
    shown = examples.pool.facts[edges] != examples.masked_facts[at][owner]
    return edges[shown], owner[shown]


def _keys(examples: Examples, numbers: IntColumn | None) -> list[tuple[object, ...]]:
    """For each example what is asked about which graph, equal for equal ones."""
    pool, looks = examples.pool, {}
    for number in np.unique(examples.graph_of).tolist():
        edges = slice(int(examples.edge_offsets[number]), int(examples.edge_offsets[number + 1]))
        first, end = np.int32(examples.node_offsets[number]), int(examples.node_offsets[number + 1])
        ends = np.stack([pool.sources[edges] - first, pool.targets[edges] - first])
        looks[number] = (
            end - int(first),
            ends.tobytes(),
            pool.relations[edges].tobytes(),
            b"" if numbers is None else numbers[int(first) : end].tobytes(),
        )
    first_nodes = examples.node_offsets[examples.graph_of]
    columns = (examples.sources - first_nodes, examples.targets - first_nodes, examples.masked_facts, examples.graph_of)
    return [
        # A hidden fact is known by its number in the pool, so the graph must be the same one.
        (source, target, looks[graph] if hidden < 0 else (hidden, graph))
        for source, target, hidden, graph in zip(*(column.tolist() for column in columns), strict=True)
    ]


def _ranges(starts: IntColumn, stops: IntColumn) -> tuple[IntColumn, IntColumn]:
    """All numbers from each start to its stop, and which range each is of."""
    counts = stops - starts
    owner = np.repeat(np.arange(counts.size), counts)
    return np.arange(owner.size) + np.repeat(starts - (np.cumsum(counts) - counts), counts), owner
