"""Episodes: merge pairs, chosen by search, until a path is one relation; many episodes in lock-step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from r5.agent.search import Forest
from r5.agent.settings import R5Settings
from r5.agent.state import Pairs, Paths, States

__all__ = ["MOST_PAIRS", "Episode", "Sample", "play"]

MOST_PAIRS = 1_000_000
"""Pairs in all trees, about 100 bytes each, beyond which the trees are dropped after a move and grown anew."""


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
    settings: R5Settings,
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
        forest.search(
            roots, settings.simulations, settings.exploration, lambda edges: states.expand(forest.tree, edges)
        )
        draws = np.zeros(roots.size) if rng is None else rng.random(roots.size)
        edges, policies = forest.choose(roots, draws, 0.0 if rng is None else settings.temperature)
        _note(episodes, active, states, edges)
        if rng is not None:
            _keep_samples(episodes, active, forest, states, roots, policies)
        going = ~states.ends(roots, edges)
        active, edges = active[going], edges[going]
        roots = _next_roots(forest, states, edges)
        if active.size and forest.tree.sizes[1] > MOST_PAIRS:
            forest.clear()
            roots = forest.add_roots(states.restart(roots))
    for episode, paths in zip(episodes, queries, strict=True):
        _finish(episode, paths)
    return episodes


def _add_noise(forest: Forest, roots: NDArray[np.int64], settings: R5Settings, rng: np.random.Generator) -> None:
    """Dirichlet noise on the priors of each root, for exploration."""
    for root in roots.tolist():
        count = int(forest.tree.actions[root])
        if count > 1 and settings.noise > 0:
            forest.add_noise(root, rng.dirichlet(np.full(count, settings.noise_shape)), settings.noise)


def _note(episodes: Sequence[Episode], active: NDArray[np.int64], states: States, edges: NDArray[np.int64]) -> None:
    """Write down the merges just chosen."""
    arrays = states.arrays
    merges = zip(arrays.left[edges].tolist(), arrays.right[edges].tolist(), arrays.head[edges].tolist(), strict=True)
    for number, merge in zip(active.tolist(), merges, strict=True):
        episodes[number].actions.append(merge)


def _keep_samples(
    episodes: Sequence[Episode],
    active: NDArray[np.int64],
    forest: Forest,
    states: States,
    roots: NDArray[np.int64],
    policies: NDArray[np.float64],
) -> None:
    """Keep what the network saw of each root, and the policy that search made of it."""
    counts = forest.tree.actions[roots]
    stops = np.cumsum(counts)
    places = np.arange(stops[-1]) + np.repeat(forest.tree.first[roots] - stops + counts, counts)
    seen = states.pairs(places, counts)
    for number, stop, count in zip(active.tolist(), stops.tolist(), counts.tolist(), strict=True):
        part = slice(stop - count, stop)
        pairs = Pairs(np.array([count], dtype=np.int32), seen.features[part], seen.left[part], seen.right[part])
        episodes[number].samples.append(Sample(pairs, policies[part]))


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
        pairs = list(pairwise(path))
        if (left, right) not in pairs:
            return None
        place = pairs.index((left, right))
        positions.append(place)
        path[place : place + 2] = [head]
    return positions
