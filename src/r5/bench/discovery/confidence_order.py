"""New facts in the order of the largest confidence of a rule that derives them, as AnyBURL ranks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from r5.graph import Graph
from r5.relations import INVERSE_SUFFIX, inverse_name
from r5.rules.rule import Rule
from r5.rules.ruleset import RuleSet

__all__ = ["confidence_order"]

Triple = tuple[str, str, str]
Edges = dict[str, dict[str, set[str]]]
_UNSEEN = 5
"""Added to the number of predictions of a rule, as AnyBURL does."""


def confidence_order(rules: RuleSet, graph: Graph, count: int) -> list[Triple]:
    """Return at least `count` new facts, if there are as many, those of the most confident rules first."""
    known = set(graph.triples())
    edges: Edges = defaultdict(lambda: defaultdict(set))
    for head, relation, tail in known:
        edges[relation][head].add(tail)
        edges[inverse_name(relation)][tail].add(head)
    found: dict[Triple, None] = {}
    for rule in sorted(rules, key=lambda rule: -_confidence(rule)):
        if len(found) >= count or _confidence(rule) <= 0.0:
            break
        for fact in sorted(_derived(rule, edges)):
            if fact not in known:
                found[fact] = None
    return list(found)


def _confidence(rule: Rule) -> float:
    return (rule.support or 0.0) / ((rule.predictions or 0.0) + _UNSEEN)


def _derived(rule: Rule, edges: Edges) -> Iterator[Triple]:
    """Yield the facts that a rule derives, an entity with itself aside."""
    back = rule.head.endswith(INVERSE_SUFFIX)
    for source in list(edges[rule.relations[0]]) if rule.relations else []:
        ends = {source}
        for relation in rule.relations:
            ends = {end for node in ends for end in edges[relation].get(node, ()) if end != source}
        if rule.target is not None:
            ends = {rule.target} if rule.ending in ends else set()
        for end in ends - {source}:
            yield (end, inverse_name(rule.head), source) if back else (source, rule.head, end)
