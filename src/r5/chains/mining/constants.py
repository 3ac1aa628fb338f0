"""Rules with constants: which facts about fixed entities go with which answers, and as kernels want them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels.elementary_kernels import log
from r5.chains.features.constant_kernels import ALWAYS, Constants
from r5.chains.graph.step_graph import IdArray, StepGraph
from r5.chains.settings import ChainSettings

__all__ = ["NO_CONSTANTS", "find_constants", "make_constants", "max_reached", "reversed_constants"]

NO_CONSTANTS: IdArray = np.zeros((0, 4), np.int64)
"""A row a rule: the step and the entity that the source must have (-1, -1 where nothing), the answer, and 1 where the
rule is read from its end."""
_WORK = 500_000
"""So many pairs of a fact and an edge of its source are counted, at the most, ..."""
_AT_LEAST = 20
"""... and for so many facts at least: those whose source has more edges are left out."""


def reversed_constants(constants: IdArray) -> IdArray:
    """The same rules for the other direction."""
    found = constants.copy()
    found[:, 3] = 1 - found[:, 3]
    return found


def make_constants(constants: IdArray, graph: StepGraph, before: int = 0) -> Constants:
    """The rules as kernels want them, numbered from `before` on; those with an entity below -1 are left out."""
    numbers = np.arange(len(constants)) + before
    known = (constants[:, 1:3] >= -1).all(axis=1) & (constants[:, 2] >= 0)
    forward = np.flatnonzero(known & (constants[:, 3] == 0))
    back = np.flatnonzero(known & (constants[:, 3] == 1) & (constants[:, 0] >= 0))
    keys = constants[forward, 0] * graph.number_of_nodes + constants[forward, 1]
    keys[constants[forward, 0] < 0] = ALWAYS
    order = np.lexsort((forward, keys))
    forward, keys = forward[order], keys[order]
    back = back[np.lexsort((back, constants[back, 2]))]
    # The row of d with the step back: all that have b to d.
    wanted = constants[back, 1] * graph.number_of_steps + graph.steps.inverse[constants[back, 0]]
    rows = graph.row_keys
    at = np.minimum(np.searchsorted(rows, wanted), max(rows.size - 1, 0))
    found = np.where(rows[at] == wanted, at, -1) if rows.size else np.full(back.size, -1)
    ahead_keys, ahead_starts = _groups(keys, 0)
    back_keys, back_starts = _groups(constants[back, 2], forward.size)
    return Constants(
        ahead_keys,
        ahead_starts,
        back_keys,
        back_starts,
        np.concatenate([numbers[forward], numbers[back]]),
        constants[forward, 2].astype(np.uint32),
        np.concatenate([np.full(forward.size, -1), found]).astype(np.int64),
    )


def max_reached(constants: Constants, graph: StepGraph, frontier: int) -> int:
    """To how many entities rules lead from one, at the most; a rule that leads to more than `frontier` says nothing."""
    forward = constants.ends.size
    if constants.rules.size == forward:
        return forward
    rows = constants.rows[forward:]
    sizes = np.where(rows >= 0, np.append(np.diff(graph.steps.row_offsets), 0)[rows], 0)
    sizes[sizes > frontier] = 0
    groups = np.add.reduceat(sizes, constants.back_starts[:-1] - forward)
    return forward + int(groups.max())


def _groups(keys: IdArray, before: int) -> tuple[IdArray, IdArray]:
    """The distinct keys of an ordered array, and where each starts."""
    found, first = np.unique(keys, return_index=True)
    return found.astype(np.int64), np.append(first, keys.size).astype(np.int64) + before


def find_constants(
    graph: StepGraph, step: int, settings: ChainSettings, rng: np.random.Generator
) -> tuple[IdArray, NDArray[np.float64]]:
    """The rules that tell most about the answers of a step, and how often each leads to one: both read ahead.

    They are those whose answer is most unlike chance in number among the facts whose source has what they ask for.
    """
    sources, answers = graph.queries(step)
    steps = graph.steps
    size = max(graph.number_of_nodes, 1)
    chosen = rng.permutation(sources.size)[: settings.queries]
    edges = steps.row_offsets[steps.node_rows[sources + 1]] - steps.row_offsets[steps.node_rows[sources]]
    work = min(_WORK, settings.mining_work)
    chosen = chosen[edges[chosen] <= work // _AT_LEAST]
    chosen = chosen[np.cumsum(edges[chosen]) <= work]
    sources, answers, edges = sources[chosen], answers[chosen], edges[chosen]
    if not settings.constants or not sources.size:
        return NO_CONSTANTS, np.zeros(0)
    # Every edge of each source beside the answer.
    fact = np.repeat(np.arange(sources.size), edges)
    starts = steps.row_offsets[steps.node_rows[sources]]
    edge = np.arange(fact.size) - np.repeat(np.cumsum(edges) - edges, edges) + starts[fact]
    kinds = steps.row_steps[np.searchsorted(steps.row_offsets, edge, side="right") - 1].astype(np.int64)
    ends = steps.targets[edge].astype(np.int64)
    other = (kinds != step) | (ends != answers[fact])
    fact, having = fact[other], (kinds * size + ends)[other]
    asked, place = np.unique(having, return_inverse=True)
    usual, of_answer, counts = np.unique(answers, return_inverse=True, return_counts=True)
    joint, together = np.unique(place * usual.size + of_answer[fact], return_counts=True)
    place, of_answer = joint // usual.size, joint % usual.size
    has = np.bincount(np.searchsorted(asked, having), minlength=asked.size)[place]
    by_chance = has * counts[of_answer] / sources.size
    gain = together * log(together / by_chance) - (together - by_chance)
    # What few of many facts have says little: the support is of so many facts as chains are looked for in.
    support = settings.constant_support * max(sources.size / settings.mined_facts, 1.0)
    enough = np.flatnonzero(np.maximum(together, by_chance) >= support)
    best = enough[np.lexsort((joint[enough], -gain[enough].round(6)))][: settings.constants]
    rules = np.stack([asked[place[best]] // size, asked[place[best]] % size, usual[of_answer[best]]], axis=1)
    chances = together[best] / has[best] * together[best] / sources.size
    frequent = np.flatnonzero(counts >= support)
    frequent = frequent[np.lexsort((frequent, -counts[frequent]))][: settings.constants]
    entity_bias = np.stack([np.full(frequent.size, -1), np.full(frequent.size, -1), usual[frequent]], axis=1)
    found = np.concatenate([rules, entity_bias]).astype(np.int64)
    both = np.concatenate([chances, (counts[frequent] / sources.size) ** 2])
    return np.concatenate([found, np.zeros((len(found), 1), np.int64)], axis=1), both
