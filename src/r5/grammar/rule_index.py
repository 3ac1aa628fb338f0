"""RuleIndex: the rules and the label confusions that may have weight, in compressed rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from r5._util.arrays import FloatArray
from r5.parallel.pickling import PickledFields

__all__ = ["Pairs", "RuleIndex", "every_pair"]

Pairs = tuple[NDArray[np.integer], NDArray[np.integer]]


def every_pair(relations: int) -> Pairs:
    """Return all pairs of relations as two columns."""
    first, second = np.divmod(np.arange(relations**2), max(relations, 1))
    return first, second


@dataclass(frozen=True, eq=False)
class RuleIndex(PickledFields):
    """Rules `head <= left, right` and confusions that may have weight, in compressed rows.

    A leaf is a true relation and the relation it is observed as: itself, or another by label noise. Rules and
    confusions that are not listed have no weight or, if the index is open, the weight of the background.

    >>> index = RuleIndex.of(3, heads=[2, 0], lefts=[1, 0], rights=[1, 2])
    >>> index.heads.tolist(), index.lefts.tolist(), index.rights.tolist()
    ([0, 2], [0, 1], [2, 1])
    """

    relations: int
    pair_start: NDArray[np.int64]  # [relations + 1], where the bodies that begin with a relation start
    pair_right: NDArray[np.int32]  # [pairs], the second relation of each body
    rule_start: NDArray[np.int64]  # [pairs + 1], where the rules with that body start
    rule_head: NDArray[np.int32]  # [rules]
    leaf_start: NDArray[np.int64]  # [relations + 1], where the leaves that are observed as a relation start
    leaf_true: NDArray[np.int32]  # [leaves], true relation
    open: bool  # unlisted rules and confusions have the weight of the background

    @classmethod
    def of(
        cls,
        relations: int,
        heads: NDArray[np.integer] | list[int],
        lefts: NDArray[np.integer] | list[int],
        rights: NDArray[np.integer] | list[int],
        *,
        confusions: Pairs | None = None,
        open: bool = False,
    ) -> RuleIndex:
        """Return the index of the distinct rules, sorted by body and then by head.

        Args:
            relations: Number of relations.
            heads: Head of each rule.
            lefts: First relation of each body.
            rights: Second relation of each body.
            confusions: Columns of true and observed relations; each relation as itself is always included.
            open: Unlisted rules and confusions have the weight of the background.
        """
        pairs = np.asarray(lefts, dtype=np.int64) * relations + np.asarray(rights, dtype=np.int64)
        keys = np.unique(pairs * relations + np.asarray(heads, dtype=np.int64))
        bodies, counts = np.unique(keys // max(relations, 1), return_counts=True)
        left = bodies // max(relations, 1)
        itself = np.arange(relations)
        true, observed = (itself, itself) if confusions is None else confusions
        leaves = np.unique(np.concatenate([observed.astype(np.int64) * relations + true, itself * (relations + 1)]))
        return cls(
            relations=relations,
            pair_start=np.concatenate([[0], np.cumsum(np.bincount(left, minlength=relations))]).astype(np.int64),
            pair_right=(bodies % max(relations, 1)).astype(np.int32),
            rule_start=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
            rule_head=(keys % max(relations, 1)).astype(np.int32),
            leaf_start=np.searchsorted(leaves, np.arange(relations + 1) * relations).astype(np.int64),
            leaf_true=(leaves % max(relations, 1)).astype(np.int32),
            open=open,
        )

    @classmethod
    def full(cls, relations: int) -> RuleIndex:
        """Return the index of all relations ** 3 rules and all relations ** 2 leaves."""
        every = np.arange(relations)
        left, right, head = (axis.ravel() for axis in np.meshgrid(every, every, every, indexing="ij"))
        return cls.of(relations, head, left, right, confusions=every_pair(relations), open=True)

    @property
    def heads(self) -> NDArray[np.int32]:
        """Head of each rule."""
        return self.rule_head

    @cached_property
    def pairs(self) -> NDArray[np.int64]:
        """Index of the body of each rule."""
        return np.repeat(np.arange(self.pair_right.size), np.diff(self.rule_start))

    @cached_property
    def rights(self) -> NDArray[np.int32]:
        """Second relation of each body, by rule."""
        return self.pair_right[self.pairs]

    @cached_property
    def lefts(self) -> NDArray[np.int32]:
        """First relation of each body, by rule."""
        of_pair = np.repeat(np.arange(self.relations), np.diff(self.pair_start))
        return of_pair[self.pairs].astype(np.int32)

    @property
    def rules(self) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
        """Head, first and second relation of each rule."""
        return self.heads, self.lefts, self.rights

    @cached_property
    def by_head(self) -> Pairs:
        """Rules in the order of their heads, and the start of each head in that order, [relations + 1]."""
        order = np.argsort(self.heads, kind="stable")
        return order, np.searchsorted(self.heads[order], np.arange(self.relations + 1))

    @property
    def keys(self) -> NDArray[np.int64]:
        """Sorted key of each rule: (left * relations + right) * relations + head."""
        of_body = self.lefts.astype(np.int64) * self.relations + self.rights
        return of_body * self.relations + self.rule_head

    @cached_property
    def leaf_observed(self) -> NDArray[np.int32]:
        """Observed relation of each leaf."""
        return np.repeat(np.arange(self.relations, dtype=np.int32), np.diff(self.leaf_start))

    @property
    def leaf_keys(self) -> NDArray[np.int64]:
        """Sorted key of each leaf: observed * relations + true."""
        return self.leaf_observed.astype(np.int64) * self.relations + self.leaf_true

    @property
    def leaves(self) -> Pairs:
        """True and observed relation of each leaf."""
        return self.leaf_true, self.leaf_observed

    def union(self, other: RuleIndex) -> RuleIndex:
        """Return the rules and confusions of either index."""
        rules = [np.concatenate(both) for both in zip(self.rules, other.rules, strict=True)]
        true, observed = (np.concatenate(both) for both in zip(self.leaves, other.leaves, strict=True))
        return RuleIndex.of(self.relations, *rules, confusions=(true, observed), open=self.open or other.open)

    def subset(self, rules: NDArray[np.bool_]) -> RuleIndex:
        """Return the rules of a mask, with the same confusions."""
        chosen = [column[rules] for column in self.rules]
        return RuleIndex.of(self.relations, *chosen, confusions=self.leaves, open=self.open)

    def align(self, values: FloatArray, other: RuleIndex) -> FloatArray:
        """Return values of these rules in the order of another index; 0 for a rule that is new there."""
        return _align(values, self.keys, other.keys)

    def align_leaves(self, values: FloatArray, other: RuleIndex) -> FloatArray:
        """Return values of these leaves in the order of another index; 0 for a leaf that is new there."""
        return _align(values, self.leaf_keys, other.leaf_keys)

    def __len__(self) -> int:
        return int(self.rule_head.size)


def _align(values: FloatArray, keys: NDArray[np.int64], others: NDArray[np.int64]) -> FloatArray:
    """Return values by sorted keys for other keys; 0 for a key that is new."""
    if not keys.size:
        return np.zeros(others.size)
    place = np.searchsorted(keys, others)
    place[place == keys.size] = 0
    return np.where(keys[place] == others, values[place], 0.0)
