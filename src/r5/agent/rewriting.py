"""Backtrack rewriting beyond one episode: invented relations that behave like another relation become it.

Algorithm 1 itself (`r5.agent.memory_kernels.rewrite`) learns what an invented relation is when an
episode ends in it. One that only ever stands inside longer paths is never met at an end; it is
found out here, by comparing the rules in whose bodies it stands with those of other relations.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from r5.agent.memory import RuleMemory

__all__ = ["equate"]

Body = tuple[int, int]
Rules = Mapping[Body, tuple[int, float]]

_MOST_AGAINST = 0.2
"""The share of the evidence that may speak against a likeness."""


def equate(memory: RuleMemory, least: float) -> int:
    """Rewrite invented relations as the relation they are most like, the clearest likeness first.

    Two relations are alike where the same partner on the same side makes the same head of both;
    such a pair of rules weighs as much as the weaker of their scores. A likeness of at least
    `least` counts unless rules that disagree weigh more than a fifth of it. Returns how many
    relations were rewritten.
    """
    rewritten = 0
    while True:
        rules = {body: (head, score) for body, head, score, _ in memory.items() if score > 0}
        likeness = _likeness(rules, memory.known, least)
        if not likeness:
            return rewritten
        # The strongest likeness; of equals the one with a known relation, then the first.
        relation, other = min(likeness, key=lambda pair: (-likeness[pair], pair[1] >= memory.known, pair))
        memory.rewrite(relation, other)
        rewritten += 1


def _likeness(rules: Rules, known: int, least: float) -> dict[tuple[int, int], float]:
    """How alike each invented relation is to each other relation, where that is enough."""
    agree: defaultdict[tuple[int, int], float] = defaultdict(float)
    against: defaultdict[tuple[int, int], float] = defaultdict(float)
    by_partner: defaultdict[tuple[int, bool], list[tuple[int, int, float]]] = defaultdict(list)
    for (left, right), (head, score) in rules.items():
        if left != right:
            by_partner[right, True].append((left, head, score))
            by_partner[left, False].append((right, head, score))
    for users in by_partner.values():
        for relation, head, score in users:
            for other, other_head, other_score in users if relation >= known else ():
                if other != relation:
                    table = agree if head == other_head else against
                    table[relation, other] += min(score, other_score)
    return {
        pair: weight for pair, weight in agree.items() if weight >= least and against[pair] <= _MOST_AGAINST * weight
    }
