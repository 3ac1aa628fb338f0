"""An episode played with the slow search over the slow states: the twin of `r5.agent.episodes.play`."""

from __future__ import annotations

import math

import numpy as np

from r5.agent.settings import Settings
from r5.agent.state import Evaluator, Pairs
from tests.oracle import search, states

Rules = dict[states.Pair, tuple[int, float]]


class SlowEpisode:
    """One query, its target (-1: it is asked for), and all that search asks about it."""

    def __init__(
        self,
        paths: list[list[int]],
        target: int,
        rules: Rules,
        known: int,
        fresh: int,
        evaluate: Evaluator,
        merits: dict[states.Pair, float] | None = None,
    ) -> None:
        self.target, self.rules, self.known, self.fresh, self.evaluate = target, rules, known, fresh, evaluate
        self.merits = merits or {}
        self.met = {(): paths}
        self.merit = {(): 0.0}

    def pairs(self, path: tuple[int, ...]) -> list[states.Pair]:
        return list(states.describe(self.met[path], self.rules, self.known, False))

    def step(self, path: tuple[int, ...]) -> None:
        """Make the state that a path of action numbers leads to."""
        if path not in self.met:
            pair = self.pairs(path[:-1])[path[-1]]
            head = self.rules[pair][0] if pair in self.rules else self.fresh
            self.met[path] = states.merged(self.met[path[:-1]], pair, head)
            self.merit[path] = self.merit[path[:-1]] + self.merits.get(pair, 0.0)

    def outcome(self, path: tuple[int, ...], pair: states.Pair) -> float | None:
        """The reward where the end is certain; without a target, what the rules used are worth."""
        head = self.rules[pair][0] if pair in self.rules else None
        if self.target >= 0:
            return states.outcome(self.met[path], pair, head, self.target, self.known)
        if head is None:
            return -1.0
        if list(pair) not in self.met[path]:
            return None
        mean = (self.merit[path] + self.merits[pair]) / (len(path) + 1)
        return 2.0 * math.exp(mean) - 1.0 if head < self.known else -1.0

    def __call__(self, path: tuple[int, ...]) -> tuple[search.Actions, float]:
        self.step(path)
        described = states.describe(self.met[path], self.rules, self.known, False)
        types = np.array([[min(r, self.known) if r >= 0 else self.known + 1 for r in pair] for pair in described])
        features = np.array(list(described.values()), dtype=np.float32)
        counts = np.array([len(described)], dtype=np.int32)
        left, right = types.astype(np.int32).T
        priors, values = self.evaluate(Pairs(counts, features, left.copy(), right.copy()))
        outcomes = [self.outcome(path, pair) for pair in described]
        return list(zip(priors.tolist(), outcomes, strict=True)), float(values[0])


def play(game: SlowEpisode, settings: Settings) -> list[states.Pair]:
    """The pairs merged when the best move is always taken."""
    root = search.node_at((), game)
    merged: list[states.Pair] = []
    while True:
        search.search(root, settings.simulations, settings.exploration, game)
        move = best_move(root)
        pair = game.pairs(root.path)[move]
        merged.append(pair)
        if list(pair) in game.met[root.path]:
            return merged
        root = root.edges[move].node or search.node_at((*root.path, move), game)


def best_move(node: search.Node) -> int:
    """The most visited action; of a solved node, among its best ones."""
    weights = [float(edge.visits) for edge in node.edges]
    if node.solved is not None:
        best = [edge.outcome == node.solved for edge in node.edges]
        visited = [weight * is_best for weight, is_best in zip(weights, best, strict=True)]
        weights = visited if any(visited) else [float(is_best) for is_best in best]
    return weights.index(max(weights))
