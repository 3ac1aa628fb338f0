"""CompositionTable: how possible each relation is as the composition of each pair, from how often it was."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from r5._util.arrays import FloatArray
from r5.composition.converses import agreement, find_converse, over_triangles

__all__ = ["LEAST", "LIKELY", "CompositionTable"]

LEAST = 1e-3
"""Nothing is taken to be less possible: a table learned from data may lack what it has never seen."""
LIKELY = 0.5
"""What is at least so possible is listed among the heads of a rule."""

_DOUBT = 3.0
"""Uses of a rule that could be chance."""
_RARE = 0.01
"""The share of a pair's uses below which a relation is hardly possible, where no observation is wrong."""
_NOISES = 4.0
"""How many times more often than by confusions a relation must come out of a pair to be possible."""
_OFTEN = 20.0
"""Pairs used less often say nothing about how common confusions are."""
_MOST_SEARCHED = 40
"""With more relations, converses are not searched for: that takes relations ** 5 steps."""
_AGREE = 0.5
"""Converses are used where counts that should agree do so at least this far."""


@dataclass(frozen=True, eq=False)
class CompositionTable:
    """For each pair a, b how possible each relation c is: 1 for the most possible, `LEAST` for those never seen."""

    possible: FloatArray  # [relations, relations, relations]
    counts: FloatArray  # [relations, relations, relations], how often c was the meaning of a, b
    converse: NDArray[np.int64] | None
    """The converse of each relation, where the data has such."""
    noise: float
    """The share of a pair's uses that any one wrong relation has."""

    @property
    def relations(self) -> int:
        return int(self.possible.shape[0])

    @classmethod
    def of(cls, counts: FloatArray, search: bool = True) -> CompositionTable:
        """The table of these counts. A pair never seen allows everything: those that say nothing are never asked about.

        `search` for converses, and use what each triangle says six times over.
        """
        converse = find_converse(counts) if search and counts.shape[0] <= _MOST_SEARCHED else None
        if converse is not None and agreement(counts, converse) < _AGREE:
            converse = None
        trials = np.repeat(counts.sum(axis=2, keepdims=True), counts.shape[0], axis=2)
        uses = counts if converse is None else over_triangles(counts, converse)
        tried = trials if converse is None else over_triangles(trials, converse)
        often = tried >= _OFTEN
        noise = float(np.median(uses[often] / tried[often])) if often.any() else 0.0
        share = np.divide(uses, uses + _DOUBT + (_RARE + _NOISES * noise) * tried)
        most = share.max(axis=2, keepdims=True)
        share = np.divide(share, most, out=np.ones_like(share), where=most > 0.0)
        known = tried / (tried + 1.0)
        return cls(np.maximum(known * share + (1.0 - known), LEAST), counts, converse, noise)

    def sets(self) -> NDArray[np.bool_]:
        """The relations that each pair leaves possible."""
        return self.possible >= LIKELY

    @cached_property
    def is_associative(self) -> bool:
        """Whether it hardly matters in which order a path is merged, by the sets; taken to be so for many relations."""
        if self.relations > _MOST_SEARCHED:
            return True
        sets = self.sets().astype(np.float64)
        left = np.einsum("abd,dce->abce", sets, sets) > 0.0
        right = np.einsum("bcd,ade->abce", sets, sets) > 0.0
        return float((left == right).mean()) >= 0.9
