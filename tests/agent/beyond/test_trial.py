"""Trial questions: which are asked, and how right answers are counted."""

from __future__ import annotations

import pytest

from r5.agent.beyond.trial import Trial
from r5.agent.memory import RuleMemory
from r5.agent.prediction import Solver
from r5.agent.presets import settings_of
from r5.agent.state import uniform
from r5.agent.training import TrainingQuery
from r5.relations import Vocabulary

A, B, C = range(3)
SETTINGS = settings_of("tuned", {"network": False, "invented": 2})


def solver() -> Solver:
    """Knows one rule: a, b -> c."""
    memory = RuleMemory(Vocabulary(tuple("abc")).with_invented(2), SETTINGS)
    memory.put([((A, B), C, 1.0, 1)])
    return Solver(memory, uniform, SETTINGS)


def test_each_question_is_asked_once_and_counts_as_often_as_examples_ask_it() -> None:
    queries = [TrainingQuery(((A, B),), C)] * 3 + [TrainingQuery(((A, B),), A), TrainingQuery(((B, A),), C)]
    ticks: list[int] = []
    # Three of five: one example has another answer, and there is no rule for b, a.
    assert Trial(queries, seed=0).share_right(solver(), ticks.append) == 3 / 5
    assert ticks == [0]


def test_of_many_questions_some_are_drawn_the_same_ones_for_a_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("r5.agent.beyond.trial._MOST_QUESTIONS", 4)
    monkeypatch.setattr("r5.agent.beyond.trial._AT_ONCE", 3)
    queries = [TrainingQuery(((A, B) + (A,) * n,), C) for n in range(20)]
    asked = [list(Trial(queries, seed).answers) for seed in (0, 0, 1)]
    assert asked[0] == asked[1] != asked[2]
    assert len(asked[0]) == 4
    ticks: list[int] = []
    Trial(queries, 0).share_right(solver(), ticks.append)
    assert len(ticks) == 2, "time is looked at after every part"
