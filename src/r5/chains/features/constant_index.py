"""Rules with constants: `h(X, c) <= b(X, d)` and `h(X, c) <=`, their index for kernels."""

from __future__ import annotations

import numpy as np

from r5.chains.features.constant_kernels import ALWAYS, Constants
from r5.chains.graph.step_graph import IdArray, StepGraph

__all__ = ["NO_CONSTANTS", "make_constants", "max_reached", "reversed_constants"]

NO_CONSTANTS: IdArray = np.zeros((0, 4), np.int64)
"""Empty table of rules with constants, [rules, 4].

Columns: the step b and the entity d of the body (-1, -1 for an empty body), the answer c, and 1 for a reversed rule,
which answers head queries.
"""


def reversed_constants(constants: IdArray) -> IdArray:
    """Return the same rules for queries of the other direction, [rules, 4]."""
    reversed_ = constants.copy()
    reversed_[:, 3] = 1 - reversed_[:, 3]
    return reversed_


def make_constants(constants: IdArray, graph: StepGraph, first: int = 0) -> Constants:
    """Return the index of rules with constants for kernels.

    Args:
        constants: [rules, 4], columns as in `NO_CONSTANTS`. Rules with an entity below -1 are left out.
        graph: The graph that the rules are applied to.
        first: Number of the first rule; the others follow.
    """
    numbers = np.arange(len(constants)) + first
    known = (constants[:, 1:3] >= -1).all(axis=1) & (constants[:, 2] >= 0)
    forward = np.flatnonzero(known & (constants[:, 3] == 0))
    back = np.flatnonzero(known & (constants[:, 3] == 1) & (constants[:, 0] >= 0))
    keys = constants[forward, 0] * graph.number_of_nodes + constants[forward, 1]
    keys[constants[forward, 0] < 0] = ALWAYS
    order = np.lexsort((forward, keys))
    forward, keys = forward[order], keys[order]
    back = back[np.lexsort((back, constants[back, 2]))]
    # The row of d along the inverse of b holds all X with b(X, d).
    rows = graph.rows(constants[back, 1], graph.steps.inverse[constants[back, 0]])
    forward_keys, forward_starts = _groups(keys, 0)
    back_keys, back_starts = _groups(constants[back, 2], forward.size)
    return Constants(
        forward_keys=forward_keys,
        forward_starts=forward_starts,
        back_keys=back_keys,
        back_starts=back_starts,
        rules=np.concatenate([numbers[forward], numbers[back]]),
        answers=constants[forward, 2].astype(np.uint32),
        rows=np.concatenate([np.full(forward.size, -1), rows]).astype(np.int64),
    )


def max_reached(constants: Constants, graph: StepGraph, frontier: int) -> int:
    """Return an upper bound of the number of entities that the rules reach from one source.

    Args:
        constants: The index of the rules.
        graph: The graph that the rules are applied to.
        frontier: Maximum number of entities that one rule may reach; a rule that reaches more does not apply.
    """
    forward = constants.answers.size
    if constants.rules.size == forward:
        return forward
    rows = constants.rows[forward:]
    sizes = np.where(rows >= 0, np.append(np.diff(graph.steps.row_offsets), 0)[rows], 0)
    sizes[sizes > frontier] = 0
    groups = np.add.reduceat(sizes, constants.back_starts[:-1] - forward)
    return forward + int(groups.max())


def _groups(keys: IdArray, first: int) -> tuple[IdArray, IdArray]:
    """Return the distinct keys of a sorted array and their offsets, plus `first`."""
    distinct_keys, starts = np.unique(keys, return_index=True)
    return distinct_keys.astype(np.int64), np.append(starts, keys.size).astype(np.int64) + first
