"""How fast paths are found: against networkx on the same questions, and on a graph with a million edges.

    python benchmarks/paths.py [--data DIR]

DIR holds the paper's data (R5_DATA, or ../shared/data); without it, generated data sets take its place.
"""

from __future__ import annotations

import argparse
import os
import resource
import time
from collections.abc import Iterator
from pathlib import Path

import networkx as nx
import numpy as np

import r5

HERE = Path(__file__).resolve().parents[1]
SETS = ("graphlog/world_17", "graphlog/re_0", "graphlog/re_2", "clutrr/data_089907f8", "clutrr/data_db9b8f04")
ROUNDS = 3


def data_sets(folder: Path) -> Iterator[tuple[str, r5.Examples]]:
    """The training examples of the paper's data sets, or of generated ones."""
    present = [name for name in SETS if (folder / name).is_dir()]
    for name in present:
        yield name, r5.load(folder / name).train
    if not present:
        yield "kinship (generated)", r5.load("kinship").train
        yield "world (generated)", r5.load("world", side_edges=40.0).train


def networkx_paths(graph: nx.MultiDiGraph, source: int, target: int, longest: int = 10) -> set[tuple[int, ...]]:
    """What `shortest` means, said with networkx."""
    for cutoff in range(2, longest + 1):
        paths = nx.all_simple_edge_paths(graph, source, target, cutoff=cutoff)
        found = {tuple(graph.edges[edge]["relation"] for edge in path) for path in paths if len(path) > 1}
        if found:
            return found
    return set()


def against_networkx(name: str, examples: r5.Examples) -> str:
    """Both on the same questions; graphs are made beforehand, and both must find the same sequences."""
    asked = []
    for example in examples:
        graph = nx.MultiDiGraph()
        graph.add_nodes_from(range(example.graph.number_of_nodes))
        edges = (example.graph.sources, example.graph.targets, example.graph.relations)
        for source, target, relation in zip(*(column.tolist() for column in edges), strict=True):
            graph.add_edge(source, target, relation=relation)
        asked.append((graph, example.query.source, example.query.target))
    start = time.perf_counter()
    expected = [networkx_paths(*question) for question in asked]
    theirs = time.perf_counter() - start
    ours = np.inf
    for _ in range(ROUNDS):
        start = time.perf_counter()
        found = r5.find_paths(examples)
        ours = min(ours, time.perf_counter() - start)
    if any(set(found[i]) != wanted for i, wanted in enumerate(expected)):
        raise SystemExit(f"{name}: networkx finds other sequences")
    return f"| {name} | {len(examples)} | {theirs:.3f} | {ours:.4f} | {theirs / ours:.0f} |"


def million_edges() -> Iterator[str]:
    """Sampled questions about one large graph; memory is what they took beyond the peak of making the graph."""
    rng = np.random.default_rng(0)
    nodes, edges, relations = 200_000, 1_000_000, 50
    graph = r5.Graph.from_arrays(
        r5.Vocabulary.of(f"r{i}" for i in range(relations)),
        [f"e{i}" for i in range(nodes)],
        rng.integers(0, nodes, edges),
        rng.integers(0, relations, edges),
        rng.integers(0, nodes, edges),
    )
    examples = r5.Examples.from_edges(graph, limit=10_000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for limit in (100, 10):
        start = time.perf_counter()
        found = r5.find_paths(examples, limit=limit)
        seconds = time.perf_counter() - start
        more = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
        sampled = 1 - found.complete.mean()
        yield f"| {limit} | {len(found.sequences)} | {sampled:.0%} | {seconds:.1f} | {more:.0f} |"


def loading(folder: Path) -> str:
    """All stories of CLUTRR with their paths."""
    start = time.perf_counter()
    examples = r5.load(folder / SETS[-1]).train
    found = r5.find_paths(examples)
    seconds = time.perf_counter() - start
    return f"{len(examples)} CLUTRR stories loaded, {len(found.sequences)} paths found: {seconds:.2f} s"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("R5_DATA", HERE.parent / "shared" / "data")))
    folder = parser.parse_args().data
    start = time.perf_counter()
    r5.find_paths(r5.load("kinship", train=2, valid=0, test=1).train)
    print(f"first call, compiling or reading what was compiled before: {time.perf_counter() - start:.1f} s\n")
    print("| questions of | n | networkx, s | r5, s | ratio |\n| --- | --- | --- | --- | --- |")
    for name, examples in data_sets(folder):
        print(against_networkx(name, examples), flush=True)
    print("\n1,000,000 edges, 10,000 questions, policy shortest:\n")
    print("| limit | sequences | sampled | s | peak memory beyond making the graph, MiB |")
    print("| --- | --- | --- | --- | --- |")
    for row in million_edges():
        print(row, flush=True)
    if (folder / SETS[-1]).is_dir():
        print("\n" + loading(folder))


if __name__ == "__main__":
    main()
