"""CompositionTable: possibility of each relation as the composition of each pair, from counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from r5._util.arrays import FloatArray
from r5.composition.converses import agreement, find_converse, over_triangles
from r5.rules.rule import Rule
from r5.rules.ruleset import RuleSet

__all__ = ["MIN_POSSIBILITY", "CompositionTable"]

MIN_POSSIBILITY = 1e-3
"""Minimum possibility, as a learned table may lack unseen compositions."""
_LIKELY = 0.5
"""Minimum possibility of the heads listed in a rule."""

_CHANCE_USES = 3.0
"""Number of uses of a rule that may be chance."""
_RARE_SHARE = 0.01
"""Share of a pair's uses below which a relation is hardly possible, without label noise."""
_NOISE_MULTIPLE = 4.0
"""Minimum multiple of the noise rate at which a relation is possible."""
_MIN_PAIR_USES = 20.0
"""Minimum uses of a pair for the estimate of the noise rate."""
_MAX_SEARCHED = 40
"""Maximum number of relations for the search for converses, which takes relations ** 5 steps."""
_MIN_AGREEMENT = 0.5
"""Minimum agreement of the counts under the converses."""


@dataclass(frozen=True, eq=False)
class CompositionTable:
    """Possibility of each relation c as the composition of a, b: from `MIN_POSSIBILITY` to 1."""

    possible: FloatArray  # [relations, relations, relations]
    counts: FloatArray  # [relations, relations, relations], how often c was the meaning of a, b
    converse: NDArray[np.int64] | None
    """Converse of each relation, if the data has converses."""
    noise: float
    """Share of a pair's uses that any one wrong relation has."""

    @property
    def relations(self) -> int:
        return int(self.possible.shape[0])

    @classmethod
    def of(cls, counts: FloatArray, search: bool = True) -> CompositionTable:
        """Return the table of some counts; an unseen pair allows everything.

        Args:
            counts: Number of times c was the composition of a, b, [relations, relations, relations].
            search: Search for converses, and use each triangle in all six readings.
        """
        converse = find_converse(counts) if search and counts.shape[0] <= _MAX_SEARCHED else None
        if converse is not None and agreement(counts, converse) < _MIN_AGREEMENT:
            converse = None
        trials = np.repeat(counts.sum(axis=2, keepdims=True), counts.shape[0], axis=2)
        uses = counts if converse is None else over_triangles(counts, converse)
        tried = trials if converse is None else over_triangles(trials, converse)
        often = tried >= _MIN_PAIR_USES
        noise = float(np.median(uses[often] / tried[often])) if often.any() else 0.0
        share = np.divide(uses, uses + _CHANCE_USES + (_RARE_SHARE + _NOISE_MULTIPLE * noise) * tried)
        most = share.max(axis=2, keepdims=True)
        share = np.divide(share, most, out=np.ones_like(share), where=most > 0.0)
        known = tried / (tried + 1.0)
        return cls(np.maximum(known * share + (1.0 - known), MIN_POSSIBILITY), counts, converse, noise)

    def sets(self) -> NDArray[np.bool_]:
        """Return a mask of the relations that each pair leaves possible."""
        return self.possible >= _LIKELY

    def compose(self, path: Sequence[int]) -> FloatArray:
        """Return the possibility of each relation over one path, merged from its start; an unseen one may be anything.

        >>> table = CompositionTable.of(np.array([[[0.0, 9.0], [0.0, 0.0]], [[0.0, 0.0], [9.0, 0.0]]]), search=False)
        >>> int(table.compose([0, 0, 1]).argmax())
        0
        """
        size, anything = self.relations, np.ones(self.relations)
        possible = np.maximum(np.eye(size)[path[0]], MIN_POSSIBILITY) if path[0] < size else anything
        for relation in path[1:]:
            following = (possible[:, None] * self.possible[:, relation]).max(axis=0) if relation < size else anything
            possible = np.maximum(following / following.max(), MIN_POSSIBILITY)
        return possible

    def rules(self, names: tuple[str, ...]) -> RuleSet:
        """Return a rule for each relation that a seen pair leaves possible; those of a pair are alternatives."""
        seen = self.counts.sum(axis=2, keepdims=True) > 0.0
        return RuleSet.of(
            Rule(
                names[head],
                (names[left], names[right]),
                possibility=float(self.possible[left, right, head]),
                support=float(self.counts[left, right, head]),
            )
            for left, right, head in np.argwhere(self.sets() & seen).tolist()
        )
