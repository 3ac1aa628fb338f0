"""Solver: questions are searched together, as many as memory has room for."""

from __future__ import annotations

import pytest

from r5.agent.memory import RuleMemory
from r5.agent.prediction import Solver
from r5.agent.presets import settings_of
from r5.agent.state import uniform
from r5.relations import Vocabulary


def solver(**settings: object) -> Solver:
    chosen = settings_of("tuned", settings)
    memory = RuleMemory(Vocabulary.of("abc").with_invented(1), chosen)
    memory.put([((0, 0), 1, 1.0, 1), ((1, 0), 2, 1.0, 1)])
    return Solver(memory, uniform, chosen)


QUESTIONS = [((0,) * length,) for length in range(2, 12)] * 20


@pytest.mark.parametrize(
    ("simulations", "sizes"),
    [(200, [64, 64, 64, 8]), (100_000, [10] * 20)],
)
def test_questions_come_in_parts(simulations: int, sizes: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("r5.agent.prediction._MOST_SEARCHED", 6_500_000)  # the relations of ten questions
    parts = list(solver(answer_simulations=simulations)._parts(QUESTIONS))
    assert [len(part) for part in parts] == sizes
    assert [question for part in parts for question in part] == QUESTIONS


def test_a_question_too_large_for_any_part_comes_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("r5.agent.prediction._MOST_SEARCHED", 1)
    assert [len(part) for part in solver()._parts(QUESTIONS[:3])] == [1, 1, 1]
    assert list(solver()._parts([])) == []


def test_parts_make_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = [[(0, 0)], [(0, 0, 0)], [(0, 0, 0, 0)], [(2, 0)]]
    whole = solver().answer(asked)
    monkeypatch.setattr("r5.agent.prediction._MOST_SEARCHED", 1)
    assert solver().answer(asked) == whole
    assert [answers[0].relation for answers in whole] == [1, 2, None, None]
