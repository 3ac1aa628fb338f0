"""Episodes in lock-step: each equals that of the slow twin, independent of the others."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from r5.agent.beyond.rule_shares import log_shares as rule_log_shares
from r5.agent.episode import play
from r5.agent.presets import settings_of
from r5.agent.search.forest import Forest
from r5.agent.settings import R5Settings
from r5.agent.state.states import uniform
from tests.agent.state.test_states import INVENTED, KNOWN, path_sets, rule_tables, states_with
from tests.oracle import episode as slow
from tests.oracle.states import Pair

TUNED = settings_of("tuned", {"simulations": 20})
FIXED = replace(TUNED, simulations=25, temperature=0.0)
PAPER = replace(FIXED, solved_nodes=False, free_visits=0, ending_value="known")


def forest_of(options: R5Settings) -> Forest:
    return Forest(options.solved_nodes, options.free_visits)


@settings(max_examples=80, deadline=None)
@given(
    queries=st.lists(path_sets, min_size=1, max_size=4),
    rules=rule_tables,
    target=st.integers(-1, KNOWN - 1),
    options=st.sampled_from(
        [FIXED, PAPER, replace(FIXED, ending_value="known"), replace(PAPER, ending_value="shares")]
    ),
)
def test_merges_equal_those_of_the_slow_twin(
    queries: list[list[list[int]]], rules: dict[Pair, tuple[int, float]], target: int, options: R5Settings
) -> None:
    states = states_with(rules, options)
    found = play(states, forest_of(options), queries, [target] * len(queries), options, None)
    log_shares = dict(zip(rules, rule_log_shares(states.memory).tolist(), strict=True))
    for episode, paths in zip(found, queries, strict=True):
        game = slow.SlowEpisode(paths, target, rules, KNOWN, KNOWN + INVENTED, uniform, options, log_shares)
        assert [action[:2] for action in episode.actions] == slow.play(game, options)
        assert not episode.samples


def test_positions_refer_to_the_path_that_became_one_relation() -> None:
    rules = {(0, 1): (2, 1.0), (2, 2): (3, 1.0)}
    (episode,) = play(states_with(rules), forest_of(FIXED), [[[1, 1, 1], [0, 1, 0, 1]]], [3], FIXED, None)
    assert episode.path == 1
    assert episode.actions == [(0, 1, 2), (0, 1, 2), (2, 2, 3)]
    assert episode.positions == [0, 1, 0]
    assert episode.result == 3


def test_training_episodes_record_states_and_policies() -> None:
    rules = {(0, 1): (2, 1.0), (2, 3): (3, 1.0)}
    states = states_with(rules)
    (episode,) = play(states, forest_of(FIXED), [[[0, 1, 3]]], [3], TUNED, np.random.default_rng(0))
    assert [sample.policy.tolist() for sample in episode.samples] == [[1.0, 0.0], [1.0]]
    assert [sample.pairs.left.tolist() for sample in episode.samples] == [[0, 1], [2]]


@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_temperature_zero_plays_the_most_visited_move(temperature: float) -> None:
    # Without rules both first moves have the same value.
    chosen = set()
    for seed in range(30):
        rng = np.random.default_rng(seed)
        options = replace(TUNED, temperature=temperature, dirichlet_fraction=0.0)
        (episode,) = play(states_with({}), forest_of(options), [[[0, 1, 3]]], [3], options, rng)
        chosen.add(episode.actions[0][:2])
    assert chosen == ({(0, 1)} if temperature == 0 else {(0, 1), (1, 3)})


def test_dropping_trees_does_not_change_results(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = {(left, right): ((left + right) % KNOWN, 1.0) for left in range(KNOWN) for right in range(KNOWN)}
    paths = [[[1, 2, 3, 1, 2, 3, 1]], [[3, 3, 3, 3]]]
    whole = play(states_with(rules), forest_of(FIXED), paths, [1, 0], FIXED, None)
    monkeypatch.setattr("r5.agent.episode.MAX_PAIRS", 0)
    bounded = play(states_with(rules), forest_of(FIXED), paths, [1, 0], FIXED, None)
    # In this group every order leads to the sum of the path.
    assert [episode.result for episode in whole] == [episode.result for episode in bounded] == [1, 0]
