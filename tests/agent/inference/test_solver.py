"""Solver: path groups are searched in batches bounded by memory."""

from __future__ import annotations

import pytest

from r5.agent.inference.solver import Solver
from r5.agent.memory.rule_memory import RuleMemory
from r5.agent.presets import settings_of
from r5.agent.state.states import uniform
from r5.relations import Vocabulary


def solver(max_searched: int | None = None, **settings: object) -> Solver:
    chosen = settings_of("tuned", settings)
    memory = RuleMemory(Vocabulary.of("abc").with_invented(1), chosen)
    memory.replace([((0, 0), 1, 1.0, 1), ((1, 0), 2, 1.0, 1)])
    made = Solver(memory, uniform, chosen)
    made.max_searched = max_searched or made.max_searched
    return made


GROUPS = [((0,) * length,) for length in range(2, 12)] * 20


@pytest.mark.parametrize(
    ("simulations", "sizes"),
    [(200, [64, 64, 64, 8]), (100_000, [10] * 20)],
)
def test_batches_are_bounded_in_number_and_size(simulations: int, sizes: list[int]) -> None:
    ten_groups = 6_500_000
    batches = list(solver(ten_groups, answer_simulations=simulations)._batches(GROUPS))
    assert [len(batch) for batch in batches] == sizes
    assert [group for batch in batches for group in batch] == GROUPS


def test_group_above_the_bound_is_searched_alone() -> None:
    assert [len(batch) for batch in solver(1)._batches(GROUPS[:3])] == [1, 1, 1]
    assert list(solver()._batches([])) == []


def test_batches_do_not_change_answers() -> None:
    queries = [[(0, 0)], [(0, 0, 0)], [(0, 0, 0, 0)], [(2, 0)]]
    whole = solver().answer(queries)
    assert solver(1).answer(queries) == whole
    assert [answers[0].relation for answers in whole] == [1, 2, None, None]
