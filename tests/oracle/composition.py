"""Possible answers over the shortest paths of a query, in plain Python over dictionaries. Slow and obvious."""

from __future__ import annotations

from r5.graph import Graph

Table = list[list[list[float]]]


def distances(graph: Graph, start: int, goal: int, hidden: int, backwards: bool) -> dict[int, int]:
    """Distance of each node from `start`, without edges straight to `goal` and edges of the hidden fact."""
    sources, targets = graph.sources.tolist(), graph.targets.tolist()
    ends = list(zip(targets, sources, strict=True)) if backwards else list(zip(sources, targets, strict=True))
    known = {start: 0}
    for distance in range(graph.number_of_nodes):
        for edge, (first, second) in enumerate(ends):
            allowed = int(graph.facts[edge]) != hidden and (first, second) != (start, goal)
            if known.get(first) == distance and allowed:
                known.setdefault(second, distance + 1)
    return known


def spread(
    graph: Graph,
    words: list[int],
    query: tuple[int, int, int],
    table: Table,
    least: float,
    free: frozenset[int] = frozenset(),
) -> tuple[list[float], int, float]:
    """Possibilities, the length of the paths (-1 for none), and the agreement of the paths."""
    start, goal, hidden = query
    size = len(table)
    ahead = distances(graph, start, goal, hidden, backwards=False)
    behind = distances(graph, goal, start, hidden, backwards=True)
    if goal not in ahead or start == goal:
        return [1.0] * size, -1, 1.0
    length = ahead[goal]
    on_the_way = sorted(
        (node for node in ahead if node in behind and ahead[node] + behind[node] == length), key=lambda n: ahead[n]
    )
    state: dict[int, list[float]] = {}
    agree = 1.0
    for node in on_the_way[1:]:
        here = [1.0] * size
        for edge in graph.incoming.edges[graph.incoming.offsets[node] : graph.incoming.offsets[node + 1]].tolist():
            before = int(graph.sources[edge])
            if int(graph.facts[edge]) == hidden or before not in on_the_way or (before, node) == (start, goal):
                continue
            if ahead[before] + 1 == ahead[node]:
                step = _step(state.get(before), words[int(graph.relations[edge])], table, least, edge in free)
                here = [left * max(right, least) for left, right in zip(here, step, strict=True)]
        most = max(here)
        agree = min(agree, most)
        state[node] = [max(value / most, least) for value in here]
    return state[goal], length, agree


def _step(before: list[float] | None, relation: int, table: Table, least: float, free: bool) -> list[float]:
    """Possibilities after one more edge; None for those before it stands for the start."""
    size = len(table)
    if free or relation >= size:
        return [1.0] * size
    if before is None:
        return [1.0 if c == relation else least for c in range(size)]
    values = [max(before[a] * table[a][relation][c] for a in range(size)) for c in range(size)]
    return [value / max(values) for value in values]
