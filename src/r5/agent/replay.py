"""ReplayBuffer: the last states the agent met, with what search and the episode's end said of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from r5.agent.state import Pairs

__all__ = ["Batch", "ReplayBuffer"]


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """States to learn from; their pairs stand one after the other."""

    counts: NDArray[np.int32]  # [states]
    features: NDArray[np.float32]  # [pairs, FEATURES]
    left: NDArray[np.int32]  # [pairs], relation types
    right: NDArray[np.int32]  # [pairs]
    policies: NDArray[np.float32]  # [pairs], pi
    rewards: NDArray[np.float32]  # [states], z


class ReplayBuffer:
    """A ring of the last `size` states; one state takes about 60 bytes a pair."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._states: list[tuple[Pairs, NDArray[np.float32], float]] = []
        self._next = 0

    def __len__(self) -> int:
        return len(self._states)

    def add(self, pairs: Pairs, policy: NDArray[np.float64], reward: float) -> None:
        """Remember the pairs of one state, pi and z; the oldest state makes room."""
        item = (pairs, policy.astype(np.float32), reward)
        if len(self._states) < self.size:
            self._states.append(item)
        else:
            self._states[self._next] = item
        self._next = (self._next + 1) % self.size

    def sample(self, count: int, rng: np.random.Generator) -> Batch:
        """Some states, drawn without repetition."""
        chosen = rng.choice(len(self._states), min(count, len(self._states)), replace=False)
        return self._batch([self._states[i] for i in chosen])

    def everything(self) -> tuple[Batch, int]:
        """All states and where the next one goes, for a checkpoint."""
        return self._batch(self._states), self._next

    def restore(self, batch: Batch, next_place: int) -> None:
        """Go on from what `everything` gave."""
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
            np.array([pairs.left.size for pairs, _, _ in states], dtype=np.int32),
            np.concatenate([pairs.features for pairs, _, _ in states]),
            np.concatenate([pairs.left for pairs, _, _ in states]),
            np.concatenate([pairs.right for pairs, _, _ in states]),
            np.concatenate([policy for _, policy, _ in states]),
            np.array([reward for _, _, reward in states], dtype=np.float32),
        )
