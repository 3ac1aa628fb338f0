"""Rules of a grammar: with probabilities, with one head for each body, counted on a graph; and a grammar of rules."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from r5._util.ordering import sort_descending
from r5._util.runtime.progress import ProgressCallback
from r5.errors import R5Error
from r5.grammar.counts import ExpectedCounts
from r5.grammar.model import FittedGrammar
from r5.grammar.rule_index import RuleIndex, every_pair
from r5.grammar.settings import GrammarSettings
from r5.grammar.training.em import maximise
from r5.grammar.training.schedule import sparse_prior
from r5.graph import Graph
from r5.rules.rule import Rule
from r5.rules.ruleset import RuleSet

__all__ = ["counted_rules", "from_hard_rules", "hard_rules", "learned_rules"]

_DEVIATIONS = 3.0
"""Standard deviations by which a rule must exceed chance."""


def learned_rules(
    learned: FittedGrammar, names: tuple[str, ...], invented: set[str], settings: GrammarSettings
) -> RuleSet:
    """Return the rules with more weight than smoothing gives, by expected count, then by body and head."""
    index = learned.model.index
    kept = learned.model.in_use & (index.open | (learned.counts.rules > settings.count_floor))
    shares = learned.counts.head_shares
    total = learned.model.weight + learned.model.background[index.heads]
    uses = learned.counts.rules.tolist()
    order = sort_descending(np.flatnonzero(kept).tolist(), uses.__getitem__, key=int)
    return RuleSet.of(
        Rule(
            head=names[index.heads[rule]],
            body=(names[index.lefts[rule]], names[index.rights[rule]]),
            probability=float(shares[rule]),
            support=uses[rule],
            invented=not invented.isdisjoint(
                names[number[rule]] for number in (index.heads, index.lefts, index.rights)
            ),
            body_probability=float(total[rule]),
        )
        for rule in order
    )


def hard_rules(rules: RuleSet) -> RuleSet:
    """Return the rule with the highest count of each body.

    >>> print(*hard_rules(RuleSet.of([Rule("aunt", ("father", "sister")), Rule("niece", ("father", "sister"))])))
    aunt <= father, sister
    """
    first: dict[tuple[str, ...], Rule] = {}
    for rule in rules:
        first.setdefault(rule.body, rule)
    return RuleSet.of(first.values())


def from_hard_rules(rules: RuleSet, names: tuple[str, ...], settings: GrammarSettings) -> FittedGrammar:
    """Return a grammar of given rules, with their support as counts, or one."""
    if not len(rules):
        raise R5Error("there is no rule with a body of two relations to make a grammar of")
    place = {name: number for number, name in enumerate(names)}
    relations = len(names)
    heads, lefts, rights = (
        np.array(column)
        for column in zip(*((place[r.head], *map(place.__getitem__, r.body)) for r in rules), strict=True)
    )
    dense = relations**3 <= settings.dense_rules
    confusions = every_pair(relations) if dense else None
    index = RuleIndex.of(relations, heads, lefts, rights, confusions=confusions, open=dense)
    uses = np.zeros(len(index))
    often = [1.0 if rule.support is None else max(rule.support, settings.count_floor) for rule in rules]
    keys = (lefts * relations + rights) * relations + heads
    np.add.at(uses, np.searchsorted(index.keys, keys), often)
    ends = np.bincount(lefts, often, minlength=relations) + np.bincount(rights, often, minlength=relations)
    true, observed = index.leaves
    counts = ExpectedCounts(uses, np.where(true == observed, ends[true], 0.0), np.zeros(relations), 0.0, 0.0, index)
    pseudocounts = replace(sparse_prior(settings, relations), sparsity=0.0, description_weight=0.0, competition=0.0)
    return FittedGrammar(maximise(counts, pseudocounts), counts)


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
