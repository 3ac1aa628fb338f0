"""An episode played with the slow search over the slow states: the twin of `r5.agent.episode.play`."""

from __future__ import annotations

import numpy as np

from r5._util.kernels.elementary_kernels import exp
from r5.agent.settings import R5Settings
from r5.agent.state.states import Evaluator, Pairs
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
        settings: R5Settings,
        log_shares: dict[states.Pair, float] | None = None,
    ) -> None:
        self.target, self.rules, self.known, self.fresh, self.evaluate = target, rules, known, fresh, evaluate
        self.settings = settings
        self.log_shares = log_shares or {}
        self.met = {(): paths}
        self.log_share = {(): 0.0}

    def pairs(self, path: tuple[int, ...]) -> list[states.Pair]:
        return list(states.describe(self.met[path], self.rules, self.known, False))

    def step(self, path: tuple[int, ...]) -> None:
        """Make the state that a path of action numbers leads to."""
        if path not in self.met:
            pair = self.pairs(path[:-1])[path[-1]]
            head = self.rules[pair][0] if pair in self.rules else self.fresh
            self.met[path] = states.merged(self.met[path[:-1]], pair, head)
            self.log_share[path] = self.log_share[path[:-1]] + self.log_shares.get(pair, 0.0)

    def outcome(self, path: tuple[int, ...], pair: states.Pair) -> float | None:
        """The value of a merge whose end is certain, when nothing is charged for new bodies."""
        head = self.rules[pair][0] if pair in self.rules else None
        is_end = list(pair) in self.met[path]
        if not is_end and not (self.settings.solved_nodes and head is None):
            return None
        by_shares = self.settings.ending_value == "shares"
        if head is None or head >= self.known:
            return -1.0 if self.target < 0 and by_shares else 0.0
        if self.target >= 0:
            return 1.0 if head == self.target else -1.0
        if not by_shares:
            return 1.0
        mean = (self.log_share[path] + self.log_shares[pair]) / (len(path) + 1)
        return 2.0 * float(exp(mean)) - 1.0

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


def play(game: SlowEpisode, settings: R5Settings) -> list[states.Pair]:
    """The pairs merged when the best move is always taken."""
    how = search.Search(settings.simulations, settings.exploration, settings.solved_nodes, settings.free_visits)
    root = search.node_at((), game)
    merged: list[states.Pair] = []
    while True:
        how.run(root, game)
        policy = search.policy(root, settings.solved_nodes)
        move = policy.index(max(policy))
        pair = game.pairs(root.path)[move]
        merged.append(pair)
        if list(pair) in game.met[root.path]:
            return merged
        root = root.edges[move].node or search.node_at((*root.path, move), game)
