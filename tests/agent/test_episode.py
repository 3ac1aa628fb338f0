"""Episodes in lock-step: each equal to the slow twin's, whatever others are played beside it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from r5.agent.beyond.shares import log_shares as shares_of
from r5.agent.episode import play
from r5.agent.presets import settings_of
from r5.agent.search import Forest
from r5.agent.settings import R5Settings
from r5.agent.state import uniform
from tests.agent.test_state import INVENTED, KNOWN, path_sets, rule_tables, states_with
from tests.oracle import episode as slow
from tests.oracle.states import Pair

TUNED = settings_of("tuned", {"simulations": 20})
STILL = replace(TUNED, simulations=25, temperature=0.0)
PAPER = replace(STILL, solved_nodes=False, free_visits=0, ending_value="known")


def forest_of(how: R5Settings) -> Forest:
    return Forest(how.solved_nodes, how.free_visits)


@settings(max_examples=80, deadline=None)
@given(
    queries=st.lists(path_sets, min_size=1, max_size=4),
    rules=rule_tables,
    target=st.integers(-1, KNOWN - 1),
    how=st.sampled_from([STILL, PAPER, replace(STILL, ending_value="known"), replace(PAPER, ending_value="shares")]),
)
def test_agrees_with_the_slow_twin(
    queries: list[list[list[int]]], rules: dict[Pair, tuple[int, float]], target: int, how: R5Settings
) -> None:
    states = states_with(rules, how)
    found = play(states, forest_of(how), queries, [target] * len(queries), how, None)
    log_shares = dict(zip(rules, shares_of(states.memory).tolist(), strict=True))
    for episode, paths in zip(found, queries, strict=True):
        game = slow.SlowEpisode(paths, target, rules, KNOWN, KNOWN + INVENTED, uniform, how, log_shares)
        assert [action[:2] for action in episode.actions] == slow.play(game, how)
        assert not episode.samples


def test_positions_are_told_on_the_path_that_became_one_relation() -> None:
    rules = {(0, 1): (2, 1.0), (2, 2): (3, 1.0)}
    (episode,) = play(states_with(rules), forest_of(STILL), [[[1, 1, 1], [0, 1, 0, 1]]], [3], STILL, None)
    assert episode.path == 1
    assert episode.actions == [(0, 1, 2), (0, 1, 2), (2, 2, 3)]
    assert episode.positions == [0, 1, 0]
    assert episode.result == 3


def test_training_episodes_keep_what_the_network_learns_from() -> None:
    rules = {(0, 1): (2, 1.0), (2, 3): (3, 1.0)}
    states = states_with(rules)
    (episode,) = play(states, forest_of(STILL), [[[0, 1, 3]]], [3], TUNED, np.random.default_rng(0))
    assert [sample.policy.tolist() for sample in episode.samples] == [[1.0, 0.0], [1.0]]
    assert [sample.pairs.left.tolist() for sample in episode.samples] == [[0, 1], [2]]


@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_moves_are_drawn_by_visits_only_where_the_temperature_says_so(temperature: float) -> None:
    # Nothing is known: both first moves are equally good.
    chosen = set()
    for seed in range(30):
        rng = np.random.default_rng(seed)
        options = replace(TUNED, temperature=temperature, noise=0.0)
        (episode,) = play(states_with({}), forest_of(options), [[[0, 1, 3]]], [3], options, rng)
        chosen.add(episode.actions[0][:2])
    assert chosen == ({(0, 1)} if temperature == 0 else {(0, 1), (1, 3)})


def test_a_small_bound_on_the_trees_changes_no_result(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = {(left, right): ((left + right) % KNOWN, 1.0) for left in range(KNOWN) for right in range(KNOWN)}
    paths = [[[1, 2, 3, 1, 2, 3, 1]], [[3, 3, 3, 3]]]
    whole = play(states_with(rules), forest_of(STILL), paths, [1, 0], STILL, None)
    monkeypatch.setattr("r5.agent.episode.MOST_PAIRS", 0)
    bounded = play(states_with(rules), forest_of(STILL), paths, [1, 0], STILL, None)
    # In this group every order leads to the sum of the path.
    assert [episode.result for episode in whole] == [episode.result for episode in bounded] == [1, 0]
