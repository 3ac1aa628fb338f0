"""Prover of CTP and GNTP: a goal is proved by facts that match it, or by the proofs of two sub-goals.

S^0_g(x, y) = max over facts (x, r, y) of k(g, E_r)
S^d_g(x, y) = max(S^0_g(x, y), max over modules i and entities z of min(S^(d-1)_{i1(g)}(x, z), S^(d-1)_{i2(g)}(z, y)))

Sub-goals do not depend on the story, so they are computed once for all queries, followed by a (max, min) chart over
each path. The score of a proof is that of its weakest match, so its gradient is the gradient of that match; the chart
records it, and nothing else is differentiated. Entities match exactly. The original keeps only the five best entities
z; this prover keeps all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from r5.baselines.rule_learners.prover_kernels import ModuleScores, SpanSplits, Table, fill_scores, fill_table
from r5.baselines.rule_learners.reformulators import make_reformulator, similarity
from r5.baselines.rule_learners.settings import ProverSettings
from r5.baselines.rule_learners.spans import Path, Spans

__all__ = ["Goals", "Level", "Prover"]

_NO_SCORES = np.zeros((0, 1), dtype=np.float32)
_NO_MATCHES = np.zeros((0, 1), dtype=np.int64)


class Level(NamedTuple):
    """Goals of one depth."""

    matches: NDArray[np.float32]
    """Similarity of each goal and each relation, [goals, relations]."""
    offset: int
    """Index of the first of these matches among all matches."""
    modules: ModuleScores


class Goals(NamedTuple):
    """Goals and all their sub-goals; those of goal g and module i of M are 2 (g M + i) and the next of the level."""

    matches: Tensor
    """All matches of all levels, with their gradient, [matches]."""
    levels: list[Level]


class Prover(nn.Module):
    """Embeddings of relations and a reformulator."""

    def __init__(self, settings: ProverSettings, relations: int) -> None:
        super().__init__()
        self.number_of_modules = settings.modules
        self.vectors = nn.Parameter(torch.randn(relations, settings.embedding))
        self.reformulator = make_reformulator(settings, self.vectors)

    def expand_goals(self, vectors: Tensor, depth: int) -> Goals:
        """Return goals and their sub-goals.

        Args:
            vectors: Goals, [goals, size].
            depth: Depth of the sub-goals.

        """
        parts: list[Tensor] = []
        levels: list[Level] = []
        offset = 0
        for down in range(depth + 1):
            bodies, scores = self.reformulator(vectors, self.vectors) if down < depth else (vectors[:0], None)
            matches = similarity(vectors, self.vectors)
            modules = ModuleScores(_NO_SCORES if scores is None else scores.detach().numpy(), offset + matches.numel())
            levels.append(Level(matches.detach().numpy(), offset, modules))
            parts += [matches.reshape(-1)] if scores is None else [matches.reshape(-1), scores.reshape(-1)]
            offset += matches.numel() + modules.scores.size
            vectors = bodies.reshape(-1, self.vectors.shape[1])
        return Goals(torch.cat(parts), levels)

    def forward(self, paths: Sequence[Path], vectors: Tensor, depth: int) -> Tensor:
        """Return the score of each goal by each path, [paths, goals]; 0 for a path of more than 2^depth relations."""
        spans = Spans.of(paths, 2**depth)
        goals = self.expand_goals(vectors, depth)
        readable = spans.paths >= 0
        scores = goals.matches.new_zeros(len(paths), len(vectors))
        scores[torch.from_numpy(readable)] = self.scores(spans, spans.paths[readable], goals)
        return scores

    def scores(self, spans: Spans, rows: NDArray[np.int64], goals: Goals) -> Tensor:
        """Return the scores of the goals by some spans, with their gradient, [rows, goals]."""
        weakest = self.fill_charts(spans, rows, goals.levels, gradient=True)[0].weakest[rows]
        return goals.matches[torch.from_numpy(weakest)]

    def fill_charts(
        self, spans: Spans, rows: NDArray[np.int64], levels: Sequence[Level], gradient: bool = False
    ) -> list[Table]:
        """Return the tables of all levels.

        Args:
            spans: Spans of the paths.
            rows: Spans that are asked for in the table of the first level.
            levels: Goals of each level.
            gradient: Record the weakest match of each proof, for training.

        """
        depth, units = len(levels) - 1, spans.units
        wanted = [rows[rows >= units.size]]
        for down in range(depth - 1):
            left, right = spans.splits(2 ** (depth - down - 1))
            parts = np.unique(np.stack([left[wanted[-1] - units.size], right[wanted[-1] - units.size]]))
            wanted.append(parts[parts >= units.size])
        best, weakest = np.zeros(self.number_of_modules, np.float32), np.zeros(self.number_of_modules, np.int64)
        tables = [_unit_table(levels[depth], units, units.size, gradient)]
        for down in range(depth - 1, -1, -1):
            level, below = levels[down], tables[-1]
            splits = SpanSplits(wanted[down], units.size, *spans.splits(2 ** (depth - down - 1)))
            table = _unit_table(level, units, units.size + len(splits.left), gradient)
            if gradient:
                fill_table(table, below, splits, level.modules, best, weakest)
            else:
                fill_scores(table.scores, below.scores, splits, level.modules.scores, best)
            tables.append(table)
        return tables[::-1]


def _unit_table(level: Level, units: NDArray[np.int64], spans: int, gradient: bool) -> Table:
    """Return a table with the scores of the goals by spans of length one, all other spans empty."""
    count, relations = level.matches.shape
    scores = np.zeros((spans, count), dtype=np.float32)
    scores[: units.size] = level.matches[:, units].T
    if not gradient:
        return Table(scores, _NO_MATCHES)
    weakest = np.zeros((spans, count), dtype=np.int64)
    weakest[: units.size] = level.offset + np.arange(count) * relations + units[:, None]
    return Table(scores, weakest)
