"""Invented relations that behave like another relation are rewritten as it."""

from __future__ import annotations

from r5.agent.beyond.equate import equate
from tests.agent.test_memory import memory_of

X, Y = 5, 6


def test_a_relation_with_the_same_company_is_the_same() -> None:
    memory = memory_of(5, 2)
    memory.put(
        [((0, 1), X, 5.0, 1), ((2, X), 3, 4.0, 1), ((2, 4), 3, 3.0, 1), ((0, X), 1, 2.0, 0), ((0, 4), 1, 2.0, 0)]
    )
    assert equate(memory, 2.0, associate=True) == 1
    assert [(body, head) for body, head, *_ in memory.items()] == [((0, 1), 4), ((2, 4), 3), ((0, 4), 1)]
    assert memory.invented_in_use == 0


def test_little_evidence_is_not_enough() -> None:
    memory = memory_of(5, 2)
    memory.put([((0, 1), X, 5.0, 1), ((2, X), 3, 4.0, 1), ((2, 4), 3, 1.0, 1)])
    assert equate(memory, 2.0, associate=True) == 0


def test_disagreement_forbids_it() -> None:
    memory = memory_of(5, 2)
    memory.put(
        [((0, 1), X, 5.0, 1), ((2, X), 3, 4.0, 1), ((2, 4), 3, 3.0, 1), ((X, 1), 0, 2.0, 0), ((4, 1), 2, 2.0, 0)]
    )
    before = memory.items()
    assert equate(memory, 2.0, associate=True) == 0
    assert memory.items() == before


def test_two_invented_relations_can_be_one() -> None:
    memory = memory_of(5, 2)
    memory.put([((0, 1), X, 5.0, 1), ((0, 2), Y, 5.0, 1), ((X, 4), 3, 4.0, 1), ((Y, 4), 3, 4.0, 1)])
    assert equate(memory, 2.0, associate=True) == 1
    assert memory.head_of(0, 1) == memory.head_of(0, 2)
    assert memory.invented_in_use == 1
