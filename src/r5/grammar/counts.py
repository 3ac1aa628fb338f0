"""Expected counts of rules and leaves (E-step)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from r5._util.arrays import FloatArray
from r5._util.ordering import at_least
from r5.grammar.rule_index import RuleIndex

__all__ = ["BatchCounts", "ExpectedCounts"]


@dataclass(frozen=True, eq=False)
class BatchCounts:
    """Expected counts of some examples; the rule index is known to the caller."""

    rules: FloatArray  # [rules], in the order of the rule index
    leaves: FloatArray  # [leaves], in the order of the rule index
    labels: FloatArray  # [relations]
    log_likelihood: float
    """Of the examples that have a derivation."""
    unexplained: float
    """Weight of the examples without a derivation."""

    def __add__(self, other: BatchCounts) -> Self:
        """Return the sum, with the rule index of this summand."""
        return replace(
            self,
            rules=self.rules + other.rules,
            leaves=self.leaves + other.leaves,
            labels=self.labels + other.labels,
            log_likelihood=self.log_likelihood + other.log_likelihood,
            unexplained=self.unexplained + other.unexplained,
        )


@dataclass(frozen=True, eq=False)
class ExpectedCounts(BatchCounts):
    """Expected counts with their rule index, and the fit of the model to the examples."""

    index: RuleIndex

    def align(self, index: RuleIndex) -> ExpectedCounts:
        """Return the counts of the rules and leaves of another index, in its order."""
        rules = self.index.align(self.rules, index)
        return replace(self, index=index, rules=rules, leaves=self.index.align_leaves(self.leaves, index))

    @property
    def head_shares(self) -> FloatArray:
        """P(head | body) of each rule."""
        bodies = np.bincount(self.index.pairs, self.rules, minlength=self.index.pair_right.size)
        uses = bodies[self.index.pairs]
        return np.divide(self.rules, uses, out=np.zeros_like(uses), where=uses > 0.0)

    def pruned(self, often: float) -> ExpectedCounts:
        """Return the counts without rules whose expected count is below a threshold."""
        used = at_least(self.rules, often)
        return self if used.all() else self.align(self.index.subset(used))
