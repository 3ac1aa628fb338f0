"""GrammarModel: the parameters of the grammar, and the set of rules that may have weight."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from r5.grammar.charts.cell_kernels import RuleArrays
from r5.parallel.pickling import PickledFields

__all__ = ["FloatArray", "GrammarModel", "Pairs", "Support", "every_pair"]

FloatArray = NDArray[np.float64]
Pairs = tuple[NDArray[np.integer], NDArray[np.integer]]


def every_pair(relations: int) -> Pairs:
    """All pairs of relations, as two columns."""
    first, second = np.divmod(np.arange(relations**2), max(relations, 1))
    return first, second


@dataclass(frozen=True, eq=False)
class Support(PickledFields):
    """The rules `head <= left, right` and the mistakes that may have weight, in compressed rows.

    A leaf is a true relation and what it is observed as: itself, or another by mistake. Rules
    and mistakes that are not listed have no weight or, if the support is open, little.

    >>> support = Support.of(3, heads=[2, 0], lefts=[1, 0], rights=[1, 2])
    >>> support.heads.tolist(), support.lefts.tolist(), support.rights.tolist()
    ([0, 2], [0, 1], [2, 1])
    """

    relations: int
    pair_start: NDArray[np.int64]  # [relations + 1], where the bodies that begin with a relation start
    pair_right: NDArray[np.int32]  # [pairs], the second relation of each body
    rule_start: NDArray[np.int64]  # [pairs + 1], where the rules with that body start
    rule_head: NDArray[np.int32]  # [rules]
    leaf_start: NDArray[np.int64]  # [relations + 1], where the leaves that are observed as a relation start
    leaf_true: NDArray[np.int32]  # [leaves], what they truly are
    open: bool  # whether what is not listed has the background's weight, rather than none

    @classmethod
    def of(
        cls,
        relations: int,
        heads: NDArray[np.integer] | list[int],
        lefts: NDArray[np.integer] | list[int],
        rights: NDArray[np.integer] | list[int],
        *,
        mistakes: Pairs | None = None,
        open: bool = False,
    ) -> Support:
        """The distinct rules among those given, sorted by body and then by head.

        `mistakes` are columns of true and observed relations; that each is observed as itself goes without saying.
        """
        pairs = np.asarray(lefts, dtype=np.int64) * relations + np.asarray(rights, dtype=np.int64)
        keys = np.unique(pairs * relations + np.asarray(heads, dtype=np.int64))
        bodies, counts = np.unique(keys // max(relations, 1), return_counts=True)
        left = bodies // max(relations, 1)
        itself = np.arange(relations)
        true, observed = (itself, itself) if mistakes is None else mistakes
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
    def full(cls, relations: int) -> Support:
        """Every relation may become every pair (relations ** 3 rules) and be observed as every other."""
        every = np.arange(relations)
        left, right, head = (axis.ravel() for axis in np.meshgrid(every, every, every, indexing="ij"))
        return cls.of(relations, head, left, right, mistakes=every_pair(relations), open=True)

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

    @cached_property
    def by_head(self) -> Pairs:
        """The rules in the order of their heads, and where those of each head begin there, [relations + 1]."""
        order = np.argsort(self.heads, kind="stable")
        return order, np.searchsorted(self.heads[order], np.arange(self.relations + 1))

    @property
    def keys(self) -> NDArray[np.int64]:
        """One number for each rule, rising."""
        of_body = self.lefts.astype(np.int64) * self.relations + self.rights
        return of_body * self.relations + self.rule_head

    @cached_property
    def leaf_observed(self) -> NDArray[np.int32]:
        """What each leaf is observed as."""
        return np.repeat(np.arange(self.relations, dtype=np.int32), np.diff(self.leaf_start))

    @property
    def leaf_keys(self) -> NDArray[np.int64]:
        """One number for each leaf, rising."""
        return self.leaf_observed.astype(np.int64) * self.relations + self.leaf_true

    @property
    def leaves(self) -> Pairs:
        """The true relation of each leaf and what it is observed as."""
        return self.leaf_true, self.leaf_observed

    def joined(self, other: Support) -> Support:
        """The rules and mistakes of either."""
        heads, lefts, rights = (
            np.concatenate(both)
            for both in ((self.heads, other.heads), (self.lefts, other.lefts), (self.rights, other.rights))
        )
        mistakes = (
            np.concatenate([self.leaf_true, other.leaf_true]),
            np.concatenate([self.leaf_observed, other.leaf_observed]),
        )
        return Support.of(self.relations, heads, lefts, rights, mistakes=mistakes, open=self.open or other.open)

    def only(self, rules: NDArray[np.bool_]) -> Support:
        """Only these rules, and the same mistakes."""
        heads, lefts, rights = self.heads[rules], self.lefts[rules], self.rights[rules]
        return Support.of(self.relations, heads, lefts, rights, mistakes=self.leaves, open=self.open)

    def spread(self, values: FloatArray, other: Support) -> FloatArray:
        """The values of these rules laid out as those of another support; 0 where a rule is new there."""
        return _laid_out(values, self.keys, other.keys)

    def spread_leaves(self, values: FloatArray, other: Support) -> FloatArray:
        """As `spread`, of leaves."""
        return _laid_out(values, self.leaf_keys, other.leaf_keys)

    def __len__(self) -> int:
        return int(self.rule_head.size)


def _laid_out(values: FloatArray, keys: NDArray[np.int64], others: NDArray[np.int64]) -> FloatArray:
    """The values that belong to rising keys, for other keys; 0 where one is new."""
    if not keys.size:
        return np.zeros(others.size)
    place = np.searchsorted(keys, others)
    place[place == keys.size] = 0
    return np.where(keys[place] == others, values[place], 0.0)


@dataclass(frozen=True, eq=False)
class GrammarModel(PickledFields):
    """A relation h stops and is observed, or becomes two relations; for each h these probabilities add up to one.

    P(h stops) = `stop[h]`; P(h becomes a, b) = `background[h]` plus the `weight` of the rule,
    if there is one; a relation t that stops is observed as o with the `confusion` of that leaf or, if it is
    not listed, with `stray[t]`; an answer is h with `prior[h]`.
    """

    support: Support
    weight: FloatArray  # [rules]
    background: FloatArray  # [relations]
    stop: FloatArray  # [relations]
    confusion: FloatArray  # [leaves]
    stray: FloatArray  # [relations]
    prior: FloatArray  # [relations]
    commonness: FloatArray  # [relations + 1], log probability of each on a path that says nothing; last: never seen

    @property
    def relations(self) -> int:
        return self.support.relations

    @cached_property
    def confusion_matrix(self) -> FloatArray:
        """How likely each relation is to be observed as which, [true, observed], for few relations."""
        matrix = np.repeat(self.stray[:, None], self.relations, axis=1)
        matrix[self.support.leaves] = self.confusion
        return matrix

    def chances_to_show(self, true: NDArray[np.integer], observed: NDArray[np.integer]) -> FloatArray:
        """How likely each of some relations is to be observed as which; one never seen is as likely as any other."""
        support = self.support
        keys = support.leaf_keys
        wanted = observed.astype(np.int64) * self.relations + true
        place = np.minimum(np.searchsorted(keys, wanted), max(keys.size - 1, 0))
        listed = np.where(keys[place] == wanted, self.confusion[place], self.stray[true])
        never = observed >= self.relations
        return np.where(never, self._to_be_wrong[true] / max(self.relations, 1), listed)

    @cached_property
    def _to_be_wrong(self) -> FloatArray:
        """How likely each relation is to be observed as another, [relations]."""
        true, observed = self.support.leaves
        right = np.bincount(true, self.confusion * (true == observed), minlength=self.relations)
        return 1.0 - right.astype(np.float64)

    @cached_property
    def without_mistakes(self) -> GrammarModel:
        """The same where every edge is what it shows, and nothing is conceivable but by a rule."""
        support = self.support
        kept = self.weight > 0.0
        plain = Support.of(self.relations, support.heads[kept], support.lefts[kept], support.rights[kept])
        weight = self.weight + self.background[support.heads]
        nothing = np.zeros(self.relations)
        return replace(
            self,
            support=plain,
            weight=weight[kept],
            background=nothing,
            confusion=self.confusion[support.leaf_true == support.leaf_observed],
            stray=nothing,
        )

    @cached_property
    def arrays(self) -> RuleArrays:
        """What the chart kernels need to know.

        A relation that was never seen can only be a wrong edge, about which nothing is known.
        """
        support = self.support
        true = support.leaf_true
        wrong = self._to_be_wrong / max(self.relations, 1) * self.stop
        guilty = np.flatnonzero(wrong > 0.0).astype(np.int32)
        return RuleArrays(
            support.pair_start,
            support.pair_right,
            support.rule_start,
            support.rule_head,
            self.weight,
            self.background,
            leaf_start=np.append(support.leaf_start, support.leaf_true.size + guilty.size),
            leaf_true=np.concatenate([support.leaf_true, guilty]),
            leaf_weight=np.concatenate([self.confusion * self.stop[true], wrong[guilty]]),
            stray=self.stray * self.stop if self.stray.any() else np.zeros(0),
        )
