"""Prover: CTP and GNTP. A goal is proved by facts that match it, or by the proofs of two sub-goals.

S^0_g(x, y) = max over facts (x, r, y) of k(g, E_r)
S^d_g(x, y) = max(S^0_g(x, y), max over modules i and entities z of min(S^(d-1)_{i1(g)}(x, z), S^(d-1)_{i2(g)}(z, y)))

Sub-goals do not depend on the story, so they are computed once for all questions; what is left is a (max, min) chart
over each path. Entities match exactly, and no proof is dropped: the original drops all but the five best z.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor, nn

from r5.baselines.learner_settings import ProverSettings
from r5.baselines.reformulators import kernel, make_reformulator
from r5.baselines.spans import Path, Spans

__all__ = ["Level", "Prover"]

_AT_ONCE = 2**22
"""Numbers in the largest table of the chart, where no gradient is asked for."""


class Level(NamedTuple):
    """The goals of one depth."""

    known: Tensor  # [goals, relations], how well each relation matches each goal
    fits: Tensor | None  # [goals, modules], where all goals have the same sub-goals: how well each fits to each module


class Prover(nn.Module):
    """Vectors of relations and a reformulator."""

    def __init__(self, settings: ProverSettings, relations: int) -> None:
        super().__init__()
        self.modules_count = settings.modules
        self.vectors = nn.Parameter(torch.randn(relations, settings.embedding))
        self.reformulator = make_reformulator(settings, relations)

    def levels(self, goals: Tensor, depth: int) -> list[Level]:
        """The goals and, level by level, their sub-goals: of goal g and module i of M, 2 (g M + i) and the next."""
        found = []
        for down in range(depth + 1):
            bodies, fits = self.reformulator(goals, self.vectors) if down < depth else (goals[:0], None)
            found.append(Level(kernel(goals, self.vectors), fits))
            goals = bodies.reshape(-1, self.vectors.shape[1])
        return found

    def forward(self, paths: Sequence[Path], goals: Tensor, depth: int) -> Tensor:
        """How well each path proves each goal, [paths, goals]; 0 for paths of more than 2 ** depth relations."""
        spans = Spans.of(paths, 2**depth)
        table = self.charts(spans, self.levels(goals, depth))[0]
        proved = table[spans.paths.clamp_min(0)] if len(table) else table.new_zeros(len(paths), len(goals))
        return proved * (spans.paths >= 0)[:, None]

    def charts(self, spans: Spans, levels: Sequence[Level]) -> list[Tensor]:
        """For each level how well its spans prove its goals, [spans, goals]."""
        depth = len(levels) - 1
        tables: list[Tensor] = []
        for down in range(depth, -1, -1):
            level = levels[down]
            table = level.known[:, spans.units].T
            if tables:
                left, right = spans.splits(2 ** (depth - down - 1))
                below = tables[-1].view(len(tables[-1]), -1, self.modules_count, 2)
                table = torch.cat([table, *self._joined(below, left, right, level.fits)])
            tables.append(table)
        return tables[::-1]

    def _joined(self, below: Tensor, left: Tensor, right: Tensor, fits: Tensor | None) -> list[Tensor]:
        """The best proof of each span by two sub-goals, some spans at a time."""
        goals = below.shape[1] if fits is None else len(fits)
        step = max(1, _AT_ONCE // max(1, left.shape[1] * goals * self.modules_count))
        parts = []
        for start in range(0, len(left), step):
            rows = slice(start, start + step)
            both = torch.minimum(below[left[rows]][..., 0], below[right[rows]][..., 1])
            if fits is not None:
                both = torch.minimum(both, fits[None, None])
            parts.append(both.amax(dim=(1, 3)))
        return parts
