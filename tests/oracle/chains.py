"""Slow twin of walks, masking, mining and ranks: lists of edges and exhaustive search."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from fractions import Fraction

Facts = Sequence[tuple[int, int, int]]
"""Distinct facts: head, relation, tail."""
Edge = tuple[int, int, int]
"""Source, step, target."""


def symmetric(facts: Facts, relations: int) -> list[bool]:
    """Return whether each relation is symmetric: at least half of its facts, self loops aside, hold reversed too."""
    is_symmetric = []
    for relation in range(relations):
        own = [(h, t) for h, r, t in facts if r == relation and h != t]
        is_symmetric.append(bool(own) and 2 * sum((t, h) in own for h, t in own) >= len(own))
    return is_symmetric


def edges(facts: Facts, relations: int) -> list[Edge]:
    """Return two edges for each fact; the step back is r + relations, or r for a symmetric relation."""
    is_symmetric = symmetric(facts, relations)
    back = [(t, r if is_symmetric[r] else r + relations, h) for h, r, t in facts]
    return [*facts, *back]


def inverse(step: int, facts: Facts, relations: int) -> int:
    """Return the inverse step."""
    if symmetric(facts, relations)[step % relations]:
        return step
    return (step + relations) % (2 * relations)


def remove_facts(facts: Facts, relations: int, start: int, step: int, end: int) -> list[Edge]:
    """Return the edges without one edge and its inverse."""
    left = edges(facts, relations)
    left.remove((start, step, end))
    left.remove((end, inverse(step, facts, relations), start))
    return left


def walks(left: Iterable[Edge], start: int, body: Sequence[int]) -> list[list[Edge]]:
    """Return all walks along a body that do not return to the start."""
    left = list(left)
    prefixes: list[list[Edge]] = [[]]
    for step in body:
        prefixes = [
            [*walk, edge]
            for walk in prefixes
            for edge in left
            if edge[0] == (walk[-1][2] if walk else start) and edge[1] == step and edge[2] != start
        ]
    return prefixes


def features(
    left: Sequence[Edge], start: int, body: Sequence[int], back_of: dict[int, int]
) -> dict[int, tuple[int, Fraction, Fraction]]:
    """Return groundings, forward and backward walk probability of each entity that a body reaches."""
    size: dict[tuple[int, int], int] = defaultdict(int)
    for source, step, _ in left:
        size[source, step] += 1
    found: dict[int, tuple[int, Fraction, Fraction]] = {}
    for walk in walks(left, start, body):
        forward, back = Fraction(1), Fraction(1)
        for source, step, target in walk:
            forward /= size[source, step]
            back /= size[target, back_of[step]]
        groundings, before, after = found.get(walk[-1][2], (0, Fraction(0), Fraction(0)))
        found[walk[-1][2]] = groundings + 1, before + forward, after + back
    return found


def constants(left: Sequence[Edge], start: int, rule: Sequence[int]) -> set[int]:
    """Return the entities that `h(X, c) <= b(X, d)` reaches: c from X or, reversed, all X from c; never the start."""
    step, having, answer, reversed_ = rule
    if reversed_:
        ends = {a for a, s, b in left if step >= 0 and (s, b) == (step, having) and start == answer}
    else:
        ends = {answer} if step < 0 or (start, step, having) in left else set()
    return ends - {start}


def bodies(left: Sequence[Edge], start: int, end: int, length: int) -> dict[tuple[int, ...], Fraction]:
    """Return the bodies of all simple paths between two entities, each with its total walk probability."""
    size: dict[tuple[int, int], int] = defaultdict(int)
    for source, step, _ in left:
        size[source, step] += 1
    found: dict[tuple[int, ...], Fraction] = defaultdict(Fraction)

    def extend(node: int, seen: tuple[int, ...], body: tuple[int, ...], probability: Fraction) -> None:
        if node == end:
            found[body] += probability
            return
        if len(body) == length:
            return
        for source, step, target in left:
            if source == node and target not in seen:
                extend(target, (*seen, target), (*body, step), probability / size[source, step])

    if start != end:
        extend(start, (start,), (), Fraction(1))
    return dict(found)


def places(scores: Sequence[float], answer: int, known: Iterable[int]) -> tuple[int, int]:
    """Return the numbers of entities that score higher than the answer and the same, known answers aside."""
    others = [node for node in range(len(scores)) if node != answer and node not in set(known)]
    return sum(scores[n] > scores[answer] for n in others), sum(scores[n] == scores[answer] for n in others)


def sampled_bodies(
    facts: Facts,
    relations: int,
    start: int,
    step: int,
    end: int,
    length: int,
    query: int,
    max_degree: int,
    max_endings: int,
) -> dict[tuple[int, ...], Fraction]:
    """Return `bodies` with sampled edges: an entity with many edges has every nth followed, with a weight of n."""
    all_edges, left = sorted(edges(facts, relations)), remove_facts(facts, relations, start, step, end)
    size: dict[tuple[int, int], int] = defaultdict(int)
    for source, kind, _ in left:
        size[source, kind] += 1

    def sample(node: int, limit: int) -> tuple[int, list[Edge]]:
        own = [(edge, position) for position, edge in enumerate(all_edges) if edge[0] == node]
        stride = 1 + len(own) // limit
        masked = all_edges.index((end, inverse(step, facts, relations), start))
        return stride, [edge for edge, position in own[query % stride :: stride] if position != masked]

    endings: list[tuple[int, int, tuple[int, ...], Fraction]] = []
    share = max(max_endings // min(sum(edge[0] == end for edge in all_edges), max_degree), 1)
    stride, last = sample(end, max_degree)
    for _, back, middle in last:
        second = inverse(back, facts, relations)
        if middle == end:
            continue
        probability = Fraction(stride, size[middle, second])
        endings.append((middle, -1, (second,), probability))
        if length < 3 or middle == start:
            continue
        inner, before = sample(middle, share)
        for _, farther, node in before:
            first = inverse(farther, facts, relations)
            if node not in (start, end, middle):
                endings.append((node, middle, (first, second), probability * Fraction(inner, size[node, first])))
    found: dict[tuple[int, ...], Fraction] = defaultdict(Fraction)

    def extend(path: tuple[int, ...], body: tuple[int, ...], probability: Fraction) -> None:
        for node, middle, rest, rest_probability in endings:
            is_counted = len(rest) == 2 or len(body) <= 1
            if node == path[-1] and len(body + rest) <= length and is_counted and middle not in path:
                found[body + rest] += probability * rest_probability
        if len(body) < max(length - 2, 1):
            stride, forward = sample(path[-1], max_degree)
            for source, kind, target in forward:
                if target not in (*path, end):
                    extend((*path, target), (*body, kind), probability * Fraction(stride, size[source, kind]))

    if start != end:
        extend((start,), (), Fraction(1))
    return dict(found)
