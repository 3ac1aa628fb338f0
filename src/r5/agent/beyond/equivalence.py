"""Equivalent relations: backtrack rewriting across episodes.

Algorithm 1 (`memory.rewriting_kernels.rewrite`) identifies an invented relation when an episode ends in it. An
invented relation that only stands inside longer paths never ends an episode; it is identified here by comparison of
the rules with it in the body with the rules of other relations.
"""

from __future__ import annotations

from collections import defaultdict

from r5._util.ordering import at_least, round_significant
from r5.agent.beyond.associativity import Deductions, HeadScores, deduce
from r5.agent.memory.rule_memory import Body, RuleMemory

__all__ = ["rewrite_equivalent"]

Item = int | Body
"""An invented relation, or a pair of relations that has no rule yet."""

_MAX_DISAGREEMENT = 0.2
"""Maximum disagreement as a share of the agreement."""


def rewrite_equivalent(memory: RuleMemory, threshold: float, associativity: bool) -> int:
    """Rewrite each invented relation that is equivalent to another relation, and add a rule for each such pair.

    An item agrees with a relation where both make the same head with the same partner on the same side; the weight is
    the smaller score of the two rules. They are equivalent if the agreement is at least `threshold` and disagreement
    at most a fifth of it. The strongest equivalence comes first, and is applied before the next one is sought.

    Args:
        memory: The rules, changed in place.
        threshold: Minimum agreement, and minimum score of the rules that deductions use.
        associativity: True to compare deduced rules too, and to store them at the end.

    Returns:
        The number of equivalences.
    """
    found = 0
    while True:
        rules = {body: (head, score) for body, head, score, _ in memory.items() if score > 0}
        deductions = deduce(rules, memory.known, threshold) if associativity else Deductions(rules={}, pairs={})
        equivalences = _equivalences(rules, deductions, memory.known, threshold)
        # Each round settles one relation or pair, so rounds are bounded by the number of relations.
        if not equivalences or found == len(memory.vocabulary):
            break
        item, other = min(equivalences, key=lambda pair: _sort_key(pair, equivalences[pair], memory.known))
        if isinstance(item, int):
            memory.rewrite(item, other)
        else:
            _store(memory, {item: (other, equivalences[item, other])})
        found += 1
    _store(memory, {body: rule for body, rule in deductions.rules.items() if body not in rules})
    return found


def _sort_key(pair: tuple[Item, int], weight: float, known: int) -> tuple[float, bool, tuple[int, ...], int]:
    """Return the sort key of an equivalence: by weight, then known relations first, then ids."""
    item, other = pair
    return -round_significant(weight), other >= known, (item,) if isinstance(item, int) else item, other


def _store(memory: RuleMemory, rules: HeadScores) -> None:
    """Add rules to the memory; they replace rules with the same bodies."""
    if rules:
        kept = [item for item in memory.items() if item[0] not in rules]
        memory.replace([*kept, *((body, head, score, 0) for body, (head, score) in rules.items())])


def _equivalences(
    rules: HeadScores, deductions: Deductions, known: int, threshold: float
) -> dict[tuple[Item, int], float]:
    """Return the agreement of each item with each equivalent relation."""
    agree: defaultdict[tuple[Item, int], float] = defaultdict(float)
    disagree: defaultdict[tuple[Item, int], float] = defaultdict(float)
    by_partner: defaultdict[tuple[int, bool], list[tuple[Item, int, float]]] = defaultdict(list)
    for (left, right), (head, score) in {**rules, **deductions.rules}.items():
        if left != right:
            by_partner[right, True].append((left, head, score))
            by_partner[left, False].append((right, head, score))
    for (pair, partner, side), (head, weight) in deductions.pairs.items():
        by_partner[partner, side].append((pair, head, weight))
    for users in by_partner.values():
        unidentified = [user for user in users if not isinstance(user[0], int) or user[0] >= known]
        for item, head, score in unidentified:
            for other, other_head, other_score in users:
                if isinstance(other, int) and other != item:
                    table = agree if head == other_head else disagree
                    table[item, other] += min(score, other_score)
    return {
        pair: weight
        for pair, weight in agree.items()
        if at_least(weight, threshold) and at_least(_MAX_DISAGREEMENT * weight, disagree[pair])
    }
