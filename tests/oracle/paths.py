"""The relation sequences between two nodes, by trying every chain of edges. Slow and obvious."""

from __future__ import annotations

from r5.graph import Graph


def chains(graph: Graph, source: int, masked: int, max_length: int) -> list[tuple[int, ...]]:
    """All chains of up to `max_length` edges from the source on which no fact is masked or occurs twice."""
    ends, starts, facts = graph.targets.tolist(), graph.sources.tolist(), graph.facts.tolist()
    found: list[tuple[int, ...]] = []
    grown: list[tuple[int, ...]] = [()]
    for _ in range(max_length):
        grown = [
            (*chain, edge)
            for chain in grown
            for edge in range(len(ends))
            if starts[edge] == (ends[chain[-1]] if chain else source)
            and facts[edge] != masked
            and facts[edge] not in {facts[other] for other in chain}
        ]
        found += grown
    return found


def paths(
    graph: Graph, source: int, target: int, *, masked: int, policy: str, max_length: int, direct: str
) -> list[tuple[int, ...]]:
    """The chains that the policy admits, as edges; the shortest are those of the first length that has any."""
    simple = policy != "trail"
    if policy != "shortest":
        return _admitted(graph, source, target, masked, simple, max_length, direct)
    lengths = range(2, max(2, graph.number_of_edges) + 1)
    found = (_admitted(graph, source, target, masked, simple, length, direct) for length in lengths)
    return next(filter(None, found), [])


def _admitted(
    graph: Graph, source: int, target: int, masked: int, simple: bool, max_length: int, direct: str
) -> list[tuple[int, ...]]:
    admitted = [c for c in chains(graph, source, masked, max_length) if graph.targets[c[-1]] == target]
    if direct == "skip":
        admitted = [c for c in admitted if len(c) > 1]
    return [c for c in admitted if not simple or _is_simple(nodes_of(graph, source, c))]


def sequences(
    graph: Graph, source: int, target: int, dummy: int = -1, *, masked: int, policy: str, max_length: int, direct: str
) -> dict[tuple[int, ...], set[tuple[int, ...]]]:
    """The distinct relation sequences in order, each with the nodes of all paths that spell it."""
    found: dict[tuple[int, ...], set[tuple[int, ...]]] = {}
    options = {"masked": masked, "policy": policy, "max_length": max_length, "direct": direct}
    for chain in paths(graph, source, target, **options):  # type: ignore[arg-type]
        relations, nodes = tuple(graph.relations[list(chain)].tolist()), nodes_of(graph, source, chain)
        if direct == "dummy" and len(chain) == 1:
            relations, nodes = (*relations, dummy), (*nodes, target)
        found.setdefault(relations, set()).add(nodes)
    return dict(sorted(found.items(), key=lambda item: (len(item[0]), item[0])))


def nodes_of(graph: Graph, source: int, chain: tuple[int, ...]) -> tuple[int, ...]:
    """The nodes along a chain of edges."""
    return (source, *graph.targets[list(chain)].tolist())


def _is_simple(nodes: tuple[int, ...]) -> bool:
    """No node twice, but that a path from a node to itself begins and ends there."""
    inner = nodes[:-1] if nodes[0] == nodes[-1] else nodes
    return len(set(inner)) == len(inner)
