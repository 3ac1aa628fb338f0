"""Rules of a model of one graph, with figures counted on it, without those that hold by chance."""

from __future__ import annotations

from r5._util.runtime.progress import ProgressCallback
from r5.graph import Graph
from r5.rules.rule import Rule
from r5.rules.ruleset import RuleSet

__all__ = ["counted_rules"]

_DEVIATIONS = 3.0


def counted_rules(rules: RuleSet, graph: Graph, progress: ProgressCallback | None = None) -> RuleSet:
    """Return the rules with confidence, support and head coverage, without those that hold by chance.

    By chance the head holds between two entities as often as between any two. A rule must exceed that by three
    standard deviations or, in a small graph, hold wherever its body does. Alternatives of one body stay together.
    Rules of invented relations cannot be counted and are kept.

    >>> graph = Graph.from_triples([("a", "mother", "b"), ("b", "mother", "c"), ("a", "grandmother", "c")])
    >>> rules = RuleSet.of([Rule("grandmother", ("mother", "mother")), Rule("mother", ("mother", "mother"))])
    >>> print(*(rule.text() for rule in counted_rules(rules, graph)))
    grandmother(X, Y) <= mother(X, Z), mother(Z, Y)   confidence=1 support=1 coverage=1 pca=1
    """
    chosen = [rule for rule in rules if not rule.invented]
    counted = {rule.key: rule for rule in RuleSet.of(chosen).evaluate(graph, progress=progress)}
    pairs = graph.number_of_nodes * (graph.number_of_nodes - 1)
    shown = [counted.get(rule.key, rule) for rule in rules]
    better = {_statement(rule) for rule in shown if rule.invented or _beats_chance(rule, pairs)}
    return RuleSet.of(rule for rule in shown if _statement(rule) in better)


def _statement(rule: Rule) -> tuple[str, ...]:
    """Return the unit that is kept or dropped: a rule, or all alternatives of a body."""
    return rule.body if rule.possibility is not None else (rule.head, *rule.body)


def _beats_chance(rule: Rule, pairs: int) -> bool:
    """Return whether the body predicts the head better than chance."""
    if not rule.support or not rule.body_probability or not rule.predictions:
        return False
    expected = rule.predictions * (rule.support / rule.body_probability) / pairs
    return rule.support == rule.predictions or rule.support > expected + _DEVIATIONS * expected**0.5
