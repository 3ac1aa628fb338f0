"""Reasons get the figures of their rules, counted on the graph."""

from __future__ import annotations

from r5.derivations.completion import Completion, Reason
from r5.graph import Graph
from r5.reasoners.chain_queries.completion import with_figures
from r5.rules.rule import Key, Rule

FAMILY = Graph.from_triples(
    [("Ann", "mother", "Eve"), ("Tom", "mother", "Eve"), ("Eve", "sister", "Zoe"), ("Ann", "aunt", "Zoe")]
)


def test_rules_are_counted_once_and_keep_their_weights() -> None:
    rule = Reason(Rule("aunt", ("mother", "sister"), weight=0.5), 2.0)
    other = Reason(Rule("aunt", ("sister",)), -1.0, kind="candidate", text="Zoe is the tail of sister once")
    known: dict[Key, Rule] = {}
    (found,) = with_figures([Completion("Zoe", 0.9, 1.0, (rule, other))], FAMILY, known)
    counted = found.reasons[0].rule
    assert (counted.probability, counted.support, counted.body_probability, counted.weight) == (0.5, 1, 1.0, 0.5)
    assert (found.reasons[0].weight, found.reasons[1]) == (2.0, other)
    assert list(known) == [rule.rule.key]
    again = with_figures([Completion("Zoe", 0.9, 1.0, (rule,))], Graph.from_triples([]), known)
    assert again[0].reasons[0].rule == counted
