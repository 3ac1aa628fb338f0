"""Rules that follow by associativity from a chain of three relations."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from r5.agent.beyond.associativity import deduce
from r5.agent.beyond.equivalence import rewrite_equivalent
from tests.agent.memory.test_rule_memory import memory_of, score_of

X, Y = 5, 6


def test_other_order_gives_a_rule() -> None:
    # (0 1) 2 is 3 by way of X; 1 2 is 4; so 0 4 is 3.
    rules = {(0, 1): (X, 5.0), (X, 2): (3, 4.0), (1, 2): (4, 3.0)}
    assert deduce(rules, 5, 2.0).rules == {(0, 4): (3, 3.0)}
    # 0 (1 2) is 3 by way of X; 0 1 is 4; so 4 2 is 3.
    rules = {(1, 2): (X, 5.0), (0, X): (3, 4.0), (0, 1): (4, 3.0)}
    assert deduce(rules, 5, 2.0).rules == {(4, 2): (3, 3.0)}


def test_pair_without_a_rule_gets_its_partner_and_head() -> None:
    found = deduce({(0, 1): (X, 5.0), (X, 2): (3, 4.0), (1, 2): (4, 1.0)}, 5, 2.0)
    assert found.rules == {}
    assert found.pairs == {((1, 2), 0, False): (3, 4.0)}


def test_known_middles_weak_rules_and_existing_rules_give_nothing() -> None:
    assert deduce({(0, 1): (4, 5.0), (4, 2): (3, 4.0), (1, 2): (4, 3.0)}, 5, 2.0) == ({}, {})
    assert deduce({(0, 1): (X, 1.0), (X, 2): (3, 4.0), (1, 2): (4, 3.0)}, 5, 2.0) == ({}, {})
    assert deduce({(0, 1): (X, 5.0), (X, 2): (3, 4.0), (1, 2): (4, 3.0), (0, 4): (2, 9.0)}, 5, 2.0) == ({}, {})


def test_invented_relation_is_identified_by_a_deduced_rule() -> None:
    # X and 0 both make 3 with 4, but for 0 that is deduced: 0 (1 2) is 3 by way of Y, and 1 2 is 4.
    memory = memory_of(5, 2)
    memory.replace(
        [
            ((2, 2), X, 5.0, 1),
            ((X, 4), 3, 5.0, 1),
            ((0, 1), Y, 5.0, 1),
            ((Y, 2), 3, 5.0, 1),
            ((1, 2), 4, 5.0, 1),
        ]
    )
    assert rewrite_equivalent(memory, 2.0, associativity=True) == 1
    assert memory.head_of(2, 2) == 0
    assert memory.head_of(0, 4) == 3


def test_pair_equivalent_to_a_relation_gets_a_rule() -> None:
    # 0 (1 2) is 3 by way of X, and 4 2 is 3: so 0 1 is 4.
    memory = memory_of(5, 2)
    memory.replace([((1, 2), X, 5.0, 1), ((0, X), 3, 4.0, 1), ((4, 2), 3, 3.0, 1)])
    assert rewrite_equivalent(memory, 2.0, associativity=True) == 1
    assert memory.head_of(0, 1) == 4
    assert score_of(memory, 0, 1) == 3.0


SIZE = 5


@given(st.sets(st.tuples(st.integers(0, 2 * SIZE - 1), st.integers(0, 2 * SIZE - 1)), max_size=40), st.randoms())
def test_deductions_in_a_group_are_true(bodies: set[tuple[int, int]], random: object) -> None:
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
