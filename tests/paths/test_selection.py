"""select_paths: paths by settings, always with the shortest."""

from __future__ import annotations

from itertools import pairwise

import pytest

from r5.examples import Examples
from r5.graph import Graph
from r5.paths.search import find_paths
from r5.paths.selection import select_paths
from r5.paths.settings import PathSettings, Policy


def ladder(length: int) -> Examples:
    """Two paths from s to t: a chain of `a` and a chain of `b` that is longer by one."""
    triples = []
    for relation, edges in (("a", length), ("b", length + 1)):
        names = ["s", *(f"{relation}{i}" for i in range(edges - 1)), "t"]
        triples += [(x, relation, y) for x, y in pairwise(names)]
    graph = Graph.from_triples(triples)
    return Examples.over(graph, [graph.node("s")], [graph.node("t")], [-1])


@pytest.mark.parametrize("policy", ["shortest", "simple", "trail"])
def test_shortest_paths_ignore_longest_path(policy: Policy) -> None:
    found = select_paths(ladder(14), policy, PathSettings(longest_path=10))
    assert found.names(0) == [("a",) * 14]
    assert found.witnesses(0)[0][0] == 0


def test_longer_paths_are_added_up_to_longest_path() -> None:
    examples = ladder(4)
    assert select_paths(examples, "simple", PathSettings(longest_path=4)).names(0) == [("a",) * 4]
    both = select_paths(examples, "simple", PathSettings(longest_path=5), nodes=False)
    assert sorted(both.names(0)) == [("a",) * 4, ("b",) * 5]
    assert both.nodes is None


def test_shortest_paths_are_kept_beside_a_sample() -> None:
    names = [f"n{i}" for i in range(6)]
    wide = Graph.from_triples(
        [("n0", "short", "x"), ("x", "short", "n5")] + [(x, r, y) for x, y in pairwise(names) for r in "abcdef"]
    )
    examples = Examples.over(wide, [0], [wide.node("n5")], [-1])
    for seed in range(5):
        settings = PathSettings(seed=seed, path_limit=3)
        assert ("short", "short") in select_paths(examples, "trail", settings).names(0)
        assert len(select_paths(examples, "trail", settings)[0]) <= 4


def test_each_policy_agrees_with_find_paths_without_bounds() -> None:
    examples = ladder(3)
    for policy in ("simple", "trail"):
        found = select_paths(examples, policy, PathSettings())
        assert sorted(found[0]) == sorted(find_paths(examples, policy, max_length=10)[0])


def test_answer_paths_default_to_training_paths() -> None:
    assert PathSettings(training_paths="trail").policy == "trail"
    assert PathSettings(training_paths="trail", answer_paths="simple").policy == "simple"
