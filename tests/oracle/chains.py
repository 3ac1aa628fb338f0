"""Chains of steps by trying everything: edges in lists, walks one by one, ranks by comparing. Slow and obvious."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from fractions import Fraction

Facts = Sequence[tuple[int, int, int]]
"""Head, relation and tail, each fact once."""
Edge = tuple[int, int, int]


def symmetric(facts: Facts, relations: int) -> list[bool]:
    """Whether half of a relation's facts or more hold the other way round; facts of one entity do not tell."""
    found = []
    for relation in range(relations):
        own = [(h, t) for h, r, t in facts if r == relation and h != t]
        found.append(bool(own) and 2 * sum((t, h) in own for h, t in own) >= len(own))
    return found


def edges(facts: Facts, relations: int) -> list[Edge]:
    """Each fact as two edges (from, step, to); back is step + relations, or the same step where it is symmetric."""
    same = symmetric(facts, relations)
    back = [(t, r if same[r] else r + relations, h) for h, r, t in facts]
    return [*facts, *back]


def inverse(step: int, facts: Facts, relations: int) -> int:
    """The step that leads back."""
    if symmetric(facts, relations)[step % relations]:
        return step
    return (step + relations) % (2 * relations)


def remove_facts(facts: Facts, relations: int, start: int, step: int, end: int) -> list[Edge]:
    """The edges without one edge and one that leads back."""
    left = edges(facts, relations)
    left.remove((start, step, end))
    left.remove((end, inverse(step, facts, relations), start))
    return left


def walks(left: Iterable[Edge], start: int, body: Sequence[int]) -> list[list[Edge]]:
    """All sequences of edges along a body that do not come back to where they start."""
    left = list(left)
    found: list[list[Edge]] = [[]]
    for step in body:
        found = [
            [*walk, edge]
            for walk in found
            for edge in left
            if edge[0] == (walk[-1][2] if walk else start) and edge[1] == step and edge[2] != start
        ]
    return found


def features(
    left: Sequence[Edge], start: int, body: Sequence[int], back_of: dict[int, int]
) -> dict[int, tuple[int, Fraction, Fraction]]:
    """For each entity that a body leads to: how many walks do, how likely a random one does, and one back."""
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
    """What `h(X, c) <= b(X, d)` leads to: from X to c or, read from its end, from c to all X; never to the start."""
    step, having, answer, reversed_ = rule
    if reversed_:
        ends = {a for a, s, b in left if step >= 0 and (s, b) == (step, having) and start == answer}
    else:
        ends = {answer} if step < 0 or (start, step, having) in left else set()
    return ends - {start}


def bodies(left: Sequence[Edge], start: int, end: int, length: int) -> dict[tuple[int, ...], Fraction]:
    """The bodies of all paths from one entity to another that visit no entity twice, and how likely walks are."""
    size: dict[tuple[int, int], int] = defaultdict(int)
    for source, step, _ in left:
        size[source, step] += 1
    found: dict[tuple[int, ...], Fraction] = defaultdict(Fraction)

    def go(node: int, seen: tuple[int, ...], body: tuple[int, ...], chance: Fraction) -> None:
        if node == end:
            found[body] += chance
            return
        if len(body) == length:
            return
        for source, step, target in left:
            if source == node and target not in seen:
                go(target, (*seen, target), (*body, step), chance / size[source, step])

    if start != end:
        go(start, (start,), (), Fraction(1))
    return dict(found)


def places(scores: Sequence[float], answer: int, known: Iterable[int]) -> tuple[int, int]:
    """How many entities score higher than the answer and how many the same, other known answers aside."""
    others = [node for node in range(len(scores)) if node != answer and node not in set(known)]
    return sum(scores[n] > scores[answer] for n in others), sum(scores[n] == scores[answer] for n in others)


def sampled_bodies(
    facts: Facts, relations: int, start: int, step: int, end: int, length: int, query: int, fan: int, most: int
) -> dict[tuple[int, ...], Fraction]:
    """As `bodies`, but of an entity with many edges every nth is followed, from `query` on, and counts for n."""
    every, left = sorted(edges(facts, relations)), remove_facts(facts, relations, start, step, end)
    size: dict[tuple[int, int], int] = defaultdict(int)
    for source, kind, _ in left:
        size[source, kind] += 1

    def some(node: int, limit: int) -> tuple[int, list[Edge]]:
        own = [(edge, place) for place, edge in enumerate(every) if edge[0] == node]
        stride = 1 + len(own) // limit
        mask = every.index((end, inverse(step, facts, relations), start))
        return stride, [edge for edge, place in own[query % stride :: stride] if place != mask]

    endings: list[tuple[int, int, tuple[int, ...], Fraction]] = []
    workspace = max(most // min(sum(edge[0] == end for edge in every), fan), 1)
    stride, last = some(end, fan)
    for _, back, middle in last:
        second = inverse(back, facts, relations)
        if middle == end:
            continue
        chance = Fraction(stride, size[middle, second])
        endings.append((middle, -1, (second,), chance))
        if length < 3 or middle == start:
            continue
        inner, before = some(middle, workspace)
        for _, farther, node in before:
            first = inverse(farther, facts, relations)
            if node not in (start, end, middle):
                endings.append((node, middle, (first, second), chance * Fraction(inner, size[node, first])))
    found: dict[tuple[int, ...], Fraction] = defaultdict(Fraction)

    def go(way: tuple[int, ...], body: tuple[int, ...], chance: Fraction) -> None:
        for node, middle, more, likely in endings:
            is_counted = len(more) == 2 or len(body) <= 1
            if node == way[-1] and len(body + more) <= length and is_counted and middle not in way:
                found[body + more] += chance * likely
        if len(body) < max(length - 2, 1):
            stride, forward = some(way[-1], fan)
            for source, kind, target in forward:
                if target not in (*way, end):
                    go((*way, target), (*body, kind), chance * Fraction(stride, size[source, kind]))

    if start != end:
        go((start,), (), Fraction(1))
    return dict(found)
