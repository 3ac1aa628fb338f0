"""Solver: path groups are searched in batches bounded by memory."""

from __future__ import annotations

import pytest

from r5.agent.inference.solver import Solver
from r5.agent.memory.rule_memory import RuleMemory
from r5.agent.presets import settings_of
from r5.agent.state.states import uniform
from r5.relations import Vocabulary


def solver(**settings: object) -> Solver:
    chosen = settings_of("tuned", settings)
    memory = RuleMemory(Vocabulary.of("abc").with_invented(1), chosen)
    memory.replace([((0, 0), 1, 1.0, 1), ((1, 0), 2, 1.0, 1)])
    return Solver(memory, uniform, chosen)


GROUPS = [((0,) * length,) for length in range(2, 12)] * 20


@pytest.mark.parametrize(
    ("simulations", "sizes"),
    [(200, [64, 64, 64, 8]), (100_000, [10] * 20)],
)
def test_batches_are_bounded_in_number_and_size(
    simulations: int, sizes: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("r5.agent.inference.solver._MAX_SEARCHED", 6_500_000)  # the relations of ten groups
    batches = list(solver(answer_simulations=simulations)._batches(GROUPS))
    assert [len(batch) for batch in batches] == sizes
    assert [group for batch in batches for group in batch] == GROUPS


def test_group_above_the_bound_is_searched_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("r5.agent.inference.solver._MAX_SEARCHED", 1)
    assert [len(batch) for batch in solver()._batches(GROUPS[:3])] == [1, 1, 1]
    assert list(solver()._batches([])) == []


def test_batches_do_not_change_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    queries = [[(0, 0)], [(0, 0, 0)], [(0, 0, 0, 0)], [(2, 0)]]
    whole = solver().answer(queries)
    monkeypatch.setattr("r5.agent.inference.solver._MAX_SEARCHED", 1)
    assert solver().answer(queries) == whole
    assert [answers[0].relation for answers in whole] == [1, 2, None, None]
