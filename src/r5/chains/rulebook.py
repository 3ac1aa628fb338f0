"""Chain models as rules by name, and rules by name as premises for a chain model."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from r5._util.ordering import top_indices
from r5.chains.constants import NO_CONSTANTS, turned_constants
from r5.chains.learning import Premises
from r5.chains.model import ChainModel
from r5.chains.steps import IdArray, StepGraph
from r5.chains.walk_kernels import DEEPEST
from r5.errors import R5Error
from r5.relations import inverse_name
from r5.rules.rule import Key, Rule
from r5.rules.ruleset import RuleSet

__all__ = ["constant_rule", "count_rules", "given_premises", "learned_rules", "without_rules"]


Chain = tuple[int, tuple[int, ...]]
"""A chain rule by its steps: head and body."""


def count_rules(graph: StepGraph, model: ChainModel) -> int:
    """Number of distinct rules of a model, as they are listed: a rule and its mirror image are one."""
    return len(_chains(graph, model)) + len(_constants(graph, model)[1])


def learned_rules(graph: StepGraph, model: ChainModel, most: int) -> RuleSet:
    """Return the rules with the greatest weights, whichever way they speak: chain rules, then those with constants.

    Half of the places are for chain rules; those that one kind leaves free go to the other. A rule's weight is
    its contribution where it holds at all, without that of the number of its groundings.

    Args:
        graph: Names of the steps.
        model: Rules and weights.
        most: Maximum number of rules.

    Returns:
        The rules without figures. A rule and its mirror image, `h <= a, b` and `h^-1 <= b^-1, a^-1`, are one rule,
        told without an inverse head.

    """
    chains = _chains(graph, model)
    rows, row_weights = _constants(graph, model)
    heads, weights = list(chains), np.array([*chains.values()])
    room = max(most - most // 2, most - len(rows))
    rules = []
    for place in top_indices(np.abs(weights), room):
        step, body = heads[place]
        rules.append(Rule(graph.name(step), tuple(map(graph.name, body)), weight=float(weights[place])))
    for place in top_indices(np.abs(row_weights), most - len(rules)):
        step, *row = rows[place].tolist()
        rule = constant_rule(row, graph.name(step), graph, model.entities)
        rules.append(replace(rule, weight=float(row_weights[place])))
    return RuleSet.of(rules)


def _chains(graph: StepGraph, model: ChainModel) -> dict[Chain, float]:
    """The weights of the distinct chain rules; one that repeats its head says nothing."""
    found: dict[Chain, float] = {}
    for step, target in sorted(model.targets.items()):
        for body, weight in zip(target.bodies, target.weights.rules[:, 0].tolist(), strict=False):
            chain = _turned(graph, step, body)
            if body != (step,) and (chain not in found or chain == (step, body)):
                found[chain] = weight
    return found


def _turned(graph: StepGraph, step: int, body: tuple[int, ...]) -> Chain:
    """The chain rule, or its mirror image where that has no inverse head, or fewer inverses in its body."""
    inverse = graph.steps.inverse
    mirror = int(inverse[step]), tuple(int(inverse[one]) for one in reversed(body))

    def inverses(chain: Chain) -> tuple[bool, int, Chain]:
        backwards = len(graph.relations)
        return chain[0] >= backwards, sum(one >= backwards for one in chain[1]), chain

    return min((step, body), mirror, key=inverses)


def _constants(graph: StepGraph, model: ChainModel) -> tuple[IdArray, NDArray[np.float64]]:
    """The distinct rules with constants, [rules, 5]: the step of the relation and the row for it; their weights."""
    rows, weights = [np.zeros((0, 5), np.int64)], [np.zeros(0)]
    for step, target in sorted(model.targets.items()):
        # Read for the other direction, a rule has the same weight.
        first = min(step, int(graph.steps.inverse[step]))
        own = target.constants if step == first else turned_constants(target.constants)
        rows.append(np.column_stack([np.full(len(own), first), own]))
        weights.append(target.weights.rules[len(target.bodies) :, 0])
    found, places = np.unique(np.concatenate(rows), axis=0, return_index=True)
    return found, np.concatenate(weights)[places]


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
    """The model with no weight on these rules, nor on their mirror images."""
    chains = {_turned(graph, head, body) for head, body in _steps_of(graph, off)}
    targets = {}
    for step, target in model.targets.items():
        head = graph.name(step)
        fixed = (constant_rule(row, head, graph, model.entities) for row in target.constants.tolist())
        mine = [_turned(graph, step, body) in chains for body in target.bodies] + [rule.key in off for rule in fixed]
        weights = target.weights
        if any(mine):
            rules = weights.rules.copy()
            rules[np.array(mine)] = 0.0
            weights = weights._replace(rules=rules)
        targets[step] = replace(target, weights=weights)
    return replace(model, targets=targets)


def _steps_of(graph: StepGraph, keys: Iterable[Key]) -> Iterator[Chain]:
    """The chain rules among some rules, by their steps; those with unknown relations are left out."""
    for head, body, target, _ in keys:
        steps = [graph.step_named(name) for name in (head, *body)]
        if target is None and min(steps) >= 0:
            yield steps[0], tuple(steps[1:])
