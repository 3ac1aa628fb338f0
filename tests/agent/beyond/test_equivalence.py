"""Invented relations equivalent to another relation are rewritten as it."""

from __future__ import annotations

from r5.agent.beyond.equivalence import rewrite_equivalent
from tests.agent.memory.test_rule_memory import memory_of

X, Y = 5, 6


def test_relation_with_the_same_partners_and_heads_is_rewritten() -> None:
    memory = memory_of(5, 2)
    memory.replace(
        [((0, 1), X, 5.0, 1), ((2, X), 3, 4.0, 1), ((2, 4), 3, 3.0, 1), ((0, X), 1, 2.0, 0), ((0, 4), 1, 2.0, 0)]
    )
    assert rewrite_equivalent(memory, 2.0, associativity=True) == 1
    assert [(body, head) for body, head, *_ in memory.items()] == [((0, 1), 4), ((2, 4), 3), ((0, 4), 1)]
    assert memory.invented_in_use == 0


def test_agreement_below_the_threshold_is_ignored() -> None:
    memory = memory_of(5, 2)
    memory.replace([((0, 1), X, 5.0, 1), ((2, X), 3, 4.0, 1), ((2, 4), 3, 1.0, 1)])
    assert rewrite_equivalent(memory, 2.0, associativity=True) == 0


def test_disagreement_prevents_rewriting() -> None:
    memory = memory_of(5, 2)
    memory.replace(
        [((0, 1), X, 5.0, 1), ((2, X), 3, 4.0, 1), ((2, 4), 3, 3.0, 1), ((X, 1), 0, 2.0, 0), ((4, 1), 2, 2.0, 0)]
    )
    before = memory.items()
    assert rewrite_equivalent(memory, 2.0, associativity=True) == 0
    assert memory.items() == before


def test_two_invented_relations_become_one() -> None:
    memory = memory_of(5, 2)
    memory.replace([((0, 1), X, 5.0, 1), ((0, 2), Y, 5.0, 1), ((X, 4), 3, 4.0, 1), ((Y, 4), 3, 4.0, 1)])
    assert rewrite_equivalent(memory, 2.0, associativity=True) == 1
    assert memory.head_of(0, 1) == memory.head_of(0, 2)
    assert memory.invented_in_use == 1
