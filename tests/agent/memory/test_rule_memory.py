"""Rule memory: equal to its slow twin, and right on small examples computed by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from r5.agent.memory.rule_memory import RuleMemory
from r5.agent.memory.update_kernels import NEW
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
def test_updates_equal_those_of_the_slow_twin(known: int, invented: int, threshold: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    fast = memory_of(known, invented, threshold=threshold, decay=0.05)
    slow = SlowMemory(known, invented, R5Settings(threshold=threshold, decay=0.05))
    for _ in range(25):
        path = rng.integers(0, known, rng.integers(2, 7)).tolist()
        positions = [int(rng.integers(0, length)) for length in range(len(path) - 1, 0, -1)]
        answer = int(rng.integers(0, known))
        draws = rng.random(len(positions)).tolist()
        assert fast.update(path, positions, answer, draws) == slow.commit(path, positions, answer, draws)
        assert fast.items() == slow.items()
        assert np.flatnonzero(fast.arrays.free).tolist() == [r - known for r in slow.buffer()]


def test_path_of_two_relations_adds_its_rule() -> None:
    memory = memory_of(3, 2)
    assert memory.update([0, 1], [0], 2, [0.5]) == NEW
    assert memory.head_of(0, 1) == 2
    # v3 + v_true, then one decay
    assert score_of(memory, 0, 1) == pytest.approx((-0.1 + 1.0) * 0.997)
    assert memory.invented_in_use == 0


def test_longer_path_adds_an_invented_relation() -> None:
    memory = memory_of(4, 2)
    memory.update([0, 1, 2], [0, 0], 3, [0.9, 0.0])
    (first, invented, _, _), (second, head, score, _) = memory.items()
    assert (first, invented) == ((0, 1), 5)
    assert (second, head) == ((5, 2), 3)
    assert score == pytest.approx(-0.3 * 1.003)


def test_rewriting_replaces_an_invented_relation_by_the_answer() -> None:
    memory = memory_of(5, 2)
    memory.update([0, 1, 2], [0, 0], 3, [0.0, 0.0])
    assert memory.update([0, 1], [0], 4, [0.0]) == 5
    assert memory.head_of(0, 1) == 4
    assert memory.head_of(4, 2) == 3
    assert memory.invented_in_use == 0


def test_rewriting_keeps_a_known_head_of_an_existing_body() -> None:
    memory = memory_of(4, 3)
    memory.replace([((0, 1), 4, 0.5, 1), ((4, 2), 3, 0.7, 2), ((2, 2), 1, 0.1, 0)])
    memory.rewrite(4, 2)
    # (4, 2) becomes (2, 2), whose head 1 is known: the rewritten rule is dropped.
    assert memory.items() == [((0, 1), 2, 0.5, 1), ((2, 2), 1, 0.1, 0)]


def test_rewriting_replaces_an_invented_head_of_an_existing_body() -> None:
    memory = memory_of(4, 3)
    memory.replace([((0, 1), 4, 0.5, 1), ((4, 2), 3, 0.7, 2), ((2, 2), 5, 0.1, 0), ((5, 0), 1, 0.3, 0)])
    memory.rewrite(4, 2)
    # Relation 5 heads no rule after that, so the rule with it in the body is removed.
    assert memory.items() == [((0, 1), 2, 0.5, 1), ((2, 2), 3, 0.7, 2)]


def test_rewriting_covers_a_body_with_the_relation_twice() -> None:
    memory = memory_of(3, 2)
    memory.replace([((0, 0), 3, 0.5, 1), ((3, 3), 1, 0.7, 2)])
    memory.rewrite(3, 2)
    assert memory.items() == [((0, 0), 2, 0.5, 1), ((2, 2), 1, 0.7, 2)]


def test_removal_below_the_threshold_is_recursive() -> None:
    memory = memory_of(4, 2)
    memory.replace([((0, 1), 4, -1.19, 0), ((4, 2), 5, 2.0, 0), ((5, 0), 3, 3.0, 0), ((2, 3), 1, 0.5, 0)])
    for _ in range(4):
        memory.update([2, 3], [0], 1, [0.0])
    assert [body for body, *_ in memory.items()] == [(2, 3)]
    assert memory.invented_in_use == 0


def test_wrong_head_is_replaced_after_removal() -> None:
    memory = memory_of(4, 2)
    memory.replace([((0, 1), 3, 0.0, 0)])
    results = [memory.update([0, 1], [0], 2, [0.0]) for _ in range(4)]
    # -0.5 each time (v_T,neg + v_wrong) until the score is below sigma = -1.2, then the right head is learned.
    assert results == [3, 3, 3, NEW]
    assert memory.head_of(0, 1) == 2


def test_eviction_removes_the_lowest_invented_rule() -> None:
    memory = memory_of(5, 2)
    memory.replace([((0, 0), 5, 0.5, 0), ((5, 1), 2, 0.5, 0), ((1, 1), 6, -0.5, 0), ((6, 1), 2, 0.9, 0)])
    memory.update([3, 4, 3], [0, 0], 0, [0.0, 0.0])
    assert memory.head_of(3, 4) == 6
    assert memory.head_of(1, 1) is None
    assert memory.head_of(6, 1) is None
    assert memory.head_of(0, 0) == 5


def test_episode_without_free_invented_relation_ends_unfinished() -> None:
    memory = memory_of(4, 1)
    assert memory.update([0, 1, 2, 3], [0, 0, 0], 3, [0.0, 0.0, 0.0]) == -1
    assert [(body, head) for body, head, *_ in memory.items()] == [((0, 1), 4)]


def test_arrays_grow_with_the_rules() -> None:
    memory = memory_of(10_000, 1)
    for left in range(2_000):
        memory.update([left, 9_999 - left], [0], 7, [0.0])
    assert len(memory) == 2_000
    assert all(memory.head_of(left, 9_999 - left) == 7 for left in range(2_000))
    rules = memory.rules()
    assert len(rules) == 2_000
    assert rules.rules[0].body == ("r1999", "r8000")


def test_eviction_ties_go_to_the_oldest_rule() -> None:
    """Scores that differ by rounding only are equal."""
    for scores in ((0.3, 0.1 + 0.2), (0.1 + 0.2, 0.3)):
        memory = memory_of(5, 2)
        memory.replace([((0, 1), 5, scores[0], 1), ((1, 0), 6, scores[1], 1)])
        memory.update([2, 2, 2], [0, 0], 3, np.zeros(2))
        assert memory.head_of(1, 0) is not None
        assert memory.head_of(0, 1) is None
