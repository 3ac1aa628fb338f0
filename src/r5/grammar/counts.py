"""Expected counts of rules and leaves (E-step)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from r5._util.arrays import FloatArray
from r5._util.ordering import at_least
from r5.grammar.rule_index import RuleIndex

__all__ = ["BatchCounts", "ExpectedCounts"]


@dataclass(frozen=True, eq=False, slots=True)
class BatchCounts:
    """Expected counts of some examples; the rule index is known to the caller."""

    rules: FloatArray
    leaves: FloatArray
    labels: FloatArray
    log_likelihood: float
    unexplained: float

    def __add__(self, other: BatchCounts) -> BatchCounts:
        return BatchCounts(
            self.rules + other.rules,
            self.leaves + other.leaves,
            self.labels + other.labels,
            self.log_likelihood + other.log_likelihood,
            self.unexplained + other.unexplained,
        )


@dataclass(frozen=True, eq=False)
class ExpectedCounts:
    """Expected counts of each rule and each leaf, and the fit of the model to the examples."""

    support: RuleIndex
    rules: FloatArray  # [rules], in the order of the support
    leaves: FloatArray  # [leaves], in the order of the support
    labels: FloatArray  # [relations]
    log_likelihood: float
    """Of the examples that have a derivation."""
    unexplained: float
    """Weight of the examples without a derivation."""

    def __add__(self, other: ExpectedCounts) -> ExpectedCounts:
        return ExpectedCounts(
            self.support,
            self.rules + other.rules,
            self.leaves + other.leaves,
            self.labels + other.labels,
            self.log_likelihood + other.log_likelihood,
            self.unexplained + other.unexplained,
        )

    def align(self, support: RuleIndex) -> ExpectedCounts:
        """Return the counts of the rules and leaves of another index, in its order."""
        rules = self.support.align(self.rules, support)
        return replace(self, support=support, rules=rules, leaves=self.support.align_leaves(self.leaves, support))

    def pruned(self, often: float) -> ExpectedCounts:
        """Return the counts without rules whose expected count is below a threshold."""
        used = at_least(self.rules, often)
        return self if used.all() else self.align(self.support.subset(used))
