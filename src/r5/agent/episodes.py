"""Episodes: merge pairs, chosen by search, until a path is one relation; many episodes in lock-step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from r5.agent.search import Forest
from r5.agent.settings import Settings
from r5.agent.state import Pairs, Paths, States

__all__ = ["Episode", "Sample", "play"]


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """A state on the way and the policy that search found for it: what the network learns from."""

    pairs: Pairs
    policy: NDArray[np.float64]  # pi, [pairs]


@dataclass(slots=True)
class Episode:
    """The merges of one episode, told on the path that became one relation."""

    path: int = -1
    """Which of the query's paths it was."""
    positions: list[int] = field(default_factory=list)
    actions: list[tuple[int, int, int]] = field(default_factory=list)
    """Left, right and head of each merge, as the memory was when the episode was played."""
    samples: list[Sample] = field(default_factory=list)

    @property
    def result(self) -> int:
        """The relation at the end."""
        return self.actions[-1][2]


def play(
    states: States,
    forest: Forest,
    queries: Sequence[Paths],
    targets: Sequence[int],
    settings: Settings,
    rng: np.random.Generator | None,
) -> list[Episode]:
    """Play one episode for each query; with a generator as in training, without by the best moves only.

    The memory stays as it is meanwhile. Trees are kept from move to move.
    """
    forest.clear()
    roots = forest.add_roots(states.start(queries, targets))
    episodes = [Episode() for _ in queries]
    active = np.arange(len(queries))
    while active.size:
        if rng is not None:
            _add_noise(forest, roots, settings, rng)
        forest.search(roots, settings.simulations, settings.exploration, lambda edges: states.expand(forest.tree, edges))
        edges = np.empty(roots.size, dtype=np.int64)
        going = np.ones(roots.size, dtype=bool)
        for place, (number, root) in enumerate(zip(active.tolist(), roots.tolist(), strict=True)):
            edge = _choose(forest, states, root, episodes[number], settings, rng)
            edges[place] = edge
            ended = _ended(states, root, edge)
            if ended:
                _finish(episodes[number], queries[number])
                going[place] = False
        active, edges = active[going], edges[going]
        roots = _next_roots(forest, states, edges)
    return episodes


def _add_noise(forest: Forest, roots: NDArray[np.int64], settings: Settings, rng: np.random.Generator) -> None:
    """Dirichlet noise on the priors of each root, for exploration."""
    for root in roots.tolist():
        count = int(forest.tree.count[root])
        if count > 1 and settings.noise > 0:
            forest.add_noise(root, rng.dirichlet(np.full(count, settings.noise_shape)), settings.noise)


def _choose(
    forest: Forest, states: States, root: int, episode: Episode, settings: Settings, rng: np.random.Generator | None
) -> int:
    """Draw a move from the improved policy (or take its best) and note it; returns its edge."""
    policy = forest.policy(root)
    edges = forest.edges(root)
    if rng is None or settings.temperature == 0:
        move = int(policy.argmax())
    else:
        weights = policy ** (1 / settings.temperature)
        move = int(np.searchsorted(np.cumsum(weights), rng.random() * weights.sum(), side="right"))
        move = min(move, policy.size - 1)
    if rng is not None:
        pairs = states.pairs(edges, np.array([policy.size], dtype=np.int32))
        episode.samples.append(Sample(Pairs(pairs.counts, pairs.features.copy(), pairs.left, pairs.right), policy))
    edge = edges.start + move
    arrays = states.arrays
    episode.actions.append((int(arrays.left[edge]), int(arrays.right[edge]), int(arrays.head[edge])))
    return edge


def _ended(states: States, node: int, edge: int) -> bool:
    """Whether this merge leaves a path of one relation."""
    return bool(kernels_is_whole(states, node, edge))


def kernels_is_whole(states: States, node: int, edge: int) -> bool:
    pair = [int(states.arrays.left[edge]), int(states.arrays.right[edge])]
    return pair in states.paths_of(node)


def _next_roots(forest: Forest, states: States, edges: NDArray[np.int64]) -> NDArray[np.int64]:
    """The nodes behind the moves played; those not in the trees yet are made now."""
    missing = edges[forest.tree.child[edges] < 0]
    if missing.size:
        forest.add_roots(states.expand(forest.tree, missing), missing)
    return forest.tree.child[edges].astype(np.int64)


def _finish(episode: Episode, paths: Paths) -> None:
    """Find the path that the actions merge into one relation, and where on it they took place."""
    for number, path in enumerate(paths):
        positions = _positions(list(path), episode.actions)
        if positions is not None:
            episode.path, episode.positions = number, positions
            return


def _positions(path: list[int], actions: Sequence[tuple[int, int, int]]) -> list[int] | None:
    """Where each action's pair first stands on the path as it then is; None where the path lacks it or is longer."""
    if len(path) != len(actions) + 1:
        return None
    positions = []
    for left, right, head in actions:
        pairs = list(zip(path, path[1:], strict=False))
        if (left, right) not in pairs:
            return None
        place = pairs.index((left, right))
        positions.append(place)
        path[place : place + 2] = [head]
    return positions
