"""Episodes (Section 2.1): search chooses pairs to merge until a path is one relation; many episodes in lock-step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from r5.agent.search.forest import Forest
from r5.agent.settings import R5Settings
from r5.agent.state.states import Pairs, Paths, States

__all__ = ["MAX_PAIRS", "Episode", "Sample", "play"]

MAX_PAIRS = 1_000_000
"""Pairs in all trees, about 100 bytes each, above which the trees are dropped after a move and grown anew."""


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """One state of an episode with the policy of the search: a training example of the network without its reward."""

    pairs: Pairs
    policy: NDArray[np.float64]
    """[pairs], pi."""


@dataclass(slots=True)
class Episode:
    """Merges of one episode, on the path that became one relation."""

    path: int = -1
    """Index of that path among the query's paths."""
    positions: list[int] = field(default_factory=list)
    """Place of the pair that each step merges."""
    actions: list[tuple[int, int, int]] = field(default_factory=list)
    """Left, right and head of each merge by the memory at the time of the episode."""
    samples: list[Sample] = field(default_factory=list)
    """States with policies, in training only."""

    @property
    def result(self) -> int:
        """r, the relation at the end."""
        return self.actions[-1][2]


def play(
    states: States,
    forest: Forest,
    queries: Sequence[Paths],
    targets: Sequence[int],
    settings: R5Settings,
    rng: np.random.Generator | None,
) -> list[Episode]:
    """Play one episode for each query; the memory does not change meanwhile.

    Args:
        states: States, with the memory and the evaluator.
        forest: Search trees; they are kept from move to move.
        queries: Paths of each query, of two relations or more.
        targets: y of each query; -1 where search does not see it.
        settings: Simulations, exploration, temperature and noise.
        rng: Random generator for noise and the draw of moves; None plays the move with the largest pi.

    Returns:
        The episodes, in the order of the queries.
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
        _record_actions(episodes, active, states, edges)
        if rng is not None:
            _record_samples([episodes[number] for number in active.tolist()], forest, states, roots, policies)
        continues = ~states.ends(roots, edges)
        active, edges = active[continues], edges[continues]
        roots = _next_roots(forest, states, edges)
        if active.size and forest.tree.sizes[1] > MAX_PAIRS:
            forest.clear()
            roots = forest.add_roots(states.restart(roots))
    for episode, paths in zip(episodes, queries, strict=True):
        _locate(episode, paths)
    return episodes


def _add_noise(forest: Forest, roots: NDArray[np.int64], settings: R5Settings, rng: np.random.Generator) -> None:
    """Mix Dirichlet noise into the priors of each root."""
    for root in roots.tolist():
        count = int(forest.tree.actions[root])
        if count > 1 and settings.dirichlet_fraction > 0:
            noise = rng.dirichlet(np.full(count, settings.dirichlet_alpha))
            forest.add_noise(root, noise, settings.dirichlet_fraction)


def _record_actions(
    episodes: Sequence[Episode], active: NDArray[np.int64], states: States, edges: NDArray[np.int64]
) -> None:
    """Append the merges just chosen to the active episodes."""
    arrays = states.arrays
    merges = zip(arrays.left[edges].tolist(), arrays.right[edges].tolist(), arrays.head[edges].tolist(), strict=True)
    for number, merge in zip(active.tolist(), merges, strict=True):
        episodes[number].actions.append(merge)


def _record_samples(
    episodes: Sequence[Episode],
    forest: Forest,
    states: States,
    roots: NDArray[np.int64],
    policies: NDArray[np.float64],
) -> None:
    """Append the pairs of each root and the policy of the search to its episode."""
    counts = forest.tree.actions[roots]
    stops = np.cumsum(counts)
    edges = np.arange(stops[-1]) + np.repeat(forest.tree.first[roots] - stops + counts, counts)
    seen = states.pairs(edges, counts)
    for episode, stop, count in zip(episodes, stops.tolist(), counts.tolist(), strict=True):
        part = slice(stop - count, stop)
        pairs = Pairs(np.array([count], dtype=np.int32), seen.features[part], seen.left[part], seen.right[part])
        episode.samples.append(Sample(pairs, policies[part]))


def _next_roots(forest: Forest, states: States, edges: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the nodes behind the moves played, [edges]; nodes that are not in the trees yet are added."""
    missing = edges[forest.tree.child[edges] < 0]
    if missing.size:
        forest.add_roots(states.expand(forest.tree, missing), missing)
    return forest.tree.child[edges].astype(np.int64)


def _locate(episode: Episode, paths: Paths) -> None:
    """Set the path that the actions merge into one relation, and the positions of the merges on it."""
    for number, path in enumerate(paths):
        positions = _positions(list(path), episode.actions)
        if positions is not None:
            episode.path, episode.positions = number, positions
            return


def _positions(path: list[int], actions: Sequence[tuple[int, int, int]]) -> list[int] | None:
    """Return the first place of each action's pair on the path at that step; None where the actions do not fit."""
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
