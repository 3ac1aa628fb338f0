"""GrammarModel: the parameters of the grammar, and the set of rules that may have weight."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from r5.grammar.charts import RuleArrays

__all__ = ["FloatArray", "GrammarModel", "Support"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Support:
    """The rules `head <= left, right` that may have weight, in compressed rows; all others have none.

    >>> support = Support.of(3, heads=[2, 0], lefts=[1, 0], rights=[1, 2])
    >>> support.heads.tolist(), support.lefts.tolist(), support.rights.tolist()
    ([0, 2], [0, 1], [2, 1])
    """

    relations: int
    pair_start: NDArray[np.int64]  # [relations + 1], where the bodies that begin with a relation start
    pair_right: NDArray[np.int32]  # [pairs], the second relation of each body
    rule_start: NDArray[np.int64]  # [pairs + 1], where the rules with that body start
    rule_head: NDArray[np.int32]  # [rules]
    mistakes: NDArray[np.bool_]  # [relations, relations], which true relation may be observed as which
    open: bool  # whether rules that are not listed have the background's weight, rather than none

    @classmethod
    def of(
        cls,
        relations: int,
        heads: NDArray[np.integer] | list[int],
        lefts: NDArray[np.integer] | list[int],
        rights: NDArray[np.integer] | list[int],
        *,
        mistakes: NDArray[np.bool_] | None = None,
        open: bool = False,
    ) -> Support:
        """The distinct rules among those given, sorted by body and then by head; no mistakes unless some are given."""
        pairs = np.asarray(lefts, dtype=np.int64) * relations + np.asarray(rights, dtype=np.int64)
        keys = np.unique(pairs * relations + np.asarray(heads, dtype=np.int64))
        bodies, counts = np.unique(keys // max(relations, 1), return_counts=True)
        left = bodies // max(relations, 1)
        return cls(
            relations=relations,
            pair_start=np.concatenate([[0], np.cumsum(np.bincount(left, minlength=relations))]).astype(np.int64),
            pair_right=(bodies % max(relations, 1)).astype(np.int32),
            rule_start=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
            rule_head=(keys % max(relations, 1)).astype(np.int32),
            mistakes=np.eye(relations, dtype=bool) if mistakes is None else mistakes,
            open=open,
        )

    @classmethod
    def full(cls, relations: int) -> Support:
        """Every relation may become every pair (relations ** 3 rules) and be observed as every other."""
        every = np.arange(relations)
        left, right, head = (axis.ravel() for axis in np.meshgrid(every, every, every, indexing="ij"))
        return cls.of(relations, head, left, right, mistakes=np.ones((relations, relations), dtype=bool), open=True)

    @property
    def heads(self) -> NDArray[np.int32]:
        """The head of each rule."""
        return self.rule_head

    @cached_property
    def pairs(self) -> NDArray[np.int64]:
        """The number of the body of each rule."""
        return np.repeat(np.arange(self.pair_right.size), np.diff(self.rule_start))

    @cached_property
    def rights(self) -> NDArray[np.int32]:
        """The second relation of each rule."""
        return self.pair_right[self.pairs]

    @cached_property
    def lefts(self) -> NDArray[np.int32]:
        """The first relation of each rule."""
        of_pair = np.repeat(np.arange(self.relations), np.diff(self.pair_start))
        return of_pair[self.pairs].astype(np.int32)

    @property
    def keys(self) -> NDArray[np.int64]:
        """One number for each rule, rising."""
        of_body = self.lefts.astype(np.int64) * self.relations + self.rights
        return of_body * self.relations + self.rule_head

    def joined(self, other: Support) -> Support:
        """The rules and mistakes of either."""
        heads, lefts, rights = (
            np.concatenate(both)
            for both in ((self.heads, other.heads), (self.lefts, other.lefts), (self.rights, other.rights))
        )
        mistakes = self.mistakes | other.mistakes
        return Support.of(self.relations, heads, lefts, rights, mistakes=mistakes, open=self.open or other.open)

    def only(self, rules: NDArray[np.bool_]) -> Support:
        """Only these rules, and the same mistakes."""
        heads, lefts, rights = self.heads[rules], self.lefts[rules], self.rights[rules]
        return Support.of(self.relations, heads, lefts, rights, mistakes=self.mistakes, open=self.open)

    def spread(self, values: FloatArray, other: Support) -> FloatArray:
        """The values of these rules laid out as those of another support; 0 where a rule is new there."""
        place = np.searchsorted(self.keys, other.keys)
        place[place == len(self)] = 0
        same = self.keys[place] == other.keys if len(self) else np.zeros(len(other), dtype=bool)
        return np.where(same, values[place], 0.0) if len(self) else np.zeros(len(other))

    def __len__(self) -> int:
        return int(self.rule_head.size)


@dataclass(frozen=True, eq=False)
class GrammarModel:
    """A relation h stops and is observed, or becomes two relations; for each h these probabilities add up to one.

    P(h stops) = `stop[h]`; P(h becomes a, b) = `background[h]` plus the `weight` of the rule,
    if there is one; a relation t that stops is observed as o with `confusion[t, o]`; an answer is
    h with `prior[h]`.
    """

    support: Support
    weight: FloatArray  # [rules]
    background: FloatArray  # [relations]
    stop: FloatArray  # [relations]
    confusion: FloatArray  # [relations, relations]
    prior: FloatArray  # [relations]
    commonness: FloatArray  # [relations + 1], log probability of each on a path that says nothing; last: never seen

    @property
    def relations(self) -> int:
        return self.support.relations

    @cached_property
    def emission(self) -> FloatArray:
        """P(h stops and is observed as o), [relations + 1, relations]; the last row is for relations never seen.

        A relation that was never seen can only be a wrong edge, about which nothing is known.
        """
        wrong = (1.0 - np.diagonal(self.confusion)) / max(self.relations, 1)
        rows = np.vstack([self.confusion.T, wrong[None, :]])
        return np.ascontiguousarray(rows * self.stop[None, :])

    @property
    def arrays(self) -> RuleArrays:
        """What the chart kernels need to know."""
        support = self.support
        rows = (support.pair_start, support.pair_right, support.rule_start, support.rule_head)
        return RuleArrays(*rows, self.weight, self.background, self.emission)
