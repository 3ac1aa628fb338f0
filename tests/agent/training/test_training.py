"""Training on small worlds with known rules: rules are found, invented, rewritten and removed."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from r5._util.runtime.budget import Budget
from r5.agent.inference.solver import Solver
from r5.agent.presets import settings_of
from r5.agent.settings import R5Settings
from r5.agent.training.checkpoint import Snapshot
from r5.agent.training.fitting import Observer, fit
from r5.agent.training.training import EpochResult, Training, TrainingQuery
from r5.data.generators.world.dataset import generate_world
from r5.errors import MissingExtraError, R5Error
from r5.reasoners.base import Progress
from r5.reasoners.r5 import R5Reasoner
from r5.relations import Vocabulary
from r5.storage.folder import ModelError

A, B, C, D, E = range(5)
WORDS = Vocabulary(tuple("abcde"))


def small(**changes: object) -> R5Settings:
    return settings_of("tuned", {"network": False, "epochs": 3, "invented": 3, "simulations": 30, **changes})


def learn(queries: list[TrainingQuery], **changes: object) -> tuple[Solver, dict[tuple[int, int], int]]:
    settings = small(**changes)
    words = WORDS.with_invented(settings.invented)
    learned, _ = fit(words, settings, queries)
    memory = learned.memory(words, settings)
    return Solver(memory, learned.evaluator(), settings), {body: head for body, head, _, _ in memory.items()}


def query(path: list[int], answer: int) -> TrainingQuery:
    return TrainingQuery((tuple(path),), answer)


def answer(solver: Solver, *path: int) -> int | None:
    return solver.answer([[list(path)]])[0][0].relation


@pytest.mark.parametrize("network", [False, True])
def test_three_rules_are_found_and_generalise(network: bool) -> None:
    """c <= a, b;  d <= c, a;  e <= d, b."""
    queries = [query([A, B], C), query([C, A], D), query([D, B], E), query([A, B, A], D)] * 8
    solver, rules = learn(queries, network=network)
    assert rules == {(A, B): C, (C, A): D, (D, B): E}
    assert answer(solver, A, B, A, B) == E
    assert answer(solver, B, A) is None


def test_relation_is_invented_where_the_data_has_none() -> None:
    """No example has the path a, b, but a, b, c and a, b, d share it."""
    solver, rules = learn([query([A, B, C], D), query([A, B, D], E)] * 6, seed=1)
    assert all(max(body) >= len(WORDS) for body, head in rules.items() if head in (D, E))
    assert answer(solver, A, B, C) == D
    assert answer(solver, A, B, D) == E


def test_invented_relation_is_rewritten_after_an_episode_ends_in_it() -> None:
    """The first epoch starts with short paths, so the long ones come in the same batch and are replayed after."""
    settings = small(epochs=4)
    words = WORDS.with_invented(settings.invented)
    training = Training(words, settings, [query([A, B, C], D)])
    training.run_epoch()
    training.queries = [query([A, B], E), query([B, C], E), query([A, B, C], D)]
    training.run_epoch()
    rules = {body: head for body, head, _, _ in training.memory.items()}
    assert rules[A, B] == E
    assert max(max(body) for body in rules) < len(WORDS)


def test_wrong_rule_is_replaced() -> None:
    training = Training(WORDS.with_invented(3), small(), [query([A, B], D)])
    training.run_epoch()
    assert training.memory.head_of(A, B) == D
    training.queries = [query([A, B], C)] * 16
    training.run_epoch()
    assert training.memory.head_of(A, B) == C


def test_epoch_result_counts_episodes_by_reward() -> None:
    training = Training(WORDS.with_invented(3), small(), [query([A, B], C), query([C, A, B], D)])
    result = training.run_epoch()
    assert result == EpochResult(1, 2, 0, 2, 0.0, 2, 0)
    assert result.fit == 0.0


def test_first_epoch_orders_queries_by_longest_path() -> None:
    queries = [query([A] * length, B) for length in (5, 2, 4, 3)]
    training = Training(WORDS.with_invented(3), small(), queries)
    assert training._order().tolist() == [1, 3, 2, 0]
    training.epoch = 1
    assert sorted(training._order().tolist()) == [0, 1, 2, 3]


def test_paths_without_the_merged_pair_are_dropped() -> None:
    """Both paths lead to c; one pair at a time is merged in all of them."""
    queries = [query([A, B], C), query([D, E], C)] * 8
    solver, _ = learn(queries, combine="together")
    (answers,) = solver.answer([[[A, B], [D, E], [A, A, A]]])
    assert [a.relation for a in answers] == [C]
    assert answers[0].positions == (0,)


def mixed_queries() -> list[TrainingQuery]:
    rng = np.random.default_rng(3)
    table = rng.integers(0, 5, (5, 5))
    queries = []
    for _ in range(60):
        path = rng.integers(0, 5, rng.integers(2, 5)).tolist()
        result = path[0]
        for relation in path[1:]:
            result = int(table[result, relation])
        queries.append(query(path, result))
    return queries


def same(left: Snapshot, right: Snapshot) -> bool:
    return left.arrays.keys() == right.arrays.keys() and all(
        np.array_equal(left.arrays[name], right.arrays[name]) for name in left.arrays
    )


@pytest.mark.parametrize("network", [False, True])
def test_resumed_training_equals_an_uninterrupted_one(tmp_path: Path, network: bool) -> None:
    settings = small(network=network, epochs=3, restarts=2, patience=0, replay_size=50, pool_rules=True)
    words = WORDS.with_invented(3)
    whole, summary = fit(words, settings, mixed_queries(), Observer(validate=lambda _: 0.5))

    class KilledError(Exception):
        pass

    epochs = 0

    def kill(_: Snapshot) -> float:
        nonlocal epochs
        epochs += 1
        if epochs in (3, 5):
            raise KilledError
        return 0.5

    for _ in range(2):
        with pytest.raises(KilledError):
            fit(words, settings, mixed_queries(), Observer(validate=kill), tmp_path / "c", resume=True)
    resumed = fit(words, settings, mixed_queries(), Observer(validate=kill), tmp_path / "c", resume=True)
    assert epochs == 3 + 3 + 2
    assert summary == resumed[1]
    assert same(whole, resumed[0])


def test_checkpoint_of_other_data_raises(tmp_path: Path) -> None:
    words = WORDS.with_invented(3)
    fit(words, small(epochs=1), [query([A, B], C)], None, tmp_path / "c")
    with pytest.raises(ModelError, match="other settings or other data"):
        fit(words, small(epochs=1), [query([A, B], D)], None, tmp_path / "c", resume=True)
    # Without resuming the checkpoint is replaced.
    fit(words, small(epochs=1), [query([A, B], D)], None, tmp_path / "c")


def test_patience_ends_a_restart_without_better_fit() -> None:
    seen: list[int] = []
    observer = Observer(tick=lambda count, result, accuracy: seen.append(count))
    settings = small(epochs=50, patience=2, restarts=1, keep_epoch="fit")
    fit(WORDS.with_invented(3), settings, [query([A, B], C)] * 4, observer)
    # The fit of epoch 1 does not count, epoch 2 is perfect, two more are no better.
    assert sum(seen) == 4 * 4


def test_epoch_with_most_right_answers_is_kept() -> None:
    words = WORDS.with_invented(3)
    settings = small(epochs=4, restarts=2, patience=2)
    learned, summary = fit(words, settings, mixed_queries())
    shares = [entry["training_answers"] for entry in summary.history]
    kept = next(e for e in summary.history if (e["restart"], e["epoch"]) == (summary.best_restart, summary.best_epoch))
    assert kept["training_answers"] == summary.best_score == max(shares)
    # Ties go to the first epoch; a query of two examples counts twice.
    assert summary.history.index(kept) == shares.index(max(shares))
    solver = Solver(learned.memory(words, settings), learned.evaluator(), settings)
    right = [answer(solver, *one.paths[0]) == one.answer for one in mixed_queries()]
    assert summary.best_score == sum(right) / len(right)


def test_training_ends_once_all_training_queries_are_right() -> None:
    settings = small(epochs=50, patience=2, restarts=3)
    _, summary = fit(WORDS.with_invented(3), settings, [query([A, B], C)] * 4)
    assert [(entry["restart"], entry["epoch"]) for entry in summary.history] == [(0, 1)]
    # Without patience all restarts and epochs are run.
    _, summary = fit(WORDS.with_invented(3), small(epochs=2, patience=0, restarts=2), [query([A, B], C)] * 4)
    assert len(summary.history) == 4


def test_seed_fixes_the_model() -> None:
    words = WORDS.with_invented(3)
    first, second = (fit(words, small(seed=4), mixed_queries())[0] for _ in range(2))
    assert same(first, second)
    assert not same(first, fit(words, small(seed=5), mixed_queries())[0])


def test_no_training_queries_raise() -> None:
    with pytest.raises(R5Error, match="nothing can be learned"):
        fit(WORDS.with_invented(3), small(), [])


def test_missing_torch_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "r5.agent.network.trainer", raising=False)
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtraError, match="torch is not installed"):
        Training(WORDS.with_invented(3), small(network=True), [query([A, B], C)])


def test_trees_of_long_paths_stay_within_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("r5.agent.episode.MAX_PAIRS", 2_000)
    words = Vocabulary(tuple(f"r{i}" for i in range(10_000))).with_invented(2)
    settings = small(simulations=5, invented=2)
    # r_i, r_(i + 1) -> r_(i + 1): a chain of 200 relations merges from any place.
    queries = [TrainingQuery(((i, i + 1),), i + 1) for i in range(199)]
    training = Training(words, settings, queries)
    training.run_epoch()
    solver = Solver(training.memory, training.states.evaluate, settings)
    (answers,) = solver.answer([[list(range(200))]])
    assert len(answers[0].positions) == 199
    assert solver.forest.tree.owner.size < 100_000


def test_cached_answers_are_bounded_and_right() -> None:
    solver, _ = learn([query([A, B], C), query([B, A], D)] * 4)
    solver.max_cached = 1
    for _ in range(3):
        assert (answer(solver, A, B), answer(solver, B, A), answer(solver, A, A)) == (C, D, None)
        assert len(solver._cache) <= 3


def test_training_cut_short_keeps_the_best_model() -> None:
    """The model of the unfinished first epoch, later that of the best epoch."""
    data = generate_world(seed=1, train=120, test=20)
    for at in (1, 150):
        budget = Budget()

        def tick(progress: Progress, at: int = at, budget: Budget = budget) -> None:
            if progress.stage == "" and progress.done >= at:
                budget.cancel()

        model = R5Reasoner(seed=0, network=False, epochs=4, restarts=1, patience=0)
        model.fit(data.train, progress=tick, budget=budget)
        assert model.summary_["cut_short"] == f"epoch {1 + at // 120} of 4"
        assert len(model.summary_["history"]) == at // 120
        assert len(model.rules_)
        assert len(model.predict_many(data.test)) == 20


def test_restarts_differ_in_initial_weights() -> None:
    settings, queries = settings_of("paper", {"seed": 3}), [query([A, B], C)]
    runs = [Training(WORDS.with_invented(settings.invented), settings, queries, restart) for restart in (0, 0, 1)]
    weights = [run.trainer.evaluator().parameters["first.weight"] for run in runs if run.trainer is not None]
    assert np.array_equal(weights[0], weights[1])
    assert not np.isclose(weights[0], weights[2]).any()


def test_batch_size_is_bounded_by_the_states_of_an_epoch() -> None:
    queries = [query([A, B], C), query([C, A], D)] * 2
    settings = small(network=True, batch_size=100_000)
    training = Training(WORDS.with_invented(settings.invented), settings, queries)
    before = training.trainer.evaluator().parameters["first.weight"].copy()
    assert training.run_epoch().loss > 0
    assert not np.array_equal(training.trainer.evaluator().parameters["first.weight"], before)
