"""Trial queries: the sample of queries, and the count of right answers."""

from __future__ import annotations

from r5.agent.beyond.trial_queries import TrialQueries
from r5.agent.inference.solver import Solver
from r5.agent.memory.rule_memory import RuleMemory
from r5.agent.presets import settings_of
from r5.agent.state.states import uniform
from r5.agent.training.training import TrainingQuery
from r5.relations import Vocabulary

A, B, C = ABC = range(3)
SETTINGS = settings_of("tuned", {"network": False, "invented": 2})


def solver() -> Solver:
    """Return a solver with one rule: a, b -> c."""
    memory = RuleMemory(Vocabulary(tuple("abc")).with_invented(2), SETTINGS)
    memory.replace([((A, B), C, 1.0, 1)])
    return Solver(memory, uniform, SETTINGS)


def test_each_query_is_weighted_by_its_examples() -> None:
    queries = [TrainingQuery(((A, B),), C)] * 3 + [TrainingQuery(((A, B),), A), TrainingQuery(((B, A),), C)]
    ticks: list[int] = []
    # Three of five: one example has another answer, and b, a has no rule.
    assert TrialQueries(queries, seed=0).share_right(solver(), ticks.append) == 3 / 5
    assert ticks == [0]


def test_sample_of_queries_depends_on_the_seed() -> None:
    queries = [TrainingQuery(((A, B) + (A,) * n,), C) for n in range(20)]
    samples = [list(TrialQueries(queries, seed, limit=4).answers) for seed in (0, 0, 1)]
    assert samples[0] == samples[1] != samples[2]
    assert len(samples[0]) == 4


def test_time_is_checked_after_each_batch() -> None:
    paths = [(left, middle, right, last) for left in ABC for middle in ABC for right in ABC for last in ABC]
    ticks: list[int] = []
    TrialQueries([TrainingQuery((path,), C) for path in paths], 0).share_right(solver(), ticks.append)
    assert ticks == [0, 0]
