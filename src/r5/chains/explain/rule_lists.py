"""Rules of a chain model by name, and bodies for a chain model from rules by name."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from r5._util.ordering import top_indices
from r5.chains.features.constant_index import NO_CONSTANTS, reversed_constants
from r5.chains.features.walk_kernels import DEEPEST
from r5.chains.graph.step_graph import IdArray, StepGraph
from r5.chains.model import ChainModel
from r5.chains.training.queries import RuleBodies
from r5.errors import R5Error
from r5.relations import inverse_name
from r5.rules.rule import Key, Rule
from r5.rules.ruleset import RuleSet

__all__ = ["constant_rule", "count_rules", "given_bodies", "learned_rules", "without_rules"]


Chain = tuple[int, tuple[int, ...]]
"""Steps of a chain rule: head and body."""


def count_rules(graph: StepGraph, model: ChainModel) -> int:
    """Return the number of distinct rules of a model; a rule and its mirror image are one."""
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
    workspace = max(most - most // 2, most - len(rows))
    rules = []
    for place in top_indices(np.abs(weights), workspace):
        step, body = heads[place]
        head = graph.name(step)
        rules.append(Rule(head, graph.body_names(head, body), weight=float(weights[place])))
    for place in top_indices(np.abs(row_weights), most - len(rules)):
        step, *row = rows[place].tolist()
        rule = constant_rule(row, graph.name(step), graph, model.entities)
        rules.append(replace(rule, weight=float(row_weights[place])))
    return RuleSet.of(rules)


def _chains(graph: StepGraph, model: ChainModel) -> dict[Chain, float]:
    """Return the weights of the distinct chain rules, without rules whose body is their head.

    The rule `r(X, Y) <= r(Y, X)` of a symmetric relation has one step for head and body, and is among them.
    """
    found: dict[Chain, float] = {}
    for step, target in sorted(model.targets.items()):
        for body, weight in zip(target.bodies, target.weights.rules[:, 0].tolist(), strict=False):
            chain = _turned(graph, step, body)
            trivial = graph.body_names(graph.name(step), body) == (graph.name(step),)
            if not trivial and (chain not in found or chain == (step, body)):
                found[chain] = weight
    return found


def _turned(graph: StepGraph, step: int, body: tuple[int, ...]) -> Chain:
    """Return the chain rule or its mirror image: the one without inverse head, else with fewer inverses in its body."""
    inverse = graph.steps.inverse
    mirror = int(inverse[step]), tuple(int(inverse[one]) for one in reversed(body))

    def inverses(chain: Chain) -> tuple[bool, int, Chain]:
        backwards = len(graph.relations)
        return chain[0] >= backwards, sum(one >= backwards for one in chain[1]), chain

    return min((step, body), mirror, key=inverses)


def _constants(graph: StepGraph, model: ChainModel) -> tuple[IdArray, NDArray[np.float64]]:
    """Return the distinct rules with constants, [rules, 5] (step of the relation and row), and their weights."""
    rows, weights = [np.zeros((0, 5), np.int64)], [np.zeros(0)]
    for step, target in sorted(model.targets.items()):
        # Read for the other direction, a rule has the same weight.
        first = min(step, int(graph.steps.inverse[step]))
        own = target.constants if step == first else reversed_constants(target.constants)
        rows.append(np.column_stack([np.full(len(own), first), own]))
        weights.append(target.weights.rules[len(target.bodies) :, 0])
    found, places = np.unique(np.concatenate(rows), axis=0, return_index=True)
    return found, np.concatenate(weights)[places]


def constant_rule(row: list[int], head: str, graph: StepGraph, entities: tuple[str, ...]) -> Rule:
    """Return a rule with constants by name; `head` is the name of the step."""
    step, having, answer, reversed_ = row
    body = () if step < 0 else (graph.name(step),)
    return Rule(
        inverse_name(head) if reversed_ else head,
        body,
        target=entities[answer],
        ending=entities[having] if body else None,
    )


def given_bodies(rules: RuleSet, graph: StepGraph) -> dict[int, RuleBodies]:
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
    return {step: RuleBodies(bodies, _both(fixed, step, int(inverse[step]))) for step, bodies in sorted(found.items())}


def _both(fixed: dict[int, dict[tuple[int, ...], None]], step: int, back: int) -> np.ndarray:
    """Return the rules with constants of a step and of its inverse, as the step reads them."""
    own = np.array([*fixed.get(step, {})], np.int64).reshape(-1, 4)
    other = np.array([*fixed.get(back, {})], np.int64).reshape(-1, 4) if back != step else NO_CONSTANTS
    both = [own, reversed_constants(other)]
    return np.concatenate(both if step < back or back == step else both[::-1])


def without_rules(model: ChainModel, graph: StepGraph, off: Collection[Key]) -> ChainModel:
    """Return the model with weight 0 on some rules and their mirror images."""
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
    """Return the chain rules among some rules by their steps; rules with unknown relations are left out."""
    for head, body, target, _ in keys:
        steps = [graph.step_named(name) for name in (head, *body)]
        if target is None and min(steps) >= 0:
            yield steps[0], tuple(steps[1:])
