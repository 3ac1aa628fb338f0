"""Rules of a composition table."""

from __future__ import annotations

import numpy as np

from r5.composition.table import LIKELY, CompositionTable
from r5.rules.rule import Rule
from r5.rules.ruleset import RuleSet

__all__ = ["composition_rules"]


def composition_rules(table: CompositionTable, names: tuple[str, ...]) -> RuleSet:
    """Return a rule for each relation that a seen pair leaves possible; those of a pair are alternatives."""
    seen = np.argwhere(table.counts.sum(axis=2) > 0.0).tolist()
    rules = []
    for left, right in seen:
        possible, counts = table.possible[left, right], table.counts[left, right]
        heads = np.flatnonzero(possible >= LIKELY).tolist()
        rules += [
            Rule(
                names[head],
                (names[left], names[right]),
                possibility=float(possible[head]),
                support=float(counts[head]),
            )
            for head in heads
        ]
    return RuleSet.of(rules)
