"""Speed of rule counts on a graph: against sets of pairs in plain Python, and on 100,000 edges.

The ratio is of two counts of the same rules on the same graph in one run. One large graph is uniformly random; in the
other one a few hubs have a large share of the edges, as in most knowledge graphs.
"""

from __future__ import annotations

import sys
import time
import tracemalloc
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from r5 import Graph, Rule, RuleSet, Vocabulary
from tests.oracle import rules as twin

RATIO_WANTED = 20
SECONDS_WANTED = 10.0


def names_of(relations: int) -> list[str]:
    return [f"r{i}" for i in range(relations)]


def random_graph(nodes: int, edges: int, relations: int, seed: int, hubs: bool = False) -> Graph:
    """Return a graph with random edges; with hubs, node i has a weight of 1 / (i + 1)."""
    rng = np.random.default_rng(seed)
    weights = 1.0 / np.arange(1, nodes + 1) if hubs else np.ones(nodes)
    ends = [rng.choice(nodes, edges, p=weights / weights.sum()) for _ in range(2)]
    kinds = rng.integers(0, relations, edges)
    return Graph.from_arrays(
        Vocabulary(tuple(names_of(relations))), [f"n{i}" for i in range(nodes)], ends[0], kinds, ends[1]
    )


def random_rules(count: int, relations: int, length: int, seed: int) -> RuleSet:
    """Return distinct rules with bodies of two to `length` relations, inverse ones included."""
    rng = np.random.default_rng(seed)
    names = [*names_of(relations), *(f"{name}^-1" for name in names_of(relations))]
    found: dict[tuple[str, ...], Rule] = {}
    while len(found) < count:
        body = tuple(names[i] for i in rng.integers(0, len(names), rng.integers(2, length + 1)))
        found[body] = Rule(names[rng.integers(relations)], body)
    return RuleSet.of(found.values())


def against_twin() -> str:
    """Return a table row; both counts must be the same."""
    graph = random_graph(2_000, 10_000, 10, seed=0)
    rules = random_rules(40, 10, 3, seed=0)
    start = time.perf_counter()
    expected = [twin.count(rule, graph, False)[:2] for rule in rules]
    slow = time.perf_counter() - start
    start = time.perf_counter()
    found = rules.evaluate(graph)
    fast = time.perf_counter() - start
    if [(rule.predictions, rule.support) for rule in found] != expected:
        raise SystemExit("the plain twin counts otherwise")
    verdict = "" if slow / fast >= RATIO_WANTED else f"  (at least {RATIO_WANTED} wanted)"
    figures = f"plain {slow:.2f} s, kernels {fast:.3f} s, ratio {slow / fast:.0f}{verdict}"
    return f"{len(rules)} rules, {graph.number_of_edges:,} edges: {figures}"


def large(title: str, graph: Graph, rules: RuleSet) -> str:
    """Return a row with seconds and memory of one count."""
    tracemalloc.start()
    start = time.perf_counter()
    found = rules.evaluate(graph)
    seconds = time.perf_counter() - start
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    pairs = sum(rule.predictions or 0 for rule in found)
    verdict = "" if seconds <= SECONDS_WANTED else f"  (at most {SECONDS_WANTED:.0f} s wanted)"
    return f"{title:<34}{len(rules):>7,}{pairs:>18,}{seconds:>9.2f}{peak / 2**20:>8.0f}{verdict}"


def main() -> None:
    start = time.perf_counter()
    random_rules(3, 2, 3, seed=0).evaluate(random_graph(10, 20, 2, seed=0))
    print(f"first call (compiles, or loads what was compiled before): {time.perf_counter() - start:.1f} s\n")
    print(against_twin() + "\n")
    print(f"{'100,000 edges, 50 relations':<34}{'rules':>7}{'pairs connected':>18}{'seconds':>9}{'MB':>8}")
    plain = random_graph(20_000, 100_000, 50, seed=0)
    hubs = random_graph(20_000, 100_000, 50, seed=0, hubs=True)
    print(large("no structure, bodies of 2 and 3", plain, random_rules(300, 50, 3, seed=1)))
    print(large("no structure, bodies of 2 to 4", plain, random_rules(3_000, 50, 4, seed=1)))
    print(large("hubs, bodies of 2", hubs, random_rules(300, 50, 2, seed=1)))
    print(large("hubs, bodies of 2 and 3", hubs, random_rules(300, 50, 3, seed=1)))
    print(large("hubs, bodies of 2, many rules", hubs, random_rules(3_000, 50, 2, seed=1)))


if __name__ == "__main__":
    main()
