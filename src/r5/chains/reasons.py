"""Reasons: which rules and facts a score is made of."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from r5._util.kernels.elementary_kernels import log
from r5._util.ordering import argmax
from r5.chains import answer_kernels as kernels
from r5.chains.answering import NOTHING, Answerer
from r5.chains.completion import Reason
from r5.chains.model import Target
from r5.chains.rulebook import constant_rule
from r5.chains.step_kernels import Hidden
from r5.chains.walk_kernels import ground
from r5.derivations.derivation import Fact
from r5.rules.rule import Rule

__all__ = ["find_reasons", "find_rival", "grounding", "strongest_first"]


def find_reasons(
    answerer: Answerer, target: Target, source: int, candidate: int, head: str, hidden: Hidden = NOTHING
) -> tuple[Reason, ...]:
    """What the score of a candidate is the sum of, strongest first; `head` is what the rules are about."""
    graph, room = answerer.graph, answerer.room
    frontier = answerer.model.frontier
    reached, constants = room.reached, answerer.constants(target)
    count = kernels.reach(graph.steps, target.trie, constants, source, hidden, frontier, room.walker, reached)
    used: list[tuple[int, float]] = []
    for use in range(count):
        part = slice(int(reached.starts[use]), int(reached.starts[use + 1]))
        at = np.flatnonzero(reached.entities[part] == candidate)
        if at.size:
            rule = int(reached.rules[use])
            fires, *others = target.weights.rules[rule].tolist()
            features = reached.features[part][at[0]].tolist()
            used.append((rule, sum((w * x for w, x in zip(others, features, strict=True)), fires)))
    found = []
    for rule, weight in used:
        if rule >= len(target.bodies):
            found.append(_constant(answerer, target, rule - len(target.bodies), source, candidate, head, weight))
            continue
        body = target.bodies[rule]
        ways, facts = grounding(answerer, body, source, candidate, hidden)
        names = tuple(graph.name(step) for step in body)
        found.append(Reason(Rule(head, names, weight=float(target.weights.rules[rule, 0])), weight, facts, ways))
    found += _properties(answerer, target, candidate, head, hidden)
    if candidate == source and target.weights.start[0]:
        text = f"{graph.entities[candidate]} is the entity asked about"
        found.append(Reason(Rule(head, (head,)), float(target.weights.start[0]), (), 1, "bias", text))
    return strongest_first(found)


def strongest_first(reasons: Iterable[Reason]) -> tuple[Reason, ...]:
    """Reasons in the order in which they are told."""
    return tuple(sorted(reasons, key=lambda reason: (-abs(reason.weight), reason.kind, str(reason))))


def find_rival(answerer: Answerer, target: Target, source: int, candidate: int, head: str) -> list[Reason]:
    """What the score of a candidate gives way to relations that may hold instead; the likeliest of them is named."""
    force = answerer.model.rivals.force
    rivals, odds = answerer.rivals(target) if force else ([], np.zeros(0))
    if not rivals:
        return []
    less = float(answerer.rivalry(target, source)[candidate])
    said = [answerer.said(rival, source)[candidate] + more for rival, more in zip(rivals, odds.tolist(), strict=True)]
    name = answerer.graph.name(rivals[argmax(said)].step)
    text = f"{name} may hold instead: no two entities have both"
    return [Reason(Rule(head, (name,)), -force * less, (), 1, "rival", text)] if less else []


def grounding(
    answerer: Answerer, body: tuple[int, ...], source: int, end: int, hidden: Hidden = NOTHING
) -> tuple[int, tuple[Fact, ...]]:
    """In how many ways a body leads from one entity to another, and the facts of one."""
    graph = answerer.graph
    way = np.zeros(len(body) + 1, np.int64)
    steps = np.array(body, np.int64)
    ways = ground(graph.steps, steps, source, end, hidden, answerer.model.frontier, answerer.room.walker, way)
    if not ways:
        return 0, ()
    nodes = [graph.entities[node] for node in way.tolist()]
    return round(ways), tuple(Fact(nodes[i], graph.name(step), nodes[i + 1]) for i, step in enumerate(body))


def _constant(
    answerer: Answerer, target: Target, number: int, source: int, candidate: int, head: str, weight: float
) -> Reason:
    """A rule about fixed entities: it rests on one fact, or on none."""
    row = target.constants[number].tolist()
    rule = replace(constant_rule(row, head, answerer.graph, answerer.model.entities), weight=weight)
    about = answerer.graph.entities[candidate if row[3] else source]
    return Reason(rule, weight, tuple(Fact(about, name, rule.ending or "") for name in rule.body))


def _properties(answerer: Answerer, target: Target, candidate: int, head: str, hidden: Hidden) -> list[Reason]:
    """What the candidate's own edges add."""
    graph, steps, found = answerer.graph, answerer.graph.steps, []
    name = graph.entities[candidate]
    for row in range(int(steps.node_rows[candidate]), int(steps.node_rows[candidate + 1])):
        step = int(steps.row_steps[row])
        count = int(steps.row_offsets[row + 1] - steps.row_offsets[row])
        others = steps.targets[steps.row_offsets[row] : steps.row_offsets[row + 1]].tolist()
        if hidden.step >= 0 and (candidate, step) == (hidden.source, hidden.step):
            count -= 1
            others.remove(hidden.target)
        if hidden.step >= 0 and (candidate, step) == (hidden.target, int(steps.inverse[hidden.step])):
            count -= 1
            others.remove(hidden.source)
        weights = target.weights.steps[step]
        weight = float(weights[0] + weights[1] * (count > 1) + weights[2] * float(log(1.0 + count)))
        if count > 0 and weight:
            said = graph.name(step)
            text = f"{name} has {said} " + ("once" if count == 1 else f"{count:,} times")
            fact = Fact(name, said, graph.entities[others[0]])
            found.append(Reason(Rule(head, (said,)), weight, (fact,), count, "candidate", text))
    return found
