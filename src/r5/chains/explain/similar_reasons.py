"""Reasons that rest on similar entities."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from r5.chains.graph.step_graph import StepGraph
from r5.chains.graph.step_kernels import Mask
from r5.chains.inference.query_scorer import NO_MASK, QueryScorer
from r5.chains.model import RelationModel
from r5.chains.similarity.similar_entities import SimilarEntities
from r5.derivations.completion import Reason
from r5.derivations.derivation import Fact
from r5.rules.rule import Rule

__all__ = ["find_similar_reasons"]

_SHOWN = 3
"""Number of similar entities that a reason names."""


def find_similar_reasons(
    query_scorer: QueryScorer, target: RelationModel, source: int, candidate: int, head: str, mask: Mask = NO_MASK
) -> list[Reason]:
    """Return the evidence of similar entities for a candidate: one reason for each of its two parts."""
    weights, graph = query_scorer.model.similarity, query_scorer.graph
    names, inverse = graph.entities, graph.steps.inverse
    query_scorer.require_similar(target.step, np.array([source]))
    found = []
    if weights.sources:
        having = _others(graph, candidate, int(inverse[target.step]), mask)
        edge = None if mask.step < 0 else (mask.step, mask.target)
        parts = _parts(query_scorer.similar, [(source, one) for one in having], source, edge)
        facts = [_fact(graph, one, target.step, candidate, head) for (_, one), _ in parts]
        shown = [(names[one], value) for (_, one), value in parts]
        found.append(_reason(head, weights.sources, shown, facts, f"similar to {names[source]}"))
    if weights.answers:
        answers = _others(graph, source, target.step, mask)
        edge = None if mask.step < 0 or mask.target != candidate else (int(inverse[mask.step]), mask.source)
        parts = _parts(query_scorer.similar, [(one, candidate) for one in answers], candidate, edge)
        facts = [_fact(graph, source, target.step, one, head) for (one, _), _ in parts]
        shown = [(names[one], value) for (one, _), value in parts]
        found.append(_reason(head, weights.answers, shown, facts, f"similar to {names[candidate]}"))
    return [reason for reason in found if reason.weight]


def _fact(graph: StepGraph, source: int, step: int, target: int, head: str) -> Fact:
    """Return a fact of the queried relation as the graph has it."""
    name = graph.stored_name(source, step, target) if graph.steps.inverse[step] == step else head
    return Fact(graph.entities[source], name, graph.entities[target])


def _others(graph: StepGraph, entity: int, step: int, mask: Mask) -> list[int]:
    """Return the distinct entities that a step leads to from an entity, without the end of the masked edge."""
    found = graph.ends(entity, step)
    if mask.step >= 0 and (entity, step) == (mask.source, mask.step):
        found = [one for one in found if one != mask.target]
    if mask.step >= 0 and (entity, step) == (mask.target, int(graph.steps.inverse[mask.step])):
        found = [one for one in found if one != mask.source]
    return found


def _parts(
    similar: SimilarEntities, pairs: Sequence[tuple[int, int]], owner: int, masked: tuple[int, int] | None
) -> list[tuple[tuple[int, int], float]]:
    """Return the similarity of each pair of entities, the largest first.

    Args:
        similar: Similar entities.
        pairs: Rows and columns of the table of similarities.
        owner: The entity of each pair that has the masked property.
        masked: The masked property: step and target.
    """
    found = []
    for row, column in pairs:
        value = similar.between(row, column)
        if value and masked is not None:
            value *= similar.share_without(owner, column if row == owner else row, *masked)
        if value:
            found.append(((row, column), value))
    return sorted(found, key=lambda part: (-abs(part[1]), part[0]))


def _reason(head: str, weight: float, shown: Sequence[tuple[str, float]], facts: Sequence[Fact], start: str) -> Reason:
    """Return the reason for some similar entities, of which a few are named."""
    names = ", ".join(f"{name} ({round(value, 2) + 0.0:.2f})" for name, value in shown[:_SHOWN])
    more = f" and {len(shown) - _SHOWN:,} more" if len(shown) > _SHOWN else ""
    total = weight * sum(value for _, value in shown)
    return Reason(Rule(head, (head,)), total, tuple(facts[:_SHOWN]), len(shown), "similar", f"{start}: {names}{more}")
