"""Confidence, support and coverage of the rules in reasons, counted on the graph that was queried."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from r5.derivations.completion import Completion, Reason
from r5.graph import Graph
from r5.rules.rule import Key, Rule
from r5.rules.ruleset import RuleSet

__all__ = ["with_figures"]


def with_figures(found: Sequence[Completion], graph: Graph, known: dict[Key, Rule]) -> list[Completion]:
    """Return the completions with measures of their rules; `known` caches what was counted."""
    used = {reason.rule.key: reason.rule for one in found for reason in one.reasons if reason.kind == "rule"}
    new = RuleSet.of(rule for key, rule in used.items() if key not in known)
    if len(new):
        known.update((rule.key, rule) for rule in new.evaluate(graph))

    def counted(reason: Reason) -> Reason:
        if reason.kind != "rule":
            return reason
        return replace(reason, rule=replace(known[reason.rule.key], weight=reason.rule.weight))

    return [replace(one, reasons=tuple(map(counted, one.reasons))) for one in found]
