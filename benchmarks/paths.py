"""Speed of the path search: against networkx on the same queries, on a large graph, and with loading.

All figures of a table are of one run on one machine, so ratios are comparable. The paper's data sets are expected in
the folder R5_DATA or next to the project; generated graphs replace missing ones.
"""

from __future__ import annotations

import os
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import networkx as nx
import numpy as np

import r5
from r5 import Example, Examples, Graph, Query, Vocabulary, find_paths

MAX_LENGTH = 10
RATIO_WANTED = 50
LOADING_WANTED = 2.0  # seconds
Result = TypeVar("Result")


def timed(work: Callable[[], Result], times: int = 1) -> tuple[float, Result]:
    """Return the minimum seconds of several runs, and the result."""
    seconds = []
    for _ in range(times):
        start = time.perf_counter()
        result = work()
        seconds.append(time.perf_counter() - start)
    return min(seconds), result


def random_graph(nodes: int, edges: int, relations: int, seed: int) -> Graph:
    """Return a graph with uniformly random edges."""
    rng = np.random.default_rng(seed)
    words = Vocabulary(tuple(f"r{i}" for i in range(relations)))
    columns = (rng.integers(0, high, edges) for high in (nodes, relations, nodes))
    return Graph.from_arrays(words, [f"n{i}" for i in range(nodes)], *columns)


def data_sets() -> dict[str, Path]:
    """Return the folders of the available data sets of the paper."""
    root = Path(os.environ.get("R5_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
    folders = sorted([*root.glob("clutrr/*"), *root.glob("graphlog/*")])
    return {f"{folder.parent.name}/{folder.name}": folder for folder in folders if folder.is_dir()}


def networkx_sequences(graph: nx.MultiDiGraph, query: Query) -> set[tuple[int, ...]]:
    """Return the paths of policy `shortest` by networkx: all simple paths at the first cutoff that has any."""
    found: set[tuple[int, ...]] = set()
    for cutoff in range(2, MAX_LENGTH + 1):
        for path in nx.all_simple_edge_paths(graph, query.source, query.target, cutoff):
            if len(path) > 1:
                found.add(tuple(graph.edges[edge]["relation"] for edge in path))
        if found:
            break
    return found


def as_networkx(example: Example) -> nx.MultiDiGraph:
    """Return the graph of an example as a networkx graph."""
    graph: nx.MultiDiGraph = nx.MultiDiGraph()
    source = example.graph
    graph.add_nodes_from(range(source.number_of_nodes))
    columns = (source.sources.tolist(), source.targets.tolist(), source.relations.tolist())
    graph.add_edges_from((s, t, {"relation": r}) for s, t, r in zip(*columns, strict=True))
    return graph


def against_networkx(name: str, examples: Examples) -> str:
    """Return a table row; both searches must give the same paths on all examples."""
    work = [(as_networkx(example), example.query) for example in examples]
    theirs, expected = timed(lambda: [networkx_sequences(*item) for item in work])
    ours, found = timed(lambda: find_paths(examples, max_length=MAX_LENGTH, limit=10**6), times=3)
    if any(set(found[i]) != truth for i, truth in enumerate(expected)):
        raise SystemExit(f"{name}: networkx finds other sequences")
    verdict = "" if theirs / ours >= RATIO_WANTED else f"  (at least {RATIO_WANTED} wanted)"
    return f"{name:<26}{len(examples):>8}{theirs:>12.3f}{ours:>10.4f}{theirs / ours:>8.0f}{verdict}"


def large_graph() -> str:
    """Return a row for a graph of a million edges with ten thousand queries."""
    graph = random_graph(200_000, 1_000_000, 50, seed=0)
    examples = Examples.from_edges(graph, limit=10_000)
    tracemalloc.start()
    seconds, found = timed(lambda: find_paths(examples))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return (
        f"{graph.number_of_edges:,} edges, {len(examples):,} queries: {seconds:.1f} s, "
        f"{len(found.sequences):,} sequences, at most {peak / 2**20:.0f} MB more memory"
    )


def loading(folder: Path) -> str:
    """Return a row for a CLUTRR folder, from its files to the paths of its training stories."""
    seconds, paths = timed(lambda: find_paths(r5.load(folder).train), times=3)
    verdict = "" if seconds <= LOADING_WANTED else f"  (at most {LOADING_WANTED} s wanted)"
    return f"{folder.name}: {len(paths):,} stories with their paths: {seconds:.2f} s{verdict}"


def main() -> None:
    chain = Graph.from_triples([("a", "r", "b"), ("b", "r", "c")])
    compiling, _ = timed(lambda: find_paths(Example(chain, Query(0, 2))))
    folders = data_sets()
    if folders:
        sets = {name: r5.load(folder).train for name, folder in folders.items()}
    else:
        small = [Example(random_graph(30, 75, 10, seed), Query(0, 1)) for seed in range(1000)]
        sets = {"generated, 75 edges each": Examples.of(small)}
    lines = [against_networkx(name, examples) for name, examples in sets.items()]
    lines += ["", large_graph()]
    lines += [loading(folder) for name, folder in folders.items() if name.startswith("clutrr/")]
    print(f"first call (compiles, or loads what was compiled before): {compiling:.1f} s\n")
    print(f"{'shortest paths':<26}{'queries':>8}{'networkx s':>12}{'r5 s':>10}{'ratio':>8}")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
