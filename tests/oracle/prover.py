"""The slow twin of the prover's chart: proofs of a goal between two entities of a path, by the definition."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from r5.baselines.rule_learners.prover import Prover

__all__ = ["prove"]


def prove(prover: Prover, path: Sequence[int], goal: Tensor, depth: int) -> float:
    """S^depth_goal(first entity, last entity), where the facts are those of the path; entities match exactly."""
    facts = {(place, place + 1): relation for place, relation in enumerate(path)}

    def matched(one: Tensor, other: Tensor) -> float:
        squares = sum((a - b) ** 2 for a, b in zip(one.tolist(), other.tolist(), strict=True))
        return math.exp(-math.sqrt(max(1e-6, squares)))

    def score(wanted: Tensor, x: int, y: int, left: int) -> float:
        best = matched(wanted, prover.vectors[facts[x, y]]) if (x, y) in facts else 0.0
        if left == 0:
            return best
        found: Any = prover.reformulator(wanted[None], prover.vectors)
        bodies, fits = found
        for module in range(bodies.shape[1]):
            fit = 1.0 if fits is None else float(fits[0, module])
            for z in range(len(path) + 1):
                first = score(bodies[0, module, 0], x, z, left - 1)
                second = score(bodies[0, module, 1], z, y, left - 1)
                best = max(best, min(fit, first, second))
        return best

    with torch.no_grad():
        return score(goal, 0, len(path), depth)
