"""Grammar: the parameters of the model; FittedGrammar: a grammar with all that answering needs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from r5._util.arrays import FloatArray
from r5.grammar.calibration.no_relation import NoRelationModel
from r5.grammar.charts.cell_kernels import RuleArrays
from r5.grammar.counts import ExpectedCounts
from r5.grammar.rule_index import RuleIndex
from r5.parallel.pickling import PickledFields

__all__ = ["FittedGrammar", "Grammar"]

_NOTHING = 1e-15
"""Maximum weight that is a rounding error of 0."""


@dataclass(frozen=True, eq=False)
class Grammar(PickledFields):
    """Parameters of a grammar: a relation h stops and is observed, or is rewritten as two relations.

    P(h stops) = `stop[h]`; P(h -> a, b) = `background[h]` plus the `weight` of the rule, if it is listed; these add
    up to one for each h. A relation t that stops is observed as o with the `confusion` of that leaf or, if it is not
    listed, with `stray[t]`. The prior probability of the answer h is `prior[h]`.
    """

    index: RuleIndex
    weight: FloatArray  # [rules]
    background: FloatArray  # [relations]
    stop: FloatArray  # [relations]
    confusion: FloatArray  # [leaves]
    stray: FloatArray  # [relations]
    prior: FloatArray  # [relations]
    log_frequency: FloatArray  # [relations + 1], log probability of each on a path that says nothing; last: never seen

    @property
    def relations(self) -> int:
        return self.index.relations

    @property
    def in_use(self) -> NDArray[np.bool_]:
        """Mask of the listed rules whose weight exceeds the rounding error of 0."""
        return self.weight > _NOTHING

    @cached_property
    def confusion_matrix(self) -> FloatArray:
        """P(observed | true), [true, observed], for few relations."""
        matrix = np.repeat(self.stray[:, None], self.relations, axis=1)
        matrix[self.index.leaves] = self.confusion
        return matrix

    @cached_property
    def _noise_rate(self) -> FloatArray:
        """Probability that each relation is observed as another, [relations]."""
        true, observed = self.index.leaves
        right = np.bincount(true, self.confusion * (true == observed), minlength=self.relations)
        return 1.0 - right.astype(np.float64)

    @cached_property
    def noiseless(self) -> Grammar:
        """The same grammar without label noise and without background rules."""
        index = self.index
        kept = self.weight > 0.0
        plain = RuleIndex.of(self.relations, index.heads[kept], index.lefts[kept], index.rights[kept])
        weight = self.weight + self.background[index.heads]
        nothing = np.zeros(self.relations)
        return replace(
            self,
            index=plain,
            weight=weight[kept],
            background=nothing,
            confusion=self.confusion[index.leaf_true == index.leaf_observed],
            stray=nothing,
        )

    @cached_property
    def arrays(self) -> RuleArrays:
        """The arrays that the chart kernels read; a relation never seen can only be a confusion, uniformly."""
        index = self.index
        true = index.leaf_true
        wrong = self._noise_rate / max(self.relations, 1) * self.stop
        guilty = np.flatnonzero(wrong > 0.0).astype(np.int32)
        return RuleArrays(
            index.pair_start,
            index.pair_right,
            index.rule_start,
            index.rule_head,
            self.weight,
            self.background,
            leaf_start=np.append(index.leaf_start, index.leaf_true.size + guilty.size),
            leaf_true=np.concatenate([index.leaf_true, guilty]),
            leaf_weight=np.concatenate([self.confusion * self.stop[true], wrong[guilty]]),
            stray=self.stray * self.stop if self.stray.any() else np.zeros(0),
        )


@dataclass(frozen=True, eq=False)
class FittedGrammar:
    """A grammar and the expected counts it was estimated from."""

    model: Grammar
    counts: ExpectedCounts
    curve: tuple[tuple[int, float], ...] = ()
    """Longest path and log likelihood of each step of the restart that was selected."""
    cut_short: str = ""
    """Stage at which the time limit ended training; empty if it did not."""
    longest: int = 0
    """Length of the longest training path; 0 if unknown."""
    temperature: float = 1.0
    """Temperature of the answer probabilities."""
    unrelated: NoRelationModel | None = None
    """Model of unrelated pairs, if there is one."""
