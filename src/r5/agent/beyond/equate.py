"""Backtrack rewriting beyond one episode: what behaves like a relation becomes it.

Algorithm 1 itself (`r5.agent.memory_kernels.rewrite`) learns what an invented relation is when an
episode ends in it. One that only ever stands inside longer paths is never met at an end; it is
found out here, by comparing the rules in whose bodies it stands with those of other relations.
"""

from __future__ import annotations

from collections import defaultdict

from r5._util.ordering import at_least, round_significant
from r5.agent.beyond.association import Body, Deductions, Rules, deduce, nothing
from r5.agent.memory import RuleMemory

__all__ = ["equate"]

Thing = int | Body
"""A relation, or a pair of relations that has no rule yet."""

_MOST_AGAINST = 0.2
"""The share of the evidence that may speak against a likeness."""


def equate(memory: RuleMemory, least: float, associate: bool) -> int:
    """Rewrite what is like another relation as it, the clearest likeness first.

    A thing is an invented relation, or a pair that has no rule of a score of at least `least`. It is
    like a relation where the same partner on the same side makes the same head of both, by rules of
    the memory or, where these `associate`, by what follows from them in another order; each such agreement
    weighs as much as the weaker of the two. A likeness of at least `least` counts unless what disagrees weighs
    more than a fifth of it. An invented relation is then rewritten, a pair gets a rule; at the end the rules
    that follow are stored too. Returns how many likenesses were found.
    """
    found = 0
    while True:
        rules = {body: (head, score) for body, head, score, _ in memory.items() if score > 0}
        deductions = deduce(rules, memory.known, least) if associate else nothing()
        likeness = _likeness(rules, deductions, memory.known, least)
        # Each round settles one relation or pair; there is no need for more rounds than there are relations.
        if not likeness or found == len(memory.vocabulary):
            break
        thing, other = min(likeness, key=lambda pair: _rank(pair, likeness[pair], memory.known))
        if isinstance(thing, int):
            memory.rewrite(thing, other)
        else:
            _store(memory, {thing: (other, likeness[thing, other])})
        found += 1
    _store(memory, {body: rule for body, rule in deductions.rules.items() if body not in rules})
    return found


def _rank(pair: tuple[Thing, int], weight: float, known: int) -> tuple[float, bool, tuple[int, ...], int]:
    """The strongest likeness comes first; of equals one with a known relation, then the first."""
    thing, other = pair
    return -round_significant(weight), other >= known, (thing,) if isinstance(thing, int) else thing, other


def _store(memory: RuleMemory, rules: Rules) -> None:
    """Put rules into the memory, in the place of those with the same bodies."""
    if rules:
        kept = [item for item in memory.items() if item[0] not in rules]
        memory.put([*kept, *((body, head, score, 0) for body, (head, score) in rules.items())])


def _likeness(rules: Rules, deductions: Deductions, known: int, least: float) -> dict[tuple[Thing, int], float]:
    """How alike each invented relation and each pair without a rule is to each relation, where that is enough."""
    agree: defaultdict[tuple[Thing, int], float] = defaultdict(float)
    against: defaultdict[tuple[Thing, int], float] = defaultdict(float)
    by_partner: defaultdict[tuple[int, bool], list[tuple[Thing, int, float]]] = defaultdict(list)
    for (left, right), (head, score) in {**rules, **deductions.rules}.items():
        if left != right:
            by_partner[right, True].append((left, head, score))
            by_partner[left, False].append((right, head, score))
    for (pair, partner, side), (head, weight) in deductions.pairs.items():
        by_partner[partner, side].append((pair, head, weight))
    for users in by_partner.values():
        open_things = [user for user in users if not isinstance(user[0], int) or user[0] >= known]
        for thing, head, score in open_things:
            for other, other_head, other_score in users:
                if isinstance(other, int) and other != thing:
                    table = agree if head == other_head else against
                    table[thing, other] += min(score, other_score)
    return {
        pair: weight
        for pair, weight in agree.items()
        if at_least(weight, least) and at_least(_MOST_AGAINST * weight, against[pair])
    }
