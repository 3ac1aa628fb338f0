"""Graph inputs: the graphs of some queries as one graph, their disjoint union."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from r5.baselines.inputs.bags import Bags
from r5.baselines.inputs.entity_numbers import number_entities
from r5.baselines.inputs.relation_index import IntArray, RelationIndex
from r5.baselines.networks.settings import GraphSettings
from r5.errors import R5Error
from r5.examples import Examples
from r5.relations import Vocabulary

__all__ = ["ROLES", "GraphBatch", "GraphInputs", "check_size", "read_graphs", "visible_edges"]

ROLES = 4
"""Number of node roles: neither end of the query, its source, its target, or both."""


class GraphBatch(NamedTuple):
    """Disjoint union of several graphs, each with one query."""

    features: Tensor
    """Role or entity number of each node, [nodes]."""
    graphs: Tensor
    """Graph of each node, [nodes]."""
    edges: Tensor
    """Source and target nodes, sorted by relation, [2, edges]."""
    relations: Tensor
    """Relation of each edge, ascending, [edges]."""
    sources: Tensor
    """Source node of each query, [graphs]."""
    targets: Tensor
    """Target node of each query, [graphs]."""


@dataclass(frozen=True, eq=False)
class GraphInputs:
    """Distinct queries about graphs."""

    examples: Examples
    chosen: IntArray
    """Example of each query, [queries]."""
    relations: IntArray
    """Relation of each edge, from 0 on; -1 for a relation unseen in training. [edges of the pool]."""
    inverse_offset: int
    """Difference between the numbers of a relation and of its inverse; 0 without inverse relations."""
    numbers: IntArray | None = None
    """Entity number of each node, [nodes of the pool]; None where the features are roles."""

    def __len__(self) -> int:
        return int(self.chosen.size)

    def batch(self, rows: IntArray) -> GraphBatch:
        """Return some queries with their graphs, without masked edges and edges of unseen relations."""
        examples, chosen = self.examples, self.chosen[rows]
        graphs = examples.graph_of[chosen].astype(np.int64)
        first_nodes = examples.node_offsets[graphs]
        nodes = examples.node_offsets[graphs + 1] - first_nodes
        shift = np.cumsum(nodes) - nodes - first_nodes
        edges, owner = visible_edges(examples, chosen)
        seen = self.relations[edges] >= 0
        edges, owner = edges[seen], owner[seen]
        ends = np.stack([examples.pool.sources[edges], examples.pool.targets[edges]]) + shift[owner]
        relations = self.relations[edges]
        if self.inverse_offset:
            ends = np.concatenate([ends, ends[::-1]], axis=1)
            relations = np.concatenate([relations, relations + self.inverse_offset])
        order = np.argsort(relations, kind="stable")
        sources, targets = examples.sources[chosen] + shift, examples.targets[chosen] + shift
        if self.numbers is None:
            features = np.zeros(int(nodes.sum()), dtype=np.int64)
            features[sources] += 1
            features[targets] += 2
        else:
            features = self.numbers[_ranges(first_nodes, first_nodes + nodes)[0]]
        arrays = (features, np.repeat(np.arange(chosen.size), nodes), ends[:, order], relations[order])
        return GraphBatch(*map(torch.from_numpy, (*arrays, sources, targets)))


def read_graphs(examples: Examples, index: RelationIndex, vocabulary: Vocabulary, settings: GraphSettings) -> Bags:
    """Return the graph and the query of each example; equal queries about equal graphs are one input.

    Args:
        examples: The examples.
        index: Relations of the network.
        vocabulary: Vocabulary of the index.
        settings: Node features, inverse relations and limit of edges.

    Raises:
        R5Error: A graph has more edges than `edge_limit`.

    """
    check_size(examples, settings.edge_limit)
    numbers = number_entities(examples, settings.entity_limit) if settings.node_features == "numbers" else None
    seen: dict[tuple[object, ...], int] = {}
    rows = np.array([seen.setdefault(key, len(seen)) for key in _keys(examples, numbers)], dtype=np.int64)
    _, chosen = np.unique(rows, return_index=True)
    relations = index.input_numbers(examples.vocabulary, vocabulary)[examples.pool.relations] - 1
    inverse_offset = len(index.inputs) if settings.inverse else 0
    return Bags(GraphInputs(examples, chosen, relations, inverse_offset, numbers), rows, np.arange(len(examples) + 1))


def check_size(examples: Examples, limit: int) -> None:
    """Raise an `R5Error` if the graph of an example has more than `limit` edges."""
    largest = int(np.diff(examples.edge_offsets)[examples.graph_of].max(initial=0))
    if largest > limit:
        raise R5Error(
            f"such a network reads the whole graph of each example, of at most {limit:,} edges "
            f"(the setting edge_limit); one has {largest:,}"
        )


def visible_edges(examples: Examples, chosen: IntArray) -> tuple[IntArray, IntArray]:
    """Return the edges of the graphs of some examples without their masked facts.

    Args:
        examples: All examples.
        chosen: Numbers of the examples, [chosen].

    Returns:
        Edges of the pool and, for each, the position of its example in `chosen`; both [edges].

    """
    graphs = examples.graph_of[chosen]
    edges, owner = _ranges(examples.edge_offsets[graphs], examples.edge_offsets[graphs + 1])
    visible = examples.pool.facts[edges] != examples.masked_facts[chosen][owner]
    return edges[visible], owner[visible]


def _keys(examples: Examples, numbers: IntArray | None) -> list[tuple[object, ...]]:
    """Return a key of the query and the graph of each example, the same for equal ones."""
    pool, content = examples.pool, {}
    for number in np.unique(examples.graph_of).tolist():
        edges = slice(int(examples.edge_offsets[number]), int(examples.edge_offsets[number + 1]))
        first, end = np.int32(examples.node_offsets[number]), int(examples.node_offsets[number + 1])
        ends = np.stack([pool.sources[edges] - first, pool.targets[edges] - first])
        content[number] = (
            end - int(first),
            ends.tobytes(),
            pool.relations[edges].tobytes(),
            b"" if numbers is None else numbers[int(first) : end].tobytes(),
        )
    first_nodes = examples.node_offsets[examples.graph_of]
    columns = (examples.sources - first_nodes, examples.targets - first_nodes, examples.masked_facts, examples.graph_of)
    return [
        # A masked fact is known by its number in the pool, so it belongs to one graph.
        (source, target, content[graph] if hidden < 0 else (hidden, graph))
        for source, target, hidden, graph in zip(*(column.tolist() for column in columns), strict=True)
    ]


def _ranges(starts: IntArray, stops: IntArray) -> tuple[IntArray, IntArray]:
    """Return the numbers of all ranges from start to stop and, for each number, its range."""
    counts = stops - starts
    owner = np.repeat(np.arange(counts.size), counts)
    return np.arange(owner.size) + np.repeat(starts - (np.cumsum(counts) - counts), counts), owner
