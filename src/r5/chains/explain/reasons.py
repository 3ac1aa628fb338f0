"""Reasons of a score: the rules and facts whose weights sum to it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from r5._util.kernels.elementary_kernels import log
from r5._util.ordering import argmax
from r5.chains.explain.rule_lists import constant_rule
from r5.chains.explain.similar_reasons import find_similar_reasons
from r5.chains.features.walk_kernels import ground
from r5.chains.graph.step_graph import StepGraph
from r5.chains.graph.step_kernels import Mask
from r5.chains.inference.query_scorer import NO_MASK, QueryScorer
from r5.chains.inference.scoring_kernels import reach
from r5.chains.model import RelationModel
from r5.derivations.completion import Reason
from r5.derivations.derivation import Fact
from r5.relations import base_name
from r5.rules.rule import Rule

__all__ = ["find_exclusion_reason", "find_reasons", "grounding", "strongest_first"]


def find_reasons(
    query_scorer: QueryScorer, target: RelationModel, source: int, candidate: int, head: str, mask: Mask = NO_MASK
) -> tuple[Reason, ...]:
    """Return the reasons whose weights sum to the score of a candidate, the strongest first.

    Args:
        query_scorer: The model on a graph.
        target: The relation and direction of the query.
        source: The given entity.
        candidate: The entity that is scored.
        head: Name of the relation, the head of the rules.
        mask: The edge that must not be used.
    """
    graph, reached = query_scorer.graph, query_scorer.workspace.reached
    count = reach(query_scorer.walk, target.trie, query_scorer.constants(target), source, mask, reached)
    used: list[tuple[int, float]] = []
    for use in range(count):
        part = slice(int(reached.starts[use]), int(reached.starts[use + 1]))
        at = np.flatnonzero(reached.entities[part] == candidate)
        if at.size:
            rule = int(reached.rules[use])
            applies, *others = target.weights.rules[rule].tolist()
            features = reached.features[part][at[0], :2].tolist()
            used.append((rule, sum((w * x for w, x in zip(others, features, strict=True)), applies)))
    found = []
    for rule, weight in used:
        if rule >= len(target.bodies):
            found.append(_constant(query_scorer, target, rule - len(target.bodies), source, candidate, head, weight))
            continue
        body = target.bodies[rule]
        groundings, facts = grounding(query_scorer, body, source, candidate, mask, _masked_fact(mask, head))
        names = graph.body_names(head, body)
        found.append(Reason(Rule(head, names, weight=float(target.weights.rules[rule, 0])), weight, facts, groundings))
    found += _properties(query_scorer, target, candidate, head, mask)
    if candidate == source and target.weights.start[0]:
        text = f"{graph.entities[candidate]} is the entity asked about"
        found.append(Reason(Rule(head, (head,)), float(target.weights.start[0]), (), 1, "bias", text))
    found += find_similar_reasons(query_scorer, target, source, candidate, head, mask)
    return strongest_first(found)


def strongest_first(reasons: Iterable[Reason]) -> tuple[Reason, ...]:
    """Return the reasons by absolute weight."""
    return tuple(sorted(reasons, key=lambda reason: (-abs(reason.weight), reason.kind, str(reason))))


def find_exclusion_reason(
    query_scorer: QueryScorer, target: RelationModel, source: int, candidate: int, head: str
) -> list[Reason]:
    """Return the exclusion penalty of a candidate as a reason that names the likeliest excluding relation."""
    strength = query_scorer.model.exclusions.strength
    exclusions, log_odds = query_scorer.exclusions(target) if strength else ([], np.zeros(0))
    if not exclusions:
        return []
    less = float(query_scorer.exclusion_penalty(target, source)[candidate])
    scores = [
        query_scorer.rule_scores(excluding, source)[candidate] + more
        for excluding, more in zip(exclusions, log_odds.tolist(), strict=True)
    ]
    name = query_scorer.graph.name(exclusions[argmax(scores)].step)
    other = base_name(name)
    if (other == name) == (base_name(head) == head):
        text = f"{other} may hold instead: no two entities have both"
    else:
        text = f"{other} may hold the other way round instead: no two entities have both"
    return [Reason(Rule(head, (name,)), -strength * less, (), 1, "exclusion", text)] if less else []


def grounding(
    query_scorer: QueryScorer,
    body: tuple[int, ...],
    source: int,
    end: int,
    mask: Mask = NO_MASK,
    masked: tuple[int, int, int] | None = None,
) -> tuple[int, tuple[Fact, ...]]:
    """Return the number of groundings of a body between two entities, and the facts of one grounding.

    Args:
        query_scorer: The model on a graph.
        body: Steps of the body.
        source: Entity where the body begins.
        end: Entity where it ends.
        mask: The edge that must not be used.
        masked: The fact of this edge: head, step, tail.
    """
    graph = query_scorer.graph
    way = np.zeros(len(body) + 1, np.int64)
    steps = np.array(body, np.int64)
    groundings = ground(query_scorer.walk, steps, source, end, mask, way)
    if not groundings:
        return 0, ()
    edges = zip(way.tolist(), body, way[1:].tolist(), strict=False)
    return round(groundings), tuple(_stored_fact(graph, edge, masked) for edge in edges)


def _stored_fact(graph: StepGraph, edge: tuple[int, int, int], masked: tuple[int, int, int] | None) -> Fact:
    """Return the fact of the graph that an edge stands for; one of a symmetric relation may be the reversed fact."""
    source, _, target = edge
    return Fact(graph.entities[source], graph.stored_name(*edge, masked), graph.entities[target])


def _masked_fact(mask: Mask, head: str) -> tuple[int, int, int] | None:
    """Return the masked fact: head, step, tail. `head` is the name of the queried relation in its direction."""
    if mask.step < 0:
        return None
    first, last = (mask.source, mask.target) if base_name(head) == head else (mask.target, mask.source)
    return first, mask.step, last


def _constant(
    query_scorer: QueryScorer, target: RelationModel, number: int, source: int, candidate: int, head: str, weight: float
) -> Reason:
    """Return a rule with constants as a reason: it rests on one fact or on none."""
    row = target.constants[number].tolist()
    rule = replace(constant_rule(row, head, query_scorer.graph, query_scorer.model.entities), weight=weight)
    about = query_scorer.graph.entities[candidate if row[3] else source]
    return Reason(rule, weight, tuple(Fact(about, name, rule.ending or "") for name in rule.body))


def _properties(
    query_scorer: QueryScorer, target: RelationModel, candidate: int, head: str, mask: Mask
) -> list[Reason]:
    """Return the parts of the entity bias, one per step that the candidate has."""
    graph, steps, found = query_scorer.graph, query_scorer.graph.steps, []
    name = graph.entities[candidate]
    for row in range(int(steps.node_rows[candidate]), int(steps.node_rows[candidate + 1])):
        step = int(steps.row_steps[row])
        count = int(steps.row_offsets[row + 1] - steps.row_offsets[row])
        others = steps.targets[steps.row_offsets[row] : steps.row_offsets[row + 1]].tolist()
        if mask.step >= 0 and (candidate, step) == (mask.source, mask.step):
            count -= 1
            others.remove(mask.target)
        if mask.step >= 0 and (candidate, step) == (mask.target, int(steps.inverse[mask.step])):
            count -= 1
            others.remove(mask.source)
        weights = target.weights.steps[step]
        weight = float(weights[0] + weights[1] * (count > 1) + weights[2] * float(log(1.0 + count)))
        if count > 0 and weight:
            step_name = graph.name(step)
            end = "the head" if step_name == base_name(step_name) else "the tail"
            end = "an end" if graph.steps.inverse[step] == step else end  # of a symmetric relation
            times = "once" if count == 1 else f"{count:,} times"
            text = f"{name} is {end} of {base_name(step_name)} {times}"
            fact = _stored_fact(graph, (candidate, step, others[0]), _masked_fact(mask, head))
            found.append(Reason(Rule(head, (step_name,)), weight, (fact,), count, "candidate", text))
    return found
