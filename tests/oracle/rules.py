"""Conclusions of rules, by sets of pairs and by trying everything. Slow and obvious."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product

from r5.graph import Graph
from r5.rules.ruleset import Rule, RuleSet

Pairs = set[tuple[int, int]]


def pairs_of(graph: Graph, name: str) -> Pairs:
    """Between which nodes a relation holds: its edges, and those of its inverse backwards."""
    edges = list(zip(graph.sources.tolist(), graph.relations.tolist(), graph.targets.tolist(), strict=True))
    other = name[:-3] if name.endswith("^-1") else f"{name}^-1"
    found = {(s, t) for s, r, t in edges if graph.vocabulary.name(r) == name}
    if not name.endswith("^-1^-1"):
        found |= {(t, s) for s, r, t in edges if graph.vocabulary.name(r) == other}
    return found


def count(rule: Rule, graph: Graph, loops: bool) -> tuple[int, int, int, int]:
    """Pairs of the body, pairs of body and head, pairs of the body whose first has the head, pairs of the head."""
    connected: Pairs = {(node, node) for node in range(graph.number_of_nodes)}
    names = [name for name in rule.body if name != "<dummy>"]
    for name in names:
        leading: dict[int, list[int]] = {}
        for s, t in pairs_of(graph, name):
            leading.setdefault(s, []).append(t)
        connected = {(x, y) for x, z in connected for y in leading.get(z, ())}
    facts = pairs_of(graph, rule.head)
    if not names and rule.target is None:
        connected = set()
    if not loops:
        facts = {(x, y) for x, y in facts if x != y}
    has_head = {x for x, _ in facts}
    if rule.target is not None:
        places = {name: node for node, name in enumerate(graph.entities)}
        if rule.target not in places:
            return 0, 0, 0, 0
        target = places[rule.target]
        if rule.ending is not None and rule.ending not in places:
            return 0, 0, 0, 0
        if rule.ending is not None:
            connected = {(x, y) for x, y in connected if y == places[rule.ending]}
        connected = {(x, target) for x, _ in connected}
        facts = {(x, y) for x, y in facts if y == target}
    if not loops:
        connected = {(x, y) for x, y in connected if x != y}
    return len(connected), len(connected & facts), sum(x in has_head for x, _ in connected), len(facts)


def chains(
    rules: RuleSet, invented: Iterable[str], max_length: int, every: bool
) -> dict[tuple[str, tuple[str, ...]], float]:
    """Every rule between known relations that follows, with the product of the probabilities on the best way to it.

    Bodies are rewritten at any place until nothing new or better comes.
    """
    made_up = set(invented)
    best = {}
    for rule in rules:
        if rule.head not in made_up and len(rule.body) <= max_length:
            key = rule.head, rule.body
            best[key] = max(best.get(key, 0.0), rule.strength)
    changed = True
    while changed:
        changed = False
        for (head, body), rule in product(list(best), rules):
            for place, name in enumerate(body):
                if name == rule.head and (every or name in made_up):
                    key = head, body[:place] + rule.body + body[place + 1 :]
                    strength = best[head, body] * rule.strength
                    if len(key[1]) <= max_length and strength > best.get(key, 0.0) * (1 + 1e-9):
                        best[key] = strength
                        changed = True
    return {
        (head, body): strength
        for (head, body), strength in best.items()
        if body != (head,) and made_up.isdisjoint(body)
    }


def closure(rules: RuleSet, graph: Graph) -> dict[str, Pairs]:
    """All that follows from a graph about two different nodes, by applying every rule until nothing is new."""
    names = {*graph.vocabulary, *(name for rule in rules for name in (rule.head, *rule.body))}
    known = {name: pairs_of(graph, name) for name in names}
    changed = True
    while changed:
        changed = False
        for rule in rules:
            connected: Pairs = {(node, node) for node in range(graph.number_of_nodes)}
            for name in rule.body:
                connected = {(x, y) for x, z in connected for w, y in known[name] if w == z}
            new = {(x, y) for x, y in connected if x != y} - known[rule.head]
            known[rule.head] |= new
            changed = changed or bool(new)
    return known
