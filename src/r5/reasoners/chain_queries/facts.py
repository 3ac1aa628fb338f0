"""Facts of graphs and examples by the numbers of a step graph."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from r5.chains.graph.step_graph import StepGraph, base_facts, distinct
from r5.data.memory import is_table
from r5.data.registry import load
from r5.errors import R5Error
from r5.examples import Examples
from r5.graph import Graph
from r5.knowledge.training_graph import training_graph
from r5.reasoners.base import Reasoner
from r5.relations import INVERSE_SUFFIX, Vocabulary, inverse_name

__all__ = ["base_relations", "named_facts", "select_training_graph", "select_unseen_facts"]


def base_relations(vocabulary: Vocabulary) -> tuple[str, ...]:
    """Return the relations of a vocabulary without the inverses of others."""
    return tuple(
        name for name in vocabulary.known if not (name.endswith(INVERSE_SUFFIX) and inverse_name(name) in vocabulary)
    )


def select_training_graph(examples: Any, valid: Examples | None) -> tuple[Graph, Examples | None]:
    """Return the graph to learn from, the whole one or the part that the examples give, and `valid`.

    A frame, a list of triples or a dict of splits is loaded first.
    """
    if isinstance(examples, Graph):
        if valid is not None and not isinstance(valid, Examples):
            raise R5Error(f"expected Examples to validate with, not a {type(valid).__name__}")
        return examples, valid
    if not isinstance(examples, Examples) and is_table(examples):
        data = load(examples)
        examples, valid = data.train, data.valid if valid is None and len(data.valid) else valid
    found, valid = Reasoner._training_examples(examples, valid)
    if not len(found):
        raise R5Error("none of the examples has an answer: there is nothing to learn from")
    if found.node_offsets.size != 2:
        raise R5Error(
            f"the engine chains learns from one knowledge graph, not from {found.node_offsets.size - 1:,} graphs; "
            "use the engine r5 or grammar"
        )
    return training_graph(found), valid


def select_unseen_facts(valid: Examples | None, steps: StepGraph) -> NDArray[np.int64] | None:
    """Return the facts of a split that the graph lacks; None if there are none."""
    if valid is None:
        return None
    held_out = named_facts(valid, steps, answers_only=True)
    held_out = distinct(held_out[(held_out >= 0).all(axis=1)])
    new = held_out[~steps.has(held_out)]
    return new if len(new) else None


def named_facts(source: Examples | Graph, steps: StepGraph, answers_only: bool = False) -> NDArray[np.int64]:
    """Return facts by numbers of entities and relations, without facts that have an unknown name, [facts, 3]."""
    graph = source if isinstance(source, Graph) else source.pool
    vocabulary = Vocabulary(steps.relations)
    parts: list[NDArray[np.int64]] = []
    if not answers_only:
        parts.append(base_facts(graph, vocabulary))
    if isinstance(source, Examples):
        number = np.array([*graph.vocabulary.ids_in(vocabulary), -1], dtype=np.int64)
        rows = np.stack([source.sources, number[source.answers], source.targets], axis=1)
        parts.append(rows.astype(np.int64))
    facts = np.concatenate(parts)
    if graph.entities != steps.entities:
        places = {name: node for node, name in enumerate(steps.entities)}
        node = np.array([places.get(name, -1) for name in graph.entities] or [-1], dtype=np.int64)
        facts = np.stack([node[facts[:, 0]], facts[:, 1], node[facts[:, 2]]], axis=1)
    return facts if answers_only else facts[(facts >= 0).all(axis=1)]
