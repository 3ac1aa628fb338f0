"""States: pairs, features, merges and certain outcomes equal those of the slow twin."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from r5.agent.memory.rule_memory import RuleMemory
from r5.agent.presets import settings_of
from r5.agent.search.forest import Forest
from r5.agent.settings import R5Settings
from r5.agent.state.states import States, uniform
from r5.relations import Vocabulary
from tests.oracle import states as slow
from tests.oracle.episode import SlowEpisode

KNOWN, INVENTED = 4, 2
TUNED = settings_of("tuned", {})


def states_with(rules: dict[slow.Pair, tuple[int, float]], options: R5Settings | None = None) -> States:
    words = Vocabulary(tuple("abcd")).with_invented(INVENTED)
    memory = RuleMemory(words, R5Settings(invented=INVENTED))
    memory.replace([(body, head, score, 0) for body, (head, score) in rules.items()])
    return States(memory, uniform, options or TUNED)


pairs = st.tuples(st.integers(0, KNOWN + INVENTED - 1), st.integers(0, KNOWN + INVENTED - 1))
rule_tables = st.dictionaries(pairs, st.tuples(st.integers(0, KNOWN + INVENTED - 1), st.floats(-1, 30)), max_size=12)
path_sets = st.lists(st.lists(st.integers(-1, KNOWN - 1), min_size=2, max_size=7), min_size=1, max_size=4)


@settings(max_examples=80, deadline=None)
@given(
    queries=st.lists(path_sets, min_size=1, max_size=3),
    rules=rule_tables,
    options=st.builds(R5Settings, extra_features=st.booleans(), solved_nodes=st.booleans()),
    data=st.data(),
)
def test_descriptions_equal_those_of_the_slow_twin(
    queries: list[list[list[int]]], rules: dict[slow.Pair, tuple[int, float]], options: R5Settings, data: st.DataObject
) -> None:
    states = states_with(rules, options)
    forest = Forest()
    targets = [data.draw(st.integers(0, KNOWN - 1)) for _ in queries]
    found = states.start(queries, targets)
    roots = forest.add_roots(found)
    for root, paths, target in zip(roots.tolist(), queries, targets, strict=True):
        check(states, forest, root, paths, target, rules, options)
        edges = forest.edges(root)
        edge = data.draw(st.integers(edges.start, edges.stop - 1))
        pair = (int(states.arrays.left[edge]), int(states.arrays.right[edge]))
        head = int(states.arrays.head[edge])
        after = slow.merged(paths, pair, head)
        if min(map(len, after)) > 1:
            node = int(forest.add_roots(states.expand(forest.tree, np.array([edge])), np.array([edge]))[0])
            assert states.paths_of(node) == after
            check(states, forest, node, after, target, rules, options)


def check(
    states: States,
    forest: Forest,
    node: int,
    paths: list[list[int]],
    target: int,
    rules: dict[slow.Pair, tuple[int, float]],
    options: R5Settings,
) -> None:
    edges = forest.edges(node)
    wanted = slow.describe(paths, rules, KNOWN, options.extra_features)
    game = SlowEpisode(paths, target, rules, KNOWN, KNOWN + INVENTED, uniform, options)
    arrays = states.arrays
    assert list(zip(arrays.left[edges].tolist(), arrays.right[edges].tolist(), strict=True)) == list(wanted)
    np.testing.assert_allclose(arrays.features[edges], np.array(list(wanted.values())), rtol=1e-6, atol=1e-30)
    for pair, outcome in zip(wanted, forest.tree.outcome[edges].tolist(), strict=True):
        assert (None if math.isnan(outcome) else outcome) == game.outcome((), pair)


def test_without_target_an_end_has_the_value_of_its_rule_shares() -> None:
    states = states_with({(0, 1): (2, 3.0), (1, 1): (2, 1.0), (1, 0): (4, 1.0)})
    outcomes = states.start([[[0, 1]], [[1, 1]], [[1, 0]], [[3, 3]]], [-1] * 4).outcomes
    assert outcomes.tolist() == pytest.approx([2 * 0.75 - 1, 2 * 0.25 - 1, -1.0, -1.0])


def test_without_target_the_paper_values_known_relations_1_and_invented_0() -> None:
    options = R5Settings(solved_nodes=False, ending_value="known")
    states = states_with({(0, 1): (2, 3.0), (1, 1): (2, 1.0), (1, 0): (4, 1.0)}, options)
    outcomes = states.start([[[0, 1]], [[1, 1]], [[1, 0]], [[3, 3]], [[3, 3, 3]]], [-1] * 5).outcomes
    assert outcomes[:4].tolist() == [1.0, 1.0, 0.0, 0.0]
    assert math.isnan(outcomes[4])


def test_invented_relations_share_one_type_and_unseen_ones_another() -> None:
    states = states_with({})
    states.start([[[0, -1, 3]]], [1])
    pairs = states.pairs(slice(0, 2), np.array([2], dtype=np.int32))
    assert pairs.left.tolist() == [0, KNOWN + 1]
    assert pairs.right.tolist() == [KNOWN + 1, 3]
    states.start([[[4, 5, 6]]], [1])
    assert states.pairs(slice(0, 2), np.array([2], dtype=np.int32)).left.tolist() == [KNOWN, KNOWN]


def test_memory_use_does_not_depend_on_the_number_of_relations() -> None:
    words = Vocabulary(tuple(f"r{i}" for i in range(10_000))).with_invented(1)
    states = States(RuleMemory(words, R5Settings(invented=1)), uniform, R5Settings(invented=1))
    found = states.start([[list(range(0, 10_000, 50))]], [3])
    assert found.counts.tolist() == [199]
    assert states.arrays.features.nbytes < 1_000_000


def test_restart_keeps_states_and_shares() -> None:
    states = states_with({(0, 1): (2, 3.0), (1, 1): (2, 1.0), (2, 3): (0, 1.0)})
    forest = Forest()
    forest.add_roots(states.start([[[0, 1, 3]]], [-1]))
    (node,) = forest.add_roots(states.expand(forest.tree, np.array([0])), np.array([0]))
    before = forest.tree.outcome[forest.edges(int(node))].copy()
    forest.clear()
    (root,) = forest.add_roots(states.restart(np.array([node])))
    assert states.paths_of(int(root)) == [[2, 3]]
    assert forest.tree.outcome[forest.edges(int(root))].tolist() == before.tolist()
    assert before[0] == pytest.approx(2 * math.sqrt(0.75 * 1.0) - 1)
