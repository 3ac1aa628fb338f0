"""Generated worlds whose options are drawn from a number, for benchmarks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from r5.data.generators.world.dataset import generate_world
from r5.dataset import Dataset
from r5.errors import R5Error

__all__ = ["World", "draw_shifted_world", "draw_world"]

_ATTEMPTS = 100
_SHIFTS = ((0.0, 0.1), (0.1, 0.0), (0.05, 0.15))
"""Shares of wrong edges in training and in test."""


@dataclass(frozen=True)
class World:
    """A generated world and the options it was generated with."""

    data: Dataset
    options: dict[str, Any]


def draw_world(number: int, examples: int = 4000, relations: int = 32, test: int = 300) -> World:
    """Return the world of a number; options under which no world exists are drawn again.

    Args:
        number: Seed of the options and of the world.
        examples: Maximum number of training examples.
        relations: Maximum number of relations that are not inverses.
        test: Number of test examples.
    """
    for attempt in range(_ATTEMPTS):
        rng = np.random.default_rng([number, attempt, 7])
        first = int(rng.integers(2, 4))
        last = max(first, int(rng.choice([first, 4, 5, 6, 9, 12, 15], p=[0.1, 0.2, 0.2, 0.2, 0.15, 0.1, 0.05])))
        options: dict[str, Any] = {
            "seed": number * 100 + attempt,
            "relations": int(rng.integers(6, relations + 1)),
            "rules": int(rng.integers(10, 61)),
            "inverses": float(rng.choice([0.0, 0.25, 0.5])),
            "train": int(200 * (examples / 200) ** rng.uniform()),
            "valid": 6,
            "test": test,
            "train_lengths": tuple(range(first, last + 1)),
            "test_lengths": tuple(range(4, 10)),
            "wrong_edges": float(rng.choice([0.0, 0.05, 0.1, 0.15, 0.2])),
            "systematic": bool(rng.integers(2)),
            "ambiguous": bool(rng.random() < 0.3),
        }
        try:
            return World(generate_world(**options), options)
        except R5Error:
            continue
    raise R5Error(f"no world has the number {number}")


def draw_shifted_world(number: int, **limits: int) -> World:
    """Return the world of a number with another share of wrong edges in test than in training.

    Args:
        number: Seed of the options and of the world.
        limits: Keyword arguments of `draw_world`.
    """
    options = draw_world(number, **limits).options
    train, test = _SHIFTS[number % len(_SHIFTS)]
    data = generate_world(**{**options, "wrong_edges": train})
    other = generate_world(**{**options, "wrong_edges": test})
    return World(replace(data, test=other.test), {**options, "wrong_edges": train, "test_wrong_edges": test})
