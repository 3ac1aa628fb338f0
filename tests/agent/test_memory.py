"""The rule memory: equal to its slow twin, and right on small worlds solved by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from r5.agent.learning_kernels import NEW
from r5.agent.memory import RuleMemory
from r5.agent.settings import R5Settings
from r5.relations import Vocabulary
from tests.oracle.memory import SlowMemory


def memory_of(known: int, invented: int, **changes: float) -> RuleMemory:
    words = Vocabulary(tuple(f"r{i}" for i in range(known))).with_invented(invented)
    return RuleMemory(words, R5Settings(invented=invented, **changes))


def score_of(memory: RuleMemory, *body: int) -> float | None:
    return {found: score for found, _, score, _ in memory.items()}.get(body)  # type: ignore[call-overload]


@settings(max_examples=80, deadline=None)
@given(
    known=st.integers(1, 4),
    invented=st.integers(1, 5),
    threshold=st.sampled_from([-1.2, -0.5]),
    seed=st.integers(0, 2**32 - 1),
)
def test_agrees_with_the_slow_twin(known: int, invented: int, threshold: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    fast = memory_of(known, invented, threshold=threshold, decay=0.05)
    slow = SlowMemory(known, invented, R5Settings(threshold=threshold, decay=0.05))
    for _ in range(25):
        path = rng.integers(0, known, rng.integers(2, 7)).tolist()
        positions = [int(rng.integers(0, length)) for length in range(len(path) - 1, 0, -1)]
        answer = int(rng.integers(0, known))
        draws = rng.random(len(positions)).tolist()
        assert fast.commit(path, positions, answer, draws) == slow.commit(path, positions, answer, draws)
        assert fast.items() == slow.items()
        assert np.flatnonzero(fast.arrays.free).tolist() == [r - known for r in slow.buffer()]


def test_a_new_body_of_two_is_learned_at_once() -> None:
    memory = memory_of(3, 2)
    assert memory.commit([0, 1], [0], 2, [0.5]) == NEW
    assert memory.head_of(0, 1) == 2
    # v3 + v_true, then one decay
    assert score_of(memory, 0, 1) == pytest.approx((-0.1 + 1.0) * 0.997)
    assert memory.invented_in_use == 0


def test_a_longer_path_needs_an_invented_relation() -> None:
    memory = memory_of(4, 2)
    memory.commit([0, 1, 2], [0, 0], 3, [0.9, 0.0])
    (first, invented, _, _), (second, head, score, _) = memory.items()
    assert (first, invented) == ((0, 1), 5)
    assert (second, head) == ((5, 2), 3)
    assert score == pytest.approx(-0.3 * 1.003)


def test_an_invented_relation_is_rewritten_when_it_turns_out_to_be_known() -> None:
    memory = memory_of(5, 2)
    memory.commit([0, 1, 2], [0, 0], 3, [0.0, 0.0])
    assert memory.commit([0, 1], [0], 4, [0.0]) == 5
    assert memory.head_of(0, 1) == 4
    assert memory.head_of(4, 2) == 3
    assert memory.invented_in_use == 0


def test_a_rewritten_key_with_a_known_head_keeps_that_head() -> None:
    memory = memory_of(4, 3)
    memory.put([((0, 1), 4, 0.5, 1), ((4, 2), 3, 0.7, 2), ((2, 2), 1, 0.1, 0)])
    memory.rewrite(4, 2)
    # (4, 2) would become (2, 2), whose head 1 is known: the rule is dropped and 1 stays.
    assert memory.items() == [((0, 1), 2, 0.5, 1), ((2, 2), 1, 0.1, 0)]


def test_a_rewritten_key_with_an_invented_head_takes_the_new_head() -> None:
    memory = memory_of(4, 3)
    memory.put([((0, 1), 4, 0.5, 1), ((4, 2), 3, 0.7, 2), ((2, 2), 5, 0.1, 0), ((5, 0), 1, 0.3, 0)])
    memory.rewrite(4, 2)
    # Relation 5 is now the head of nothing, so the rule that needs it goes too.
    assert memory.items() == [((0, 1), 2, 0.5, 1), ((2, 2), 3, 0.7, 2)]


def test_a_body_of_the_same_invented_relation_twice_is_rewritten() -> None:
    memory = memory_of(3, 2)
    memory.put([((0, 0), 3, 0.5, 1), ((3, 3), 1, 0.7, 2)])
    memory.rewrite(3, 2)
    assert memory.items() == [((0, 0), 2, 0.5, 1), ((2, 2), 1, 0.7, 2)]


def test_a_wrong_rule_is_forgotten_with_all_that_hangs_on_it() -> None:
    memory = memory_of(4, 2)
    memory.put([((0, 1), 4, -1.19, 0), ((4, 2), 5, 2.0, 0), ((5, 0), 3, 3.0, 0), ((2, 3), 1, 0.5, 0)])
    for _ in range(4):
        memory.commit([2, 3], [0], 1, [0.0])
    assert [body for body, *_ in memory.items()] == [(2, 3)]
    assert memory.invented_in_use == 0


def test_a_wrong_rule_for_a_body_is_replaced_by_the_right_one() -> None:
    memory = memory_of(4, 2)
    memory.put([((0, 1), 3, 0.0, 0)])
    results = [memory.commit([0, 1], [0], 2, [0.0]) for _ in range(4)]
    # -0.5 each time (v_T,neg + v_wrong) until the score is below sigma = -1.2, then the right head is learned.
    assert results == [3, 3, 3, NEW]
    assert memory.head_of(0, 1) == 2


def test_the_worst_invented_rule_makes_room() -> None:
    memory = memory_of(5, 2)
    memory.put([((0, 0), 5, 0.5, 0), ((5, 1), 2, 0.5, 0), ((1, 1), 6, -0.5, 0), ((6, 1), 2, 0.9, 0)])
    memory.commit([3, 4, 3], [0, 0], 0, [0.0, 0.0])
    assert memory.head_of(3, 4) == 6
    assert memory.head_of(1, 1) is None
    assert memory.head_of(6, 1) is None
    assert memory.head_of(0, 0) == 5


def test_an_episode_that_uses_all_invented_relations_ends_unfinished() -> None:
    memory = memory_of(4, 1)
    assert memory.commit([0, 1, 2, 3], [0, 0, 0], 3, [0.0, 0.0, 0.0]) == -1
    assert [(body, head) for body, head, *_ in memory.items()] == [((0, 1), 4)]


def test_grows_with_its_rules() -> None:
    memory = memory_of(10_000, 1)
    for left in range(2_000):
        memory.commit([left, 9_999 - left], [0], 7, [0.0])
    assert len(memory) == 2_000
    assert all(memory.head_of(left, 9_999 - left) == 7 for left in range(2_000))
    rules = memory.rules()
    assert len(rules) == 2_000
    assert rules.rules[0].body == ("r1999", "r8000")
