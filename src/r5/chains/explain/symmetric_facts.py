"""Facts of symmetric relations in reasons: in the direction that the graph has, and never the fact in question."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from r5.chains.inference.query_scorer import QueryScorer
from r5.derivations.completion import Reason
from r5.derivations.derivation import Fact
from r5.relations import inverse_name

__all__ = ["orient_reasons"]


def orient_reasons(query_scorer: QueryScorer, reasons: Iterable[Reason], fact: Fact) -> list[Reason]:
    """Return the reasons with each fact of a symmetric relation in a direction that the graph has.

    Both directions of a symmetric relation are one step. A fact that supports itself is its reverse, and the rule
    `r <= r` is `r <= r^-1`.

    Args:
        query_scorer: The model on a graph.
        reasons: Reasons for a fact.
        fact: The fact that the reasons are about.
    """
    oriented = []
    for reason in reasons:
        rule = reason.rule
        if reason.kind == "rule" and rule.target is None and rule.body == (rule.head,):
            rule = replace(rule, body=(inverse_name(rule.head),))
        facts = tuple(_orient(query_scorer, one, fact.stored()) for one in reason.facts)
        oriented.append(replace(reason, rule=rule, facts=facts))
    return oriented


def _orient(query_scorer: QueryScorer, shown: Fact, queried: Fact) -> Fact:
    """Return a fact, or the same fact read from its other end if the graph has only that one."""
    turned = Fact(shown.source, inverse_name(shown.relation), shown.target)
    for one in (shown, turned):
        if one.stored() != queried and _is_symmetric_fact(query_scorer, one.stored()):
            return one
    return shown


def _is_symmetric_fact(query_scorer: QueryScorer, fact: Fact) -> bool:
    numbers, graph = query_scorer.numbers, query_scorer.graph
    relation = graph.step_named(fact.relation)
    return (numbers.get(fact.source, -1), relation, numbers.get(fact.target, -1)) in graph.symmetric_facts
