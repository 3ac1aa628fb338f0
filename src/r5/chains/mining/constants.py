"""Rules with constants: `h(X, c) <= b(X, d)` and `h(X, c) <=`, their search and their index for kernels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels.elementary_kernels import log
from r5.chains.features.constant_kernels import ALWAYS, Constants
from r5.chains.graph.step_graph import IdArray, StepGraph
from r5.chains.settings import ChainSettings

__all__ = ["NO_CONSTANTS", "find_constants", "make_constants", "max_reached", "reversed_constants"]

NO_CONSTANTS: IdArray = np.zeros((0, 4), np.int64)
"""Empty table of rules with constants, [rules, 4].

Columns: the step b and the entity d of the body (-1, -1 for an empty body), the answer c, and 1 for a reversed rule,
which answers head queries.
"""
_MAX_PAIRS = 500_000
"""Maximum number of pairs of a fact and an edge of its source that are counted."""
_MIN_FACTS = 20
"""Number of facts that the pairs must suffice for; facts whose source has more edges than that allows are left out."""


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
    wanted = constants[back, 1] * graph.number_of_steps + graph.steps.inverse[constants[back, 0]]
    row_keys = graph.row_keys
    positions = np.minimum(np.searchsorted(row_keys, wanted), max(row_keys.size - 1, 0))
    rows = np.where(row_keys[positions] == wanted, positions, -1) if row_keys.size else np.full(back.size, -1)
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


def find_constants(
    graph: StepGraph, step: int, settings: ChainSettings, rng: np.random.Generator
) -> tuple[IdArray, NDArray[np.float64]]:
    """Return the rules with constants that say most about the answers of a step, and a prior of each.

    The best rules are those whose number of joint occurrences of body and answer deviates most from independence.

    Args:
        graph: The graph.
        step: The step of the queries.
        settings: `constants`, `constant_support`, `queries`, `mined_facts` and `mining_work` are used.
        rng: Random generator for the sample of facts.

    Returns:
        Rules, [rules, 4], none of them reversed, and confidence times coverage of each, [rules].
    """
    sources, answers = graph.queries(step)
    steps = graph.steps
    size = max(graph.number_of_nodes, 1)
    chosen = rng.permutation(sources.size)[: settings.queries]
    edges = steps.row_offsets[steps.node_rows[sources + 1]] - steps.row_offsets[steps.node_rows[sources]]
    work = min(_MAX_PAIRS, settings.mining_work)
    chosen = chosen[edges[chosen] <= work // _MIN_FACTS]
    chosen = chosen[np.cumsum(edges[chosen]) <= work]
    sources, answers, edges = sources[chosen], answers[chosen], edges[chosen]
    if not settings.constants or not sources.size:
        return NO_CONSTANTS, np.zeros(0)
    # All edges of each source except the fact itself.
    fact = np.repeat(np.arange(sources.size), edges)
    starts = steps.row_offsets[steps.node_rows[sources]]
    edge = np.arange(fact.size) - np.repeat(np.cumsum(edges) - edges, edges) + starts[fact]
    kinds = steps.row_steps[np.searchsorted(steps.row_offsets, edge, side="right") - 1].astype(np.int64)
    ends = steps.targets[edge].astype(np.int64)
    is_other = (kinds != step) | (ends != answers[fact])
    fact, body_keys = fact[is_other], (kinds * size + ends)[is_other]
    bodies, body = np.unique(body_keys, return_inverse=True)
    distinct_answers, answer, counts = np.unique(answers, return_inverse=True, return_counts=True)
    pairs, joint = np.unique(body * distinct_answers.size + answer[fact], return_counts=True)
    body, answer = pairs // distinct_answers.size, pairs % distinct_answers.size
    body_counts = np.bincount(np.searchsorted(bodies, body_keys), minlength=bodies.size)[body]
    expected = body_counts * counts[answer] / sources.size
    gain = joint * log(joint / expected) - (joint - expected)
    # The minimum support is relative to the number of facts that chains are mined from.
    support = settings.constant_support * max(sources.size / settings.mined_facts, 1.0)
    supported = np.flatnonzero(np.maximum(joint, expected) >= support)
    best = supported[np.lexsort((pairs[supported], -gain[supported].round(6)))][: settings.constants]
    best_bodies = bodies[body[best]]
    rules = np.stack([best_bodies // size, best_bodies % size, distinct_answers[answer[best]]], axis=1)
    prior = joint[best] / body_counts[best] * joint[best] / sources.size
    frequent = np.flatnonzero(counts >= support)
    frequent = frequent[np.lexsort((frequent, -counts[frequent]))][: settings.constants]
    no_body = np.full(frequent.size, -1)
    frequent_answers = np.stack([no_body, no_body, distinct_answers[frequent]], axis=1)
    all_rules = np.concatenate([rules, frequent_answers]).astype(np.int64)
    priors = np.concatenate([prior, (counts[frequent] / sources.size) ** 2])
    return np.concatenate([all_rules, np.zeros((len(all_rules), 1), np.int64)], axis=1), priors
