"""Inference graph: the graph that queries are answered on, which may have other entities than the training graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from r5._util.arrays import isin_columns
from r5.graph import Graph

__all__ = ["GraphKind", "InferenceGraph", "choose_inference_graph"]

GraphKind = Literal["training", "data", "merged"]


@dataclass(frozen=True, slots=True)
class InferenceGraph:
    """Graph that queries are answered on, and its comparison with the training graph."""

    graph: Graph
    """Graph for the model, with all entities of the data."""
    pool: Graph
    """Graph with the same facts in which entities and relations of the data keep their ids, for examples."""
    kind: GraphKind
    """`training`: the model's training graph; `data`: the graph of the data; `merged`: both together."""
    entities: int
    """Number of entities of the data."""
    known_entities: int
    """Number of entities of the data that the training graph has."""
    facts: int
    """Number of facts of the data's graph."""
    known_facts: int
    """Number of facts of the data's graph that the training graph has."""

    def describe(self, name: str) -> str:
        """Return a sentence on the graph and on why it was chosen.

        Args:
            name: Name of the data.
        """
        new = self.entities - self.known_entities
        if self.known_entities == 0:
            overlap = f"all {self.entities:,} entities of {name} are new to the model"
        elif new:
            overlap = f"{new:,} of {self.entities:,} entities of {name} are new to the model"
        else:
            overlap = f"the model knows all {self.entities:,} entities of {name}"
        graph = {
            "training": "its training graph",
            "data": f"the {self.facts:,} facts of {name} alone",
            "merged": f"its training graph and {self.facts - self.known_facts:,} more facts of {name}",
        }[self.kind]
        return f"{overlap}: queries are answered on {graph}"

    def to_json(self) -> dict[str, Any]:
        """Return the object `graph` of the output of commands."""
        return {
            "kind": self.kind,
            "entities": self.entities,
            "known_entities": self.known_entities,
            "facts": self.facts,
            "known_facts": self.known_facts,
        }


def choose_inference_graph(training: Graph, given: Graph, kind: GraphKind | None = None) -> InferenceGraph:
    """Choose the graph that queries of a data set are answered on.

    If the training graph has all facts of the given one, it is the training graph. If no entity of the given graph is
    in the training graph, it is the given graph alone. Else it is the facts of both.

    Args:
        training: The training graph of a model.
        given: The graph of the data, with the entities of all its queries.
        kind: The graph to take; by default chosen by these rules.

    Returns:
        The graph, with counts of the common entities and facts.

    >>> training = Graph.from_triples([("Ann", "mother", "Eve")])
    >>> choose_inference_graph(training, Graph.from_triples([("Ida", "mother", "Zoe")])).kind
    'data'
    >>> choose_inference_graph(training, Graph.from_triples([("Eve", "mother", "Zoe")])).graph.triples()
    [('Eve', 'mother', 'Zoe'), ('Ann', 'mother', 'Eve')]
    """
    known = _known_edges(training, given)
    facts, known_facts = np.unique(given.facts).size, np.unique(given.facts[known]).size
    known_entities = sum(name in training.nodes for name in given.entities)
    if kind is None:
        kind = "training" if known_facts == facts else "merged" if known_entities else "data"
    pool = given if kind == "data" else given.with_triples(training)
    if kind == "training" and known_facts < facts:
        pool = pool.without_triples(_part(given, ~known))
    has_all = kind == "training" and known_entities == given.number_of_nodes
    if has_all and pool.number_of_edges == given.number_of_edges:
        pool = given  # the data that the model was trained on
    graph = training if has_all else pool
    return InferenceGraph(graph, pool, kind, given.number_of_nodes, known_entities, facts, known_facts)


def _known_edges(training: Graph, given: Graph) -> NDArray[np.bool_]:
    """Return which edges of a graph the training graph has, [edges of the given graph]."""
    node = np.array([*(training.nodes.get(name, -1) for name in given.entities), -1])
    relation = np.array([*given.vocabulary.ids_in(training.vocabulary), -1])
    edges = np.stack([node[given.sources], relation[given.relations], node[given.targets]])
    own = np.stack([training.sources, training.relations, training.targets]).astype(np.int64)
    return isin_columns(edges, own)


def _part(graph: Graph, edges: NDArray[np.bool_]) -> list[tuple[str, str, str]]:
    """Return some of the edges as triples of names."""
    return [triple for triple, kept in zip(graph.triples(), edges.tolist(), strict=True) if kept]
