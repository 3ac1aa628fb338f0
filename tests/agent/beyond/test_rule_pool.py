"""Pooled rules: their scores, their checkpoint, and the restart that begins with them."""

from __future__ import annotations

import numpy as np

from r5.agent.beyond.rule_pool import RulePool
from r5.agent.memory.rule_memory import RuleMemory
from r5.agent.presets import settings_of
from r5.agent.training.checkpoint import Snapshot
from r5.agent.training.fitting import Observer, fit
from r5.agent.training.training import TrainingQuery
from r5.relations import Vocabulary

A, B, C, D, X = range(5)
WORDS = Vocabulary(tuple("abcd")).with_invented(1)
SETTINGS = settings_of("tuned", {"network": False, "invented": 1, "epochs": 1, "restarts": 2, "patience": 0})


def memory(*rules: tuple[tuple[int, int], int, float]) -> RuleMemory:
    made = RuleMemory(WORDS, SETTINGS)
    made.replace([(body, head, score, 1) for body, head, score in rules])
    return made


def pooled(pool: RulePool, restarts: int) -> dict[tuple[int, int], tuple[int, float]]:
    empty = memory()
    pool.fill(empty, restarts)
    return {body: (head, score) for body, head, score, _ in empty.items()}


def test_head_with_the_largest_sum_of_scores_is_taken() -> None:
    pool = RulePool()
    pool.add(memory(((A, B), C, 3.0), ((B, C), D, 1.0)))
    pool.add(memory(((A, B), D, 2.0)))
    pool.add(memory(((A, B), D, 2.5), ((C, D), A, 0.6)))
    assert pooled(pool, 3) == {(A, B): (D, 1.5), (B, C): (D, 1.0 / 3), (C, D): (A, 0.6 / 3)}


def test_invented_relations_and_negative_scores_are_left_out() -> None:
    pool = RulePool()
    pool.add(memory(((A, B), X, 2.0), ((X, C), D, 2.0), ((C, C), A, -0.5), ((D, D), A, 1.0)))
    assert pooled(pool, 1) == {(D, D): (A, 1.0)}


def test_heads_equal_but_for_rounding_are_ties() -> None:
    pool = RulePool()
    pool.add(memory(((A, B), D, 0.1)))
    pool.add(memory(((A, B), D, 0.2)))
    pool.add(memory(((A, B), C, 0.3)))
    assert pooled(pool, 3)[A, B][0] == C


def test_pool_is_equal_after_a_checkpoint() -> None:
    pool = RulePool()
    pool.add(memory(((A, B), C, 3.0), ((B, C), D, 1.0)))
    assert pooled(RulePool(*pool.arrays()), 2) == pooled(pool, 2)
    assert pooled(RulePool(*RulePool().arrays()), 1) == {}


def test_last_restart_begins_with_the_rules_of_the_others() -> None:
    queries = [TrainingQuery(((A, B),), C), TrainingQuery(((C, D),), A)] * 4
    learned: list[Snapshot] = []
    scores = []
    for pool_rules in (False, True):
        settings = settings_of("tuned", {**SETTINGS.__dict__, "pool_rules": pool_rules})
        learned.clear()
        fit(WORDS, settings, queries, Observer(watch=lambda now, _: learned.append(now)))
        scores.append([np.sort(one.arrays["rules.scores"]) for one in learned])
    assert len(scores[0]) == len(scores[1]) == 2
    assert np.array_equal(scores[0][0], scores[1][0])
    assert np.all(scores[1][1] > scores[0][1] + 1), "scores add to those of the first restart"
