"""What follows from rules when a chain of three is merged in the other order."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from r5.agent.beyond.association import deduce
from r5.agent.beyond.equate import equate
from tests.agent.test_memory import memory_of, score_of

X, Y = 5, 6


def test_the_other_order_gives_a_rule() -> None:
    # (0 1) 2 is 3 by way of X; 1 2 is 4; so 0 4 is 3.
    rules = {(0, 1): (X, 5.0), (X, 2): (3, 4.0), (1, 2): (4, 3.0)}
    assert deduce(rules, 5, 2.0).rules == {(0, 4): (3, 3.0)}
    # 0 (1 2) is 3 by way of X; 0 1 is 4; so 4 2 is 3.
    rules = {(1, 2): (X, 5.0), (0, X): (3, 4.0), (0, 1): (4, 3.0)}
    assert deduce(rules, 5, 2.0).rules == {(4, 2): (3, 3.0)}


def test_a_pair_without_a_rule_of_its_own_has_its_company_noted() -> None:
    found = deduce({(0, 1): (X, 5.0), (X, 2): (3, 4.0), (1, 2): (4, 1.0)}, 5, 2.0)
    assert found.rules == {}
    assert found.pairs == {((1, 2), 0, False): (3, 4.0)}


def test_known_middles_weak_rules_and_what_is_known_already_say_nothing() -> None:
    assert deduce({(0, 1): (4, 5.0), (4, 2): (3, 4.0), (1, 2): (4, 3.0)}, 5, 2.0) == ({}, {})
    assert deduce({(0, 1): (X, 1.0), (X, 2): (3, 4.0), (1, 2): (4, 3.0)}, 5, 2.0) == ({}, {})
    assert deduce({(0, 1): (X, 5.0), (X, 2): (3, 4.0), (1, 2): (4, 3.0), (0, 4): (2, 9.0)}, 5, 2.0) == ({}, {})


def test_an_invented_relation_is_recognised_by_a_rule_that_follows() -> None:
    # X and 0 both make 3 with 4, but of 0 that only follows: 0 (1 2) is 3 by way of Y, and 1 2 is 4.
    memory = memory_of(5, 2)
    memory.put(
        [
            ((2, 2), X, 5.0, 1),
            ((X, 4), 3, 5.0, 1),
            ((0, 1), Y, 5.0, 1),
            ((Y, 2), 3, 5.0, 1),
            ((1, 2), 4, 5.0, 1),
        ]
    )
    assert equate(memory, 2.0, associate=True) == 1
    assert memory.head_of(2, 2) == 0
    assert memory.head_of(0, 4) == 3


def test_a_pair_that_behaves_like_a_relation_gets_a_rule() -> None:
    # 0 (1 2) is 3 by way of X, and 4 2 is 3: so 0 1 is 4.
    memory = memory_of(5, 2)
    memory.put([((1, 2), X, 5.0, 1), ((0, X), 3, 4.0, 1), ((4, 2), 3, 3.0, 1)])
    assert equate(memory, 2.0, associate=True) == 1
    assert memory.head_of(0, 1) == 4
    assert score_of(memory, 0, 1) == 3.0


SIZE = 5


@given(st.sets(st.tuples(st.integers(0, 2 * SIZE - 1), st.integers(0, 2 * SIZE - 1)), max_size=40), st.randoms())
def test_in_a_group_whatever_follows_is_true(bodies: set[tuple[int, int]], random: object) -> None:
    """Relations 0-4 add as numbers modulo 5; the invented ones 5-9 stand for the same numbers."""
    rules = {
        (left, right): ((left + right) % SIZE + random.choice((0, SIZE)), random.uniform(1, 9))  # type: ignore[attr-defined]
        for left, right in sorted(bodies)
    }
    found = deduce(rules, SIZE, 2.0)
    for (left, right), (head, _) in found.rules.items():
        assert (left + right - head) % SIZE == 0
    for ((left, right), partner, _), (head, _) in found.pairs.items():
        assert (left + right + partner - head) % SIZE == 0
