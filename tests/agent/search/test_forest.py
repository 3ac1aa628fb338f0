"""Tree search: equal to its slow twin, and right on trees with a known best arm."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from r5.agent.search.forest import Forest
from r5.agent.search.tree_kernels import Expansion
from tests.oracle import search as slow


class RandomGame:
    """Tree with shape, priors and outcomes drawn from the path of actions and a seed."""

    def __init__(self, seed: int, depth: int) -> None:
        self.seed = seed
        self.depth = depth

    def __call__(self, path: tuple[int, ...]) -> tuple[slow.Actions, float]:
        rng = np.random.default_rng([self.seed, len(path), *path])
        count = int(rng.integers(1, 5))
        priors = rng.dirichlet(np.ones(count)).tolist()
        ends = len(path) == self.depth - 1
        outcomes = [float(rng.integers(-1, 2)) if ends or rng.random() < 0.2 else None for _ in range(count)]
        return list(zip(priors, outcomes, strict=True)), float(rng.uniform(-1, 1))


class Player:
    """Evaluator of a forest that keeps the action path of each node of a game."""

    def __init__(self, forest: Forest, games: list[RandomGame]) -> None:
        self.forest = forest
        self.games = games
        self.nodes = [(game, ()) for game in games]

    def describe(self, nodes: list[tuple[RandomGame, tuple[int, ...]]]) -> Expansion:
        found = [game(path) for game, path in nodes]
        actions = [action for part, _ in found for action in part]
        return Expansion(
            np.array([len(part) for part, _ in found], dtype=np.int32),
            np.array([prior for prior, _ in actions]),
            np.array([np.nan if outcome is None else outcome for _, outcome in actions]),
            np.array([value for _, value in found]),
        )

    def __call__(self, edges: np.ndarray) -> Expansion:
        tree = self.forest.tree
        new = []
        for edge in edges.tolist():
            owner = int(tree.owner[edge])
            game, path = self.nodes[owner]
            new.append((game, (*path, edge - int(tree.first[owner]))))
        self.nodes += new
        return self.describe(new)


def visits(forest: Forest, node: int) -> list[object]:
    """The visit counts below a node, nested as the tree is."""
    tree = forest.tree
    return [
        (int(tree.visits[e]), float(tree.total[e]), visits(forest, int(tree.child[e])) if tree.child[e] >= 0 else None)
        for e in range(forest.edges(node).start, forest.edges(node).stop)
    ]


def slow_visits(node: slow.Node) -> list[object]:
    return [(e.visits, e.total, slow_visits(e.node) if e.node else None) for e in node.edges]


@settings(max_examples=80, deadline=None)
@given(
    seeds=st.lists(st.integers(0, 10_000), min_size=1, max_size=4),
    depth=st.integers(1, 6),
    options=st.builds(
        slow.Search,
        simulations=st.integers(1, 80),
        exploration=st.sampled_from([0.5, 2.0, 10.0]),
        solving=st.booleans(),
        free_visits=st.sampled_from([0, 3, 100]),
    ),
)
def test_visits_equal_those_of_the_slow_twin(seeds: list[int], depth: int, options: slow.Search) -> None:
    games = [RandomGame(seed, depth) for seed in seeds]
    forest = Forest(options.solving, options.free_visits)
    player = Player(forest, games)
    roots = forest.add_roots(player.describe(player.nodes))
    forest.search(roots, options.simulations, options.exploration, player)
    policies = forest.choose(roots, np.zeros(roots.size), 0.0)[1].tolist()
    for root, game in zip(roots.tolist(), games, strict=True):
        twin = slow.node_at((), game)
        options.run(twin, game)
        assert visits(forest, root) == slow_visits(twin)
        expected = slow.policy(twin, options.solving)
        assert policies[: len(expected)] == expected
        del policies[: len(expected)]


def bandit(path: tuple[int, ...]) -> tuple[slow.Actions, float]:
    """Two arms; the left one looks better at first, the right one hides a win two steps down."""
    if path == (1, 0):
        return [(0.5, 1.0), (0.5, -1.0)], 0.0
    if len(path) == 2:
        return [(0.5, -1.0), (0.5, 0.0)], 0.0
    return [(0.5, None), (0.5, None)], 0.2 if path == (0,) else 0.0


def policy(forest: Forest, root: int = 0) -> list[float]:
    return forest.choose(np.array([root]), np.zeros(1), 0.0)[1].tolist()


def test_solved_search_finds_the_better_arm() -> None:
    forest = Forest(solving=True, free_visits=100)
    player = Player(forest, [bandit])
    roots = forest.add_roots(player.describe(player.nodes))
    forest.search(roots, 100, 1.0, player)
    assert policy(forest) == [0.0, 1.0]
    assert forest.tree.outcome[forest.edges(0)].tolist() == [0.0, 1.0]


def test_paper_search_counts_every_simulation() -> None:
    forest = Forest()
    player = Player(forest, [bandit])
    roots = forest.add_roots(player.describe(player.nodes))
    forest.search(roots, 100, 1.0, player)
    assert forest.tree.visits[forest.edges(0)].sum() == 100
    left, right = policy(forest)
    assert 0.0 < left < 0.2
    assert right == pytest.approx(1.0 - left)
    assert np.isnan(forest.tree.outcome[forest.edges(0)]).all()


def test_solved_root_plays_its_best_actions() -> None:
    forest = Forest(solving=True, free_visits=100)
    expansion = Expansion(
        np.array([3], dtype=np.int32), np.array([0.8, 0.1, 0.1]), np.array([-1.0, 1.0, 1.0]), np.zeros(1)
    )
    (root,) = forest.add_roots(expansion)
    # Without visits the best actions share the probability.
    assert policy(forest, root) == [0.0, 0.5, 0.5]
    forest.search(np.array([root]), 200, 10.0, lambda edges: pytest.fail("nothing is left to expand"))
    assert policy(forest, root)[0] == 0.0
    assert forest.tree.visits[:3].sum() == 200


@pytest.mark.parametrize("temperature", [1e-3, 1e-9])
def test_small_temperature_plays_the_most_visited_action(temperature: float) -> None:
    """All powers of the visit shares underflow; the largest still wins for every draw."""
    forest = Forest()
    forest.add_roots(Expansion(np.array([3], dtype=np.int32), np.full(3, 1 / 3), np.full(3, np.nan), np.zeros(1)))
    forest.tree.visits[:3] = [4, 6, 3]
    for draw in (1e-12, 0.5, 0.999):
        edges, policies = forest.choose(np.zeros(1, dtype=np.int64), np.array([draw]), temperature)
        assert edges.tolist() == [1]
    assert policies.tolist() == pytest.approx([4 / 13, 6 / 13, 3 / 13])


def test_noise_is_mixed_into_priors() -> None:
    forest = Forest()
    forest.add_roots(Expansion(np.array([2], dtype=np.int32), np.array([0.9, 0.1]), np.full(2, np.nan), np.zeros(1)))
    forest.add_noise(0, np.array([0.0, 1.0]), 0.1)
    assert forest.tree.prior[:2].tolist() == pytest.approx([0.81, 0.19])


def test_trees_grow_beyond_their_first_arrays() -> None:
    def endless(path: tuple[int, ...]) -> tuple[slow.Actions, float]:
        return [(0.5, None), (0.25, None), (0.25, None)], 0.1 * len(path) * (-1) ** sum(path)

    forest = Forest()
    player = Player(forest, [endless] * 8)
    roots = forest.add_roots(player.describe(player.nodes))
    forest.search(roots, 400, 2.0, player)
    assert forest.tree.sizes[0] > 1024
    assert visits(forest, 0) == visits(forest, 1)
    forest.clear()
    assert forest.tree.sizes.tolist() == [0, 0]
