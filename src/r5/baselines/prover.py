"""Prover: CTP and GNTP. A goal is proved by facts that match it, or by the proofs of two sub-goals.

S^0_g(x, y) = max over facts (x, r, y) of k(g, E_r)
S^d_g(x, y) = max(S^0_g(x, y), max over modules i and entities z of min(S^(d-1)_{i1(g)}(x, z), S^(d-1)_{i2(g)}(z, y)))

Sub-goals do not depend on the story, so they are computed once for all questions; what is left is a (max, min) chart
over each path. A proof is as good as the worst match in it, so the gradient of a score is that of one match: the chart
says which, and nothing else is differentiated. Entities match exactly, and no proof is dropped: the original drops all
but the five best z.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from r5.baselines.learner_settings import ProverSettings
from r5.baselines.prover_kernels import join, join_values
from r5.baselines.reformulators import kernel, make_reformulator
from r5.baselines.spans import Path, Spans

__all__ = ["Goals", "Level", "Prover", "Table"]

_NO_FITS = np.zeros((0, 1), dtype=np.float32)
_NO_PICKS = np.zeros((0, 1), dtype=np.int64)


class Level(NamedTuple):
    """The goals of one depth."""

    known: NDArray[np.float32]  # [goals, relations], how well each relation matches each goal
    known_at: int  # where these numbers begin in all matches
    fits: NDArray[
        np.float32
    ]  # [goals, modules], how well each goal fits to each module; no rows where that is no matter
    fits_at: int


class Goals(NamedTuple):
    """Goals and all their sub-goals: of goal g and module i of M, those of numbers 2 (g M + i) and the next."""

    matches: Tensor  # [matches], all numbers of all levels one after the other, with their gradient
    levels: list[Level]


class Table(NamedTuple):
    """How well spans prove the goals of a level; rows that nobody asked for say nothing."""

    values: NDArray[np.float32]  # [spans, goals]
    picks: NDArray[np.int64]  # [spans, goals], the worst match in the best proof; no rows where nobody asked for them


class Prover(nn.Module):
    """Vectors of relations and a reformulator."""

    def __init__(self, settings: ProverSettings, relations: int) -> None:
        super().__init__()
        self.modules_count = settings.modules
        self.vectors = nn.Parameter(torch.randn(relations, settings.embedding))
        self.reformulator = make_reformulator(settings, self.vectors)

    def goals(self, vectors: Tensor, depth: int) -> Goals:
        """Goals and their sub-goals down to a depth."""
        parts: list[Tensor] = []
        levels: list[Level] = []
        at = 0
        for down in range(depth + 1):
            bodies, fits = self.reformulator(vectors, self.vectors) if down < depth else (vectors[:0], None)
            known = kernel(vectors, self.vectors)
            fit = _NO_FITS if fits is None else fits.detach().numpy()
            levels.append(Level(known.detach().numpy(), at, fit, at + known.numel()))
            parts += [known.reshape(-1)] if fits is None else [known.reshape(-1), fits.reshape(-1)]
            at += known.numel() + fit.size
            vectors = bodies.reshape(-1, self.vectors.shape[1])
        return Goals(torch.cat(parts), levels)

    def forward(self, paths: Sequence[Path], vectors: Tensor, depth: int) -> Tensor:
        """How well each path proves each goal, [paths, goals]; 0 for paths of more than 2 ** depth relations."""
        spans = Spans.of(paths, 2**depth)
        goals = self.goals(vectors, depth)
        fine = spans.paths >= 0
        proved = goals.matches.new_zeros(len(paths), len(vectors))
        proved[torch.from_numpy(fine)] = self.scores(spans, spans.paths[fine], goals)
        return proved

    def scores(self, spans: Spans, rows: NDArray[np.int64], goals: Goals) -> Tensor:
        """How well some spans prove each goal, [rows, goals], with the gradient."""
        picks = self.charts(spans, rows, goals.levels, picks=True)[0].picks[rows]
        return goals.matches[torch.from_numpy(picks)]

    def charts(
        self, spans: Spans, rows: NDArray[np.int64], levels: Sequence[Level], picks: bool = False
    ) -> list[Table]:
        """The tables of all levels, as far as these rows of the first ask for them; `picks` are for training."""
        depth, units = len(levels) - 1, spans.units
        wanted = [rows[rows >= units.size]]
        for down in range(depth - 1):
            left, right = spans.splits(2 ** (depth - down - 1))
            parts = np.unique(np.stack([left[wanted[-1] - units.size], right[wanted[-1] - units.size]]))
            wanted.append(parts[parts >= units.size])
        best, worst = np.zeros(self.modules_count, np.float32), np.zeros(self.modules_count, np.int64)
        tables = [_units(levels[depth], units, units.size, picks)]
        for down in range(depth - 1, -1, -1):
            level, below = levels[down], tables[-1]
            left, right = spans.splits(2 ** (depth - down - 1))
            table = _units(level, units, units.size + len(left), picks)
            places = (wanted[down], units.size, left, right)
            if picks:
                join(*(*table, *below, *places, level.fits, level.fits_at, best, worst))
            else:
                join_values(*(table.values, below.values, *places, level.fits, best))
            tables.append(table)
        return tables[::-1]


def _units(level: Level, units: NDArray[np.int64], spans: int, picks: bool) -> Table:
    """The table of a level in which spans of one relation are proved by how it matches the goal."""
    count, relations = level.known.shape
    values = np.zeros((spans, count), dtype=np.float32)
    values[: units.size] = level.known[:, units].T
    if not picks:
        return Table(values, _NO_PICKS)
    worst = np.zeros((spans, count), dtype=np.int64)
    worst[: units.size] = level.known_at + np.arange(count) * relations + units[:, None]
    return Table(values, worst)
