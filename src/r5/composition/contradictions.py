"""Contradictions: which facts exclude each other, and which edges are likely to be wrong."""

from __future__ import annotations

import numpy as np

from r5._util.order import first_largest, largest_first
from r5.composition.propagation import CONTRADICTION, Propagated, propagate
from r5.composition.table import CompositionTable
from r5.derivations.derivation import Fact, Suspicion
from r5.examples import Example, Examples

__all__ = ["minimal_contradiction", "suspicious_facts"]

_LEAST_NOISE = 1e-3
"""How likely an edge is to be wrong, at least."""
_MENTIONED = 0.01
"""Edges less likely to be wrong are not listed."""


def minimal_contradiction(example: Example, names: tuple[str, ...], table: CompositionTable) -> list[Fact]:
    """Facts that exclude each other, none of which could be left out; of the many sets there may be, a small one.

    Edges are set free one after the other, those far from the others first, as long as the rest still contradict.
    """
    examples = Examples.of([example])
    free = np.zeros(example.graph.number_of_edges, dtype=np.bool_)
    for edge in range(free.size):
        free[edge] = True
        if propagate(examples, names, table, free).agree[0] >= CONTRADICTION:
            free[edge] = False
    return [_fact(example, edge) for edge in np.flatnonzero(~free).tolist()]


def suspicious_facts(example: Example, names: tuple[str, ...], table: CompositionTable) -> list[Suspicion]:
    """The edges that are likely to be wrong: without them the answer, or some answer, would be far more possible."""
    examples = Examples.of([example])
    graph = example.graph
    answer = names.index(example.answer_name) if example.answer_name in names else None
    noise = max(table.noise * (len(names) - 1), _LEAST_NOISE)
    now = _ease(propagate(examples, names, table), answer)
    found = []
    for edge in range(graph.number_of_edges):
        free = np.arange(graph.number_of_edges) == edge
        then = _ease(propagate(examples, names, table, free), answer)
        wrong = noise * then / (noise * then + (1.0 - noise) * now)
        if then > now and wrong >= _MENTIONED:
            found.append((wrong, edge))
    ranked = largest_first(found, lambda one: one[0], key=lambda one: one[1])
    return [_suspicion(example, edge, wrong, names, table, answer) for wrong, edge in ranked]


def _suspicion(
    example: Example, edge: int, wrong: float, names: tuple[str, ...], table: CompositionTable, answer: int | None
) -> Suspicion:
    """What the edge is most likely to be instead."""
    observed = _fact(example, edge)
    eases = np.array([_ease(_instead(example, edge, name, names, table), answer) for name in names])
    eases[[name == observed.relation for name in names]] = 0.0
    eases /= max(eases.sum(), 1e-300)
    best = first_largest(eases)
    return Suspicion(observed, wrong, names[best], wrong * float(eases[best]))


def _instead(example: Example, edge: int, name: str, names: tuple[str, ...], table: CompositionTable) -> Propagated:
    """What would be decided if an edge had another relation."""
    graph = example.graph
    triples = graph.triples()
    triples[edge] = (triples[edge][0], name, triples[edge][2])
    changed = type(graph).from_triples(triples, graph.vocabulary.with_known(name))
    node = {entity: number for number, entity in enumerate(changed.entities)}
    ends = [node[example.source]], [node[example.target]]
    return propagate(Examples.over(changed, *ends, [-1]), names, table)


def _ease(decided: Propagated, answer: int | None) -> float:
    """How far the paths agree on the answer or, where it is not known, on some answer."""
    return float(decided.agree[0] * (1.0 if answer is None else decided.possible[0, answer]))


def _fact(example: Example, edge: int) -> Fact:
    graph = example.graph
    return Fact(
        graph.entities[int(graph.sources[edge])],
        graph.vocabulary.name(int(graph.relations[edge])),
        graph.entities[int(graph.targets[edge])],
    )
