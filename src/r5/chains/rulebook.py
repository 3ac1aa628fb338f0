"""Chain models as rules by name, and rules by name as bodies for a chain model."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from r5.chains.learning import Bodies
from r5.chains.model import ChainModel
from r5.chains.steps import StepGraph
from r5.chains.walk_kernels import DEEPEST
from r5.errors import R5Error
from r5.rules.rule import Rule
from r5.rules.ruleset import RuleSet

__all__ = ["given_bodies", "learned_rules", "without_bodies"]


def learned_rules(graph: StepGraph, model: ChainModel, most: int) -> RuleSet:
    """The rules of all targets with the greatest weights, the greatest first, whichever way they speak.

    The head of a rule for the other direction is the inverse relation. A rule's weight is what it adds where it
    holds at all; what a candidate gains from being reached in many ways is not in it.
    """
    rules = [
        Rule(graph.name(target.step), tuple(map(graph.name, body)), weight=float(weight))
        for target in model.targets.values()
        for body, weight in zip(target.bodies, target.weights.rules[:, 0], strict=True)
        if body != (target.step,)
    ]
    return RuleSet.of(Rule.in_order(rules, lambda rule: abs(rule.weight or 0.0)))


def given_bodies(rules: RuleSet, graph: StepGraph) -> dict[int, Bodies]:
    """The bodies of each step that rules are about, both ways: a rule read from its end is one for the inverse.

    Invented relations are unfolded. Rules about one entity, and bodies that are too long, cannot be used.
    """
    flat = rules.unfold(DEEPEST) if rules.invented else rules
    found: dict[int, dict[tuple[int, ...], None]] = {}
    for rule in flat:
        head, body = graph.step_named(rule.head), tuple(map(graph.step_named, rule.relations))
        if rule.target is not None or head < 0 or min(body, default=-1) < 0 or len(body) > DEEPEST:
            continue
        inverse = graph.steps.inverse
        back = tuple(int(inverse[step]) for step in reversed(body))
        for step, steps in ((head, body), (int(inverse[head]), back)):
            found.setdefault(step, {})[steps] = None
    if not found:
        raise R5Error(f"none of the {len(rules)} rules is a chain of up to {DEEPEST} relations of the graph")
    return {step: list(bodies) for step, bodies in found.items()}


def without_bodies(model: ChainModel, graph: StepGraph, off: Collection[tuple[str, tuple[str, ...]]]) -> ChainModel:
    """The model with no weight on these rules, each a head and a body by name."""
    targets = {}
    for step, target in model.targets.items():
        head = graph.name(step)
        mine = [n for n, body in enumerate(target.bodies) if (head, tuple(map(graph.name, body))) in off]
        weights = target.weights
        if mine:
            rules = weights.rules.copy()
            rules[mine] = 0.0
            weights = weights._replace(rules=rules)
        targets[step] = replace(target, weights=weights)
    return replace(model, targets=targets)
