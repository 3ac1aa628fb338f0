"""ReplayBuffer: the most recent states with the policy pi of the search and the reward z of the episode."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from r5.agent.state.states import Pairs

__all__ = ["Batch", "ReplayBuffer"]


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """States to learn from; the pairs of each state follow those of the state before."""

    counts: NDArray[np.int32]
    """[states], number of pairs."""
    features: NDArray[np.float32]
    """[pairs, FEATURES]."""
    left: NDArray[np.int32]
    """[pairs], type of the first relation."""
    right: NDArray[np.int32]
    """[pairs], type of the second relation."""
    policies: NDArray[np.float32]
    """[pairs], pi."""
    rewards: NDArray[np.float32]
    """[states], z."""


class ReplayBuffer:
    """Ring buffer of the last `size` states; a state takes about 60 bytes a pair."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._states: list[tuple[Pairs, NDArray[np.float32], float]] = []
        self._next = 0

    def __len__(self) -> int:
        return len(self._states)

    def add(self, pairs: Pairs, policy: NDArray[np.float64], reward: float) -> None:
        """Add one state; a full buffer drops its oldest state.

        Args:
            pairs: Pairs of the state.
            policy: pi, [pairs].
            reward: z.
        """
        item = (pairs, policy.astype(np.float32), reward)
        if len(self._states) < self.size:
            self._states.append(item)
        else:
            self._states[self._next] = item
        self._next = (self._next + 1) % self.size

    def sample(self, count: int, rng: np.random.Generator) -> Batch:
        """Return at most `count` states drawn without replacement."""
        chosen = rng.choice(len(self._states), min(count, len(self._states)), replace=False)
        return self._batch([self._states[i] for i in chosen])

    def contents(self) -> tuple[Batch, int]:
        """Return all states and the place of the next one, for a checkpoint."""
        return self._batch(self._states), self._next

    def restore(self, batch: Batch, next_place: int) -> None:
        """Restore the state that `contents` returned."""
        stops = np.cumsum(batch.counts)
        self._states = []
        for stop, count, reward in zip(stops.tolist(), batch.counts.tolist(), batch.rewards.tolist(), strict=True):
            part = slice(stop - count, stop)
            counts = np.array([count], dtype=np.int32)
            pairs = Pairs(counts, batch.features[part], batch.left[part], batch.right[part])
            self._states.append((pairs, batch.policies[part], reward))
        self._next = next_place

    @staticmethod
    def _batch(states: list[tuple[Pairs, NDArray[np.float32], float]]) -> Batch:
        return Batch(
            counts=np.array([pairs.left.size for pairs, _, _ in states], dtype=np.int32),
            features=np.concatenate([pairs.features for pairs, _, _ in states]),
            left=np.concatenate([pairs.left for pairs, _, _ in states]),
            right=np.concatenate([pairs.right for pairs, _, _ in states]),
            policies=np.concatenate([policy for _, policy, _ in states]),
            rewards=np.array([reward for _, _, reward in states], dtype=np.float32),
        )
