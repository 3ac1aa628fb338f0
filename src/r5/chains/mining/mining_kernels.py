"""Compiled kernels that find the bodies of rules: simple paths from a source to its answer without the masked fact.

The search is bidirectional. It lists all endings of one and two edges into the answer, then searches forward from the
source. A body is one number: its digits to the base `steps + 1`, lowest first, are its steps + 1.

Of an entity with more than `max_degree` edges, every nth edge is followed and counts n times. The first edge depends
on the number of the query.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from numpy.typing import NDArray

from r5._util.kernels.compilation import int64, njit_free, njit_inner, njit_shared
from r5.chains.graph.step_kernels import Mask, Steps, count_masked, degree, hash_slot

__all__ = ["BodyTable", "Endings", "MiningContext", "mine", "take_bodies"]

Array = NDArray[Any]


class BodyTable(NamedTuple):
    """Statistics of bodies in a hash table with open addressing."""

    keys: Array  # [a power of two], 0 for a free slot; the other values of a free slot have no meaning
    scores: Array  # [slots], probability that a walk along the body ends at the answer, summed over the queries
    supports: Array  # [slots], number of queries
    last: Array  # [slots], last query
    filled: Array  # [capacity], slots in use
    size: Array  # [1], number of slots in use


class Endings(NamedTuple):
    """Last one or two edges of paths, in a linked list for each entity that they start from."""

    heads: Array  # [entities], first ending of each entity, -1 for none
    following: Array  # [capacity], next ending of the same entity, -1 for none
    starts: Array  # [capacity], first entity
    middles: Array  # [capacity], entity between two edges, -1 for one edge
    first: Array  # [capacity], step of the first edge + 1
    second: Array  # [capacity], step of the second edge + 1, 0 for one edge
    probabilities: Array  # [capacity], probability of a walk over these edges
    scratch: Array  # [6, 6], forward search by depth: entities, rows, edges, keys, scales, strides
    scratch_probabilities: Array  # [6], forward search by depth


class MiningContext(NamedTuple):
    """Graph, limits and tables of a search for bodies."""

    steps: Steps
    endings: Endings
    bodies: BodyTable
    length: int  # maximum length of a body
    max_degree: int  # maximum number of edges that are followed from one entity
    query_work: int  # work limit of each direction of the search for one query, in edges


class Prefix(NamedTuple):
    """First edges of a path."""

    entity: int  # last entity
    depth: int  # number of edges
    key: int  # number of the body so far
    scale: int  # place value of the next digit of the key
    probability: float  # probability of a walk over these edges


@njit_inner
def add_ending(
    endings: Endings, size: int, start: int, middle: int, first: int, second: int, probability: float
) -> int:
    """Add one ending if there is space; return the number of endings."""
    if size >= endings.following.size:
        return size
    endings.starts[size] = start
    endings.middles[size] = middle
    endings.first[size] = first
    endings.second[size] = second
    endings.probabilities[size] = probability
    endings.following[size] = endings.heads[start]
    endings.heads[start] = size
    return size + 1


@njit_inner
def return_probability(steps: Steps, edge: int, node: int, step: int, mask: Mask) -> float:
    """Return the probability that a walk from the target of an edge, `node`, takes it back along the inverse step."""
    return float(1.0 / (steps.back[edge] - count_masked(steps, node, step, mask)))


@njit_inner
def number_of_edges(steps: Steps, node: int) -> int:
    """Return the number of edges of an entity, over all steps."""
    return int64(steps.row_offsets[steps.node_rows[node + 1]] - steps.row_offsets[steps.node_rows[node]])


@njit_shared
def find_endings(context: MiningContext, mask: Mask, query: int) -> int:
    """Find about `query_work` endings into the target of the mask; return their number."""
    steps, endings = context.steps, context.endings
    start, answer, size = int64(mask.source), int64(mask.target), int64(0)
    edges = number_of_edges(steps, answer)
    stride = 1 + edges // context.max_degree
    share = max(context.query_work // min(edges, context.max_degree), 1)
    next_edge = steps.row_offsets[steps.node_rows[answer]] + query % stride
    for row in range(steps.node_rows[answer], steps.node_rows[answer + 1]):
        second = steps.inverse[steps.row_steps[row]]
        while next_edge < steps.row_offsets[row + 1]:
            edge = next_edge
            next_edge += stride
            middle = int64(steps.targets[edge])
            if middle == answer:
                continue
            # Of two equal edges to the start, which stand side by side, the first is masked.
            is_first = edge == steps.row_offsets[row] or steps.targets[edge - 1] != start
            if middle == start and second == mask.step and is_first:
                continue
            if size >= endings.following.size:
                return size
            probability = stride * return_probability(steps, edge, middle, second, mask)
            size = add_ending(endings, size, middle, int64(-1), second + 1, int64(0), probability)
            if context.length >= 3 and middle != start:
                inner_stride = 1 + number_of_edges(steps, middle) // share
                size = extend_ending(context, mask, middle, second, probability, inner_stride, query, size)
    return size


@njit_inner
def extend_ending(
    context: MiningContext,
    mask: Mask,
    middle: int,
    second: int,
    probability: float,
    stride: int,
    query: int,
    size: int,
) -> int:
    """Add the endings of two edges that have a given second edge; return the number of endings."""
    steps = context.steps
    start, answer = int64(mask.source), int64(mask.target)
    edge = steps.row_offsets[steps.node_rows[middle]] + query % stride
    for row in range(steps.node_rows[middle], steps.node_rows[middle + 1]):
        first = steps.inverse[steps.row_steps[row]]
        while edge < steps.row_offsets[row + 1]:
            node = int64(steps.targets[edge])
            if node != start and node != answer and node != middle:  # noqa: PLR1714
                both = stride * probability * return_probability(steps, edge, node, first, mask)
                size = add_ending(context.endings, size, node, middle, first + 1, second + 1, both)
            edge += stride
    return size


@njit_inner
def count(bodies: BodyTable, key: int, probability: float, query: int) -> None:
    """Add one path to its body; paths of new bodies are dropped once the table is full."""
    mask = bodies.keys.size - 1
    slot = hash_slot(key, mask)
    while bodies.keys[slot] != 0 and bodies.keys[slot] != key:
        slot = (slot + 1) & mask
    if bodies.keys[slot] == 0:
        if bodies.size[0] >= bodies.filled.size:
            return
        bodies.keys[slot] = key
        bodies.filled[bodies.size[0]] = slot
        bodies.size[0] += 1
        bodies.scores[slot], bodies.supports[slot], bodies.last[slot] = 0.0, 0, -1
    bodies.scores[slot] += probability
    if bodies.last[slot] != query:
        bodies.last[slot] = query
        bodies.supports[slot] += 1


@njit_shared
def join(context: MiningContext, prefix: Prefix, query: int) -> int:
    """Count the paths that consist of the prefix and an ending; return the number of endings inspected."""
    endings, path = context.endings, context.endings.scratch[0]
    base = int64(context.steps.inverse.size + 1)
    work = int64(0)
    ending = endings.heads[prefix.entity]
    while ending >= 0:
        work += 1
        edges = 2 if endings.second[ending] > 0 else 1
        # Endings of one edge complete paths of one and two edges; longer paths use the endings of two edges.
        fits = prefix.depth + edges <= context.length and (edges == 2 or prefix.depth <= 1)
        for i in range(1, prefix.depth):
            fits = fits and path[i] != endings.middles[ending]
        if fits:
            body = prefix.key + endings.first[ending] * prefix.scale
            if edges == 2:
                body += endings.second[ending] * prefix.scale * base
            count(context.bodies, body, prefix.probability * endings.probabilities[ending], query)
        ending = endings.following[ending]
    return work


@njit_shared
def search(context: MiningContext, mask: Mask, work: int, query: int) -> int:
    """Search forward from the source, depth first, and join with the endings; return the work that is left."""
    steps, endings = context.steps, context.endings
    base = int64(steps.inverse.size + 1)
    deepest = max(context.length - 2, 1)
    path, rows, edges = endings.scratch[0], endings.scratch[1], endings.scratch[2]
    keys, scales, strides = endings.scratch[3], endings.scratch[4], endings.scratch[5]
    probabilities = endings.scratch_probabilities
    keys[0], scales[0], probabilities[0] = 0, 1, 1.0
    start, answer = int64(mask.source), int64(mask.target)
    join(context, Prefix(start, int64(0), int64(0), int64(1), 1.0), query)
    depth = int64(0)
    path[0], rows[0] = start, steps.node_rows[start]
    strides[0] = 1 + number_of_edges(steps, start) // context.max_degree
    edges[0] = steps.row_offsets[rows[0]] + query % strides[0]
    while depth >= 0 and work > 0:
        node, row = path[depth], rows[depth]
        if row >= steps.node_rows[node + 1]:
            depth -= 1
            continue
        if edges[depth] >= steps.row_offsets[row + 1]:
            rows[depth] += 1
            continue
        target = int64(steps.targets[edges[depth]])
        edges[depth] += strides[depth]
        work -= 1
        is_new = target != answer
        for i in range(depth + 1):
            is_new = is_new and path[i] != target
        if not is_new:
            continue
        probability = strides[depth] * probabilities[depth] / degree(steps, row, mask)
        key = keys[depth] + (int64(steps.row_steps[row]) + 1) * scales[depth]
        scale = scales[depth] * base
        depth += 1
        path[depth] = target
        work -= join(context, Prefix(target, depth, key, scale, probability), query)
        if depth < deepest:
            rows[depth] = steps.node_rows[target]
            strides[depth] = 1 + number_of_edges(steps, target) // context.max_degree
            edges[depth] = steps.row_offsets[rows[depth]] + query % strides[depth]
            probabilities[depth], keys[depth], scales[depth] = probability, key, scale
        else:
            depth -= 1
    return work


@njit_free
def mine(context: MiningContext, sources: Array, step: int, answers: Array, first: int, work: int) -> int:
    """Count the bodies of some queries.

    Args:
        context: The graph, limits and tables; the bodies are counted in its table.
        sources: Source of each query, [queries].
        step: The step of all queries.
        answers: Answer of each query, [queries].
        first: Number of the first query; the others follow.
        work: Work limit in edges. One query takes about twice `context.query_work` at most.

    Returns:
        The work that is left, 0 or less if the limit is reached.
    """
    left, endings = int64(work), context.endings
    for i in range(sources.size):
        mask = Mask(int64(sources[i]), int64(step), int64(answers[i]))
        if mask.source == mask.target:
            continue
        if left <= 0:
            break
        size = find_endings(context, mask, int64(first + i))
        left -= size
        allowed = min(left, int64(context.query_work))
        left += search(context, mask, allowed, int64(first + i)) - allowed
        for ending in range(size):
            endings.heads[endings.starts[ending]] = -1
    return left


@njit_free
def take_bodies(bodies: BodyTable, support: int, keys: Array, scores: Array) -> int:
    """Take the bodies with enough support out of the table, and empty it.

    Args:
        bodies: The table.
        support: Minimum support.
        keys: Output, number of each body, [capacity].
        scores: Output, score of each body, [capacity].

    Returns:
        The number of bodies taken.
    """
    count = int64(0)
    for position in range(bodies.size[0]):
        slot = bodies.filled[position]
        if bodies.supports[slot] >= support:
            keys[count], scores[count] = bodies.keys[slot], bodies.scores[slot]
            count += 1
        bodies.keys[slot] = 0
    bodies.size[0] = 0
    return count
