"""Contradictions: facts that exclude each other, and edges that are likely to be wrong."""

from __future__ import annotations

import numpy as np

from r5._util.ordering import argmax, sort_descending
from r5.composition.propagation import CONTRADICTION, Propagation, propagate
from r5.composition.table import CompositionTable
from r5.derivations.derivation import Fact, Suspicion
from r5.examples import Example, Examples

__all__ = ["minimal_contradiction", "suspicious_facts"]

_MIN_NOISE = 1e-3
"""Minimum prior probability of a wrong edge."""
_MIN_PROBABILITY = 0.01
"""Minimum probability of a listed edge."""


def minimal_contradiction(example: Example, names: tuple[str, ...], table: CompositionTable) -> list[Fact]:
    """Return a minimal set of facts that exclude each other.

    Edges are freed one after the other as long as the rest still contradict each other.
    """
    examples = Examples.of([example])
    free = np.zeros(example.graph.number_of_edges, dtype=np.bool_)
    for edge in range(free.size):
        free[edge] = True
        if propagate(examples, names, table, free).agreement[0] >= CONTRADICTION:
            free[edge] = False
    return [_fact(example, edge) for edge in np.flatnonzero(~free).tolist()]


def suspicious_facts(example: Example, names: tuple[str, ...], table: CompositionTable) -> list[Suspicion]:
    """Return the edges without which the answer, or some answer, would be far more possible."""
    examples = Examples.of([example])
    graph = example.graph
    answer = names.index(example.answer_name) if example.answer_name in names else None
    noise = max(table.noise * (len(names) - 1), _MIN_NOISE)
    before = _possibility(propagate(examples, names, table), answer)
    found = []
    for edge in range(graph.number_of_edges):
        free = np.arange(graph.number_of_edges) == edge
        after = _possibility(propagate(examples, names, table, free), answer)
        wrong = noise * after / (noise * after + (1.0 - noise) * before)
        if after > before and wrong >= _MIN_PROBABILITY:
            found.append((wrong, edge))
    ranked = sort_descending(found, lambda one: one[0], key=lambda one: one[1])
    return [_suspicion(example, edge, wrong, names, table, answer) for wrong, edge in ranked]


def _suspicion(
    example: Example, edge: int, wrong: float, names: tuple[str, ...], table: CompositionTable, answer: int | None
) -> Suspicion:
    """Return the edge with its most likely replacement."""
    observed = _fact(example, edge)
    possibilities = np.array(
        [_possibility(_propagate_with(example, edge, name, names, table), answer) for name in names]
    )
    possibilities[[name == observed.relation for name in names]] = 0.0
    possibilities /= max(possibilities.sum(), 1e-300)
    best = argmax(possibilities)
    return Suspicion(observed, wrong, names[best], wrong * float(possibilities[best]))


def _propagate_with(
    example: Example, edge: int, name: str, names: tuple[str, ...], table: CompositionTable
) -> Propagation:
    """Return the propagation with another relation at one edge."""
    graph = example.graph
    triples = graph.triples()
    triples[edge] = (triples[edge][0], name, triples[edge][2])
    changed = type(graph).from_triples(triples, graph.vocabulary.with_known(name))
    node = {entity: number for number, entity in enumerate(changed.entities)}
    ends = [node[example.source]], [node[example.target]]
    return propagate(Examples.over(changed, *ends, [-1]), names, table)


def _possibility(result: Propagation, answer: int | None) -> float:
    """Return the agreement of the paths on the answer or, if it is unknown, on any answer."""
    return float(result.agreement[0] * (1.0 if answer is None else result.possible[0, answer]))


def _fact(example: Example, edge: int) -> Fact:
    graph = example.graph
    return Fact(
        graph.entities[int(graph.sources[edge])],
        graph.vocabulary.name(int(graph.relations[edge])),
        graph.entities[int(graph.targets[edge])],
    )
