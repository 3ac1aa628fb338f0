"""Chain models as rules by name, and rules by name as premises for a chain model."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

import numpy as np

from r5.chains.constants import NO_CONSTANTS, turned_constants
from r5.chains.learning import Premises
from r5.chains.model import ChainModel, Target
from r5.chains.steps import StepGraph
from r5.chains.walk_kernels import DEEPEST
from r5.errors import R5Error
from r5.relations import inverse_name
from r5.rules.rule import Key, Rule
from r5.rules.ruleset import RuleSet

__all__ = ["constant_rule", "given_premises", "learned_rules", "without_rules"]


def learned_rules(graph: StepGraph, model: ChainModel, most: int) -> RuleSet:
    """The rules of all targets with the greatest weights, the greatest first, whichever way they speak.

    The head of a rule for the other direction is the inverse relation. A rule's weight is what it adds where it
    holds at all; what a candidate gains from being reached in many ways is not in it.
    """
    least = _least_weight(model, most)
    rules = [
        replace(rule, weight=weight)
        for target in model.targets.values()
        for rule, weight in _rules_of(target, graph, model, least)
        if rule.body != (rule.head,) or rule.target is not None
    ]
    # Rules with constants are read from their ends for the other direction, with the same weight: told once.
    once = {rule.key: rule for rule in rules}
    return RuleSet.of(Rule.in_order(once.values(), lambda rule: abs(rule.weight or 0.0))[:most])


def _least_weight(model: ChainModel, most: int) -> float:
    """A weight that `most` rules have or exceed, each told twice and those that say nothing among them."""
    sizes = [np.zeros(0), *(np.abs(target.weights.rules[:, 0]) for target in model.targets.values())]
    every, needed = np.concatenate(sizes), 2 * most + len(model.targets)
    if every.size <= needed:
        return 0.0
    # A little less, as what differs by a rounding counts as equal.
    return float(np.partition(every, every.size - needed)[every.size - needed]) * (1 - 1e-6)


def _rules_of(target: Target, graph: StepGraph, model: ChainModel, least: float = 0.0) -> Iterator[tuple[Rule, float]]:
    """The rules of a target in the order of their weights, with these; only those of at least so much."""
    head, chains = graph.name(target.step), len(target.bodies)
    weights = target.weights.rules[:, 0]
    for number in np.flatnonzero(np.abs(weights) >= least).tolist():
        if number < chains:
            rule = Rule(head, tuple(map(graph.name, target.bodies[number])))
        else:
            rule = constant_rule(target.constants[number - chains].tolist(), head, graph, model.entities)
        yield rule, float(weights[number])


def constant_rule(row: list[int], head: str, graph: StepGraph, entities: tuple[str, ...]) -> Rule:
    """A rule about fixed entities by name; `head` is the step that is asked for."""
    step, having, answer, turned = row
    body = () if step < 0 else (graph.name(step),)
    return Rule(
        inverse_name(head) if turned else head, body, target=entities[answer], ending=entities[having] if body else None
    )


def given_premises(rules: RuleSet, graph: StepGraph) -> dict[int, Premises]:
    """The premises of each step that rules are about, both ways: a rule read from its end is one for the inverse.

    Invented relations are unfolded. Rules about one entity whose body is longer than one relation or ends
    anywhere, and chains that are too long, cannot be used.
    """
    flat = rules.unfold(DEEPEST) if rules.invented else rules
    node = {name: number for number, name in enumerate(graph.entities)}
    chains: dict[int, dict[tuple[int, ...], None]] = {}
    fixed: dict[int, dict[tuple[int, ...], None]] = {}
    inverse = graph.steps.inverse
    for rule in flat:
        head, body = graph.step_named(rule.head), tuple(map(graph.step_named, rule.relations))
        if head < 0 or min(body, default=0) < 0:
            continue
        back = int(inverse[head])
        if rule.target is None:
            if 0 < len(body) <= DEEPEST:
                chains.setdefault(head, {})[body] = None
                chains.setdefault(back, {})[tuple(int(inverse[step]) for step in reversed(body))] = None
        elif len(body) < 2 and len(body) == (rule.ending is not None):
            row = (*body, node.get(rule.ending or "", -2)) if body else (-1, -1)
            answer = node.get(rule.target, -2)
            if min(row[1], answer) > -2 and (head, row[1]) != (row[0], answer):
                fixed.setdefault(head, {})[*row, answer, 0] = None
    found = {step: list(chains.get(step, {})) for step in {*chains, *fixed, *(int(inverse[s]) for s in fixed)}}
    if not found:
        raise R5Error(f"none of the {len(rules)} rules is a chain of up to {DEEPEST} relations of the graph")
    return {step: Premises(bodies, _both(fixed, step, int(inverse[step]))) for step, bodies in sorted(found.items())}


def _both(fixed: dict[int, dict[tuple[int, ...], None]], step: int, back: int) -> np.ndarray:
    """The rules about fixed entities of a step and of the one that leads back, as they are read for the step."""
    own = np.array([*fixed.get(step, {})], np.int64).reshape(-1, 4)
    other = np.array([*fixed.get(back, {})], np.int64).reshape(-1, 4) if back != step else NO_CONSTANTS
    both = [own, turned_constants(other)]
    return np.concatenate(both if step < back or back == step else both[::-1])


def without_rules(model: ChainModel, graph: StepGraph, off: Collection[Key]) -> ChainModel:
    """The model with no weight on these rules."""
    targets = {}
    for step, target in model.targets.items():
        mine = [number for number, (rule, _) in enumerate(_rules_of(target, graph, model)) if rule.key in off]
        weights = target.weights
        if mine:
            rules = weights.rules.copy()
            rules[mine] = 0.0
            weights = weights._replace(rules=rules)
        targets[step] = replace(target, weights=weights)
    return replace(model, targets=targets)
