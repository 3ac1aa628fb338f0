"""Conversion of a grammar to rules with probabilities, to a hard rule table, and back."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from r5._util.arrays import FloatArray
from r5._util.ordering import sort_descending
from r5.errors import R5Error
from r5.grammar.counts import ExpectedCounts
from r5.grammar.model import FittedGrammar
from r5.grammar.rule_index import RuleIndex, every_pair
from r5.grammar.settings import GrammarSettings
from r5.grammar.training.em import maximise
from r5.grammar.training.schedule import sparse_prior
from r5.rules.ruleset import Rule, RuleSet

__all__ = ["from_hard_rules", "hard_rules", "head_shares", "learned_rules"]

_NOTHING = 1e-15
"""Maximum weight that is a rounding error of 0."""


def head_shares(counts: ExpectedCounts) -> FloatArray:
    """Return P(head | body) of each rule, from the expected counts."""
    support = counts.support
    bodies = np.bincount(support.pairs, counts.rules, minlength=support.pair_right.size)[support.pairs]
    shares: FloatArray = np.divide(counts.rules, bodies, out=np.zeros_like(bodies), where=bodies > 0.0)
    return shares


def learned_rules(
    learned: FittedGrammar, names: tuple[str, ...], invented: set[str], settings: GrammarSettings
) -> RuleSet:
    """Return the rules with more weight than smoothing gives, by expected count, then by body and head."""
    support = learned.model.support
    kept = learned.model.weight * (1.0 if support.open else learned.counts.rules > settings.count_floor) > _NOTHING
    shares = head_shares(learned.counts)
    total = learned.model.weight + learned.model.background[support.heads]
    uses = learned.counts.rules.tolist()
    order = sort_descending(np.flatnonzero(kept).tolist(), uses.__getitem__, key=int)
    return RuleSet.of(
        Rule(
            head=names[support.heads[rule]],
            body=(names[support.lefts[rule]], names[support.rights[rule]]),
            probability=float(shares[rule]),
            support=uses[rule],
            invented=not invented.isdisjoint(
                names[number[rule]] for number in (support.heads, support.lefts, support.rights)
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
    support = RuleIndex.of(relations, heads, lefts, rights, confusions=confusions, open=dense)
    uses = np.zeros(len(support))
    often = [1.0 if rule.support is None else max(rule.support, settings.count_floor) for rule in rules]
    keys = (lefts * relations + rights) * relations + heads
    np.add.at(uses, np.searchsorted(support.keys, keys), often)
    ends = np.bincount(lefts, often, minlength=relations) + np.bincount(rights, often, minlength=relations)
    true, observed = support.leaves
    counts = ExpectedCounts(uses, np.where(true == observed, ends[true], 0.0), np.zeros(relations), 0.0, 0.0, support)
    extra = replace(sparse_prior(settings, relations), sparsity=0.0, description_weight=0.0, competition=0.0)
    return FittedGrammar(maximise(counts, extra), counts)
