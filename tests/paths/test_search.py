"""find_paths against brute force, its samples against the uniform distribution, and cases by hand."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from r5.data.generators.world.dataset import generate_world
from r5.errors import R5Error
from r5.examples import Example, Examples, Query
from r5.graph import Graph
from r5.paths.search import PathSet, find_paths
from r5.relations import DUMMY, Vocabulary
from tests.oracle.paths import sequences

WORDS = Vocabulary(("a", "b", "c"))
EVERYTHING = 10**20


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """Small multigraphs: loops, parallel and repeated edges, lonely nodes; some with inverses, some with hyperedges."""
    names = [f"n{i}" for i in range(draw(st.integers(1, 5)))]
    node, relation = st.sampled_from(names), st.sampled_from(WORDS.known)
    kind = draw(st.sampled_from(["plain", "inverse", "hyper"]))
    if kind == "hyper":
        arguments = st.lists(node, min_size=2, max_size=3)
        facts = draw(st.lists(st.tuples(relation, arguments), min_size=1, max_size=5))
        graph = Graph.from_facts(facts, WORDS)
    else:
        triples = draw(st.lists(st.tuples(node, relation, node), max_size=9 if kind == "plain" else 6))
        graph = Graph.from_triples(triples, WORDS, inverse=kind == "inverse")
    if graph.number_of_nodes == 0:
        return Graph.from_arrays(graph.vocabulary, ["n0"], *[np.zeros(0, np.int32)] * 3)
    return graph


@st.composite
def examples_of(draw: st.DrawFn, graph: Graph) -> Example:
    """Queries over any two nodes, some with a masked fact."""
    node = st.integers(0, graph.number_of_nodes - 1)
    facts = sorted(set(graph.facts.tolist()))
    masked = draw(st.sampled_from([-1, *facts]))
    return Example(graph, Query(draw(node), draw(node)), masked_fact=masked)


def expected(example: Example, paths: PathSet, **options: object) -> dict[tuple[int, ...], set[tuple[int, ...]]]:
    """Return the sequences found by brute force."""
    dummy = paths.vocabulary.id(DUMMY) if options["direct"] == "dummy" else -1
    query = example.query
    return sequences(example.graph, query.source, query.target, dummy, masked=example.masked_fact, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("direct", ["skip", "keep", "dummy"])
@pytest.mark.parametrize("policy", ["shortest", "simple", "trail"])
@settings(max_examples=60, deadline=None)
@given(data=st.data(), max_length=st.integers(2, 5))
def test_paths_agree_with_brute_force(policy: str, direct: str, data: st.DataObject, max_length: int) -> None:
    graph = data.draw(graphs())
    batch = data.draw(st.lists(examples_of(graph), min_size=1, max_size=4))
    options = {"policy": policy, "direct": direct, "max_length": max_length}
    found = find_paths(Examples.of(batch), **options, limit=EVERYTHING, nodes=True)  # type: ignore[arg-type]
    assert found.complete.all()
    for i, example in enumerate(batch):
        truth = expected(example, found, **options)
        assert found[i] == list(truth)
        assert all(nodes in truth[row] for row, nodes in zip(found[i], found.witnesses(i), strict=True))


@settings(max_examples=100, deadline=None)
@given(data=st.data(), limit=st.integers(1, 6), policy=st.sampled_from(["shortest", "simple", "trail"]))
def test_samples_are_distinct_and_of_the_requested_size(data: st.DataObject, limit: int, policy: str) -> None:
    example = data.draw(examples_of(data.draw(graphs())))
    options = {"policy": policy, "direct": "keep", "max_length": 4}
    found = find_paths(example, **options, limit=limit, nodes=True, seed=3)  # type: ignore[arg-type]
    truth = expected(example, found, **options)
    assert len(found[0]) == min(limit, len(truth))
    assert found[0] == sorted(set(found[0]), key=lambda row: (len(row), row))
    assert found.complete[0] == (len(truth) <= limit)
    assert all(nodes in truth[row] for row, nodes in zip(found[0], found.witnesses(0), strict=True))


def layered(widths: list[int], many: str = "a", few: str = "bc") -> Graph:
    """Layers of nodes; `many` leads from each node to every one of the next layer, `few` only to its first."""
    layers = [[f"{depth}.{k}" for k in range(width)] for depth, width in enumerate(widths)]
    triples = []
    for near, far in pairwise(layers):
        triples += [(x, many, y) for x in near for y in far]
        triples += [(x, relation, far[0]) for x in near for relation in few]
    return Graph.from_triples(triples, Vocabulary.of(many + few))


def complete_graph(size: int, relations: str) -> Graph:
    """Every node leads to every other by every relation."""
    names = [f"n{i}" for i in range(size)]
    return Graph.from_triples((x, r, y) for x in names for y in names if x != y for r in relations)


def chi_square(counts: Counter[tuple[int, ...]], cells: int) -> float:
    """Return the deviation of counts from uniformity, in standard deviations of the chi-square distribution."""
    mean = counts.total() / cells
    statistic = sum((counts[cell] - mean) ** 2 / mean for cell in counts) + mean * (cells - len(counts))
    return float((statistic - (cells - 1)) / np.sqrt(2 * (cells - 1)))


def asked(graph: Graph, source: str, target: str, masked: tuple[str, str, str] | None = None) -> Example:
    """Build a query by names, with an optional masked edge."""
    fact = -1 if masked is None else int(graph.facts[graph.triples().index(masked)])
    return Example(graph, Query(graph.node(source), graph.node(target)), masked_fact=fact)


SAMPLED = {
    # "a" has up to 4 * 4 paths where "b" and "c" have one: drawing paths would favour it by far.
    "many paths per sequence": (asked(layered([1, 4, 4, 1]), "0.0", "3.0"), "simple", 3, 27),
    "far apart": (asked(layered([1, 8, 3, 2, 1], few="b"), "0.0", "4.0"), "shortest", 10, 16),
    # Here most walks must be thrown away.
    "walks that are not simple": (asked(complete_graph(5, "ab"), "n0", "n4"), "simple", 4, 28),
    "walks that are not trails": (asked(complete_graph(3, "ab"), "n0", "n2"), "trail", 4, 28),
    "cycles": (asked(complete_graph(4, "ab"), "n0", "n0"), "simple", 4, 28),
    "a masked fact": (asked(complete_graph(4, "abc"), "n0", "n3", masked=("n0", "a", "n1")), "simple", 3, 36),
    "many edges at a node": (asked(layered([1, 40, 1], few="bcdefg"), "0.0", "2.0"), "shortest", 10, 49),
}


@pytest.mark.parametrize("limit", [1, 3, 15])
@pytest.mark.parametrize("case", SAMPLED)
def test_samples_are_uniform_over_sequences(case: str, limit: int) -> None:
    example, policy, max_length, cells = SAMPLED[case]
    everything = find_paths(example, policy, max_length=max_length)  # type: ignore[arg-type]
    assert len(everything[0]) == cells
    counts: Counter[tuple[int, ...]] = Counter()
    for seed in range(1000 // limit):
        found = find_paths(example, policy, max_length=max_length, limit=limit, seed=seed)  # type: ignore[arg-type]
        assert len(found[0]) == limit
        counts.update(found[0])
    assert set(counts) == set(everything[0])
    assert chi_square(counts, cells) < 3


def test_the_seed_determines_the_sample() -> None:
    example = Example(layered([1, 4, 4, 4, 1]), Query(0, 13))
    first, again, other = (find_paths(example, limit=10, seed=seed, nodes=True) for seed in (7, 7, 8))
    assert len(first[0]) == 10
    assert not first.complete[0]
    assert first[0] == again[0]
    assert first.witnesses(0) == again.witnesses(0)
    assert first[0] != other[0]
    assert find_paths(example, limit=10, seed=-(2**70))[0] != first[0]


def test_paths_do_not_depend_on_the_batch() -> None:
    graph, small = layered([1, 4, 4, 1]), complete_graph(5, "abc")
    queries = [Query(source, target) for source in range(5) for target in range(5)]
    batch = Examples.of([Example(g, query) for query in queries for g in (graph, small)])
    for options in ({"limit": 5}, {"limit": 1000}):
        found = find_paths(batch, "simple", max_length=4, nodes=True, **options)
        for i, example in enumerate(batch):
            alone = find_paths(example, "simple", max_length=4, nodes=True, **options)
            assert alone[0] == found[i]
            assert alone.witnesses(0) == found.witnesses(i)
            assert alone.complete[0] == found.complete[i]


def test_enumerated_sequences_complete_the_sample_in_dense_graphs() -> None:
    """Few walks of up to 19 edges in a complete graph of 20 nodes are simple."""
    found = find_paths(Example(complete_graph(20, "ab"), Query(0, 1)), "simple", max_length=19, limit=50, nodes=True)
    assert len(found[0]) == len(set(found[0])) == 50
    assert not found.complete[0]
    assert all(len(set(nodes)) == len(nodes) for nodes in found.witnesses(0))


def test_steps_bound_the_search() -> None:
    """A million paths have one sequence: it is found, but not proven to be the only one."""
    graph = layered([1, 100, 100, 100, 1], few="")
    found = find_paths(Example(graph, Query(0, graph.node("4.0"))), steps_per_sequence=100)
    assert found[0] == [(0, 0, 0, 0)]
    assert not found.complete[0]


def test_steps_are_bounded_without_a_path() -> None:
    """The steps are spent on dead ends; the skipped direct edge is the only walk."""
    graph = Graph.from_triples([*(("s", "a", f"n{i}") for i in range(200)), ("s", "b", "t")])
    found = find_paths(asked(graph, "s", "t"), "trail", steps_per_sequence=1)
    assert found[0] == []
    assert not found.complete[0]


def test_steps_are_bounded_over_all_cutoffs() -> None:
    """A tree with inverses has no cycle, though walks lead back from every distance."""
    graph = Graph.from_triples([("s", "a", "n0"), *((f"n{i}", "a", f"n{i + 1}") for i in range(500))]).with_inverses()
    found = find_paths(asked(graph, "s", "s"), steps_per_sequence=10)
    assert found[0] == []
    assert not found.complete[0]


def test_long_chains_and_counts_beyond_the_float_range() -> None:
    names = [f"n{i}" for i in range(201)]
    chain = Graph.from_triples((x, "next", y) for x, y in pairwise(names))
    found = find_paths(Example(chain, Query(0, 200)), max_length=200, nodes=True)
    assert found[0] == [(0,) * 200]
    assert found.witnesses(0) == [tuple(range(201))]
    assert find_paths(Example(chain, Query(0, 200)), max_length=2)[0] == [(0,) * 200]  # a shortest path is never cut
    assert find_paths(Example(chain, Query(0, 200)), "trail", max_length=199)[0] == []
    relations = [f"r{k}" for k in range(60)]  # 60 ** 200 walks
    wide = Graph.from_triples((x, r, y) for x, y in pairwise(names) for r in relations)
    for policy in ("shortest", "simple", "trail"):
        rows = find_paths(Example(wide, Query(0, 200)), policy, max_length=200, limit=5)[0]  # type: ignore[arg-type]
        assert [len(row) for row in rows] == [200] * 5
        assert min(len(set(row)) for row in rows) > 40  # drawn, not merely the first ones met


def test_buffers_grow_with_the_result() -> None:
    """Each chain of n steps by any of 4 relations has 4 ** n sequences: buffers must grow and be emptied."""
    names = [f"n{i}" for i in range(9)]
    graph = Graph.from_triples((x, r, y) for x, y in pairwise(names) for r in "abcd")
    found = find_paths(Examples.over(graph, [0] * 20, [6] * 20, [-1] * 20), limit=EVERYTHING)
    assert found.complete.all()
    truth = list(product(range(4), repeat=6))
    assert found[0] == found[19] == truth
    assert np.array_equal(np.diff(found.starts), [len(truth)] * 20)
    large = find_paths(Example(graph, Query(0, 8)), limit=EVERYTHING)
    assert len(large[0]) == 4**8
    assert len(find_paths(Example(graph, Query(0, 8)), limit=3000)[0]) == 3000


def test_shortest_takes_the_smallest_cutoff_of_at_least_two() -> None:
    triples = [("s", "d", "t"), ("s", "a", "x"), ("x", "a", "y"), ("y", "a", "t"), ("x", "b", "y"), ("y", "b", "z")]
    graph = Graph.from_triples([*triples, ("z", "b", "t")])
    example = Example(graph, Query(graph.node("s"), graph.node("t")))
    assert find_paths(example).names(0) == [("a", "a", "a"), ("a", "b", "a")]
    assert find_paths(example, direct="keep").names(0) == [("d",)]
    assert find_paths(example, direct="dummy").names(0) == [("d", DUMMY)]
    assert len(find_paths(example, "simple")[0]) == 4
    assert find_paths(example, max_length=2)[0] == find_paths(example)[0]
    assert find_paths(example, "simple", max_length=2)[0] == []


def test_the_dummy_relation_is_last_in_the_vocabulary() -> None:
    graph = Graph.from_triples([("s", "a", "t"), ("s", "b", "x"), ("x", "b", "t")])
    found = find_paths(Example(graph, Query(0, 1)), direct="dummy", nodes=True)
    assert found.vocabulary.known == ("a", "b", DUMMY)
    assert found.names(0) == [("a", DUMMY), ("b", "b")]
    assert found.witnesses(0) == [(0, 1, 1), (0, 2, 1)]
    assert find_paths(Example(graph, Query(0, 1)), direct="keep").vocabulary == graph.vocabulary


def test_trails_repeat_nodes() -> None:
    story = [("Ann", "son", "Bob"), ("Bob", "sister", "Cid"), ("Cid", "brother", "Bob"), ("Bob", "wife", "Dee")]
    graph = Graph.from_triples(story)
    example = Example(graph, Query(graph.node("Ann"), graph.node("Dee")))
    assert find_paths(example, "simple").names(0) == [("son", "wife")]
    assert find_paths(example, "trail").names(0) == [("son", "wife"), ("son", "sister", "brother", "wife")]


def test_trails_pass_through_the_target() -> None:
    graph = Graph.from_triples([("s", "a", "t"), ("t", "b", "x"), ("x", "c", "t")])
    example = Example(graph, Query(graph.node("s"), graph.node("t")))
    assert find_paths(example, "trail").names(0) == [("a", "b", "c")]
    assert find_paths(example, "trail", direct="keep").names(0) == [("a",), ("a", "b", "c")]


def test_a_path_uses_a_hyperedge_once() -> None:
    graph = Graph.from_facts([("r0", ("x0", "x1", "x2")), ("r1", ("x1", "x2", "x7"))])
    there, near = (Example(graph, Query(graph.node("x0"), graph.node(end))) for end in ("x7", "x1"))
    assert find_paths(there).names(0) == find_paths(there, "simple").names(0) == [("r0", "r1")]
    assert find_paths(near, "simple").names(0) == [("r0", "r1")]  # never r0 again by way of x2
    assert find_paths(near, "simple", direct="keep").names(0) == [("r0",), ("r0", "r1")]


def test_shortest_raises_the_cutoff_if_walks_repeat_a_fact() -> None:
    """From x back to x: the mother and the inverse of the same fact are no cycle, the next larger one is."""
    triples = [("x", "mother", "y"), ("y", "sister", "z"), ("z", "child", "x")]
    graph = Graph.from_triples(triples, inverse=True)
    found = find_paths(Example(graph, Query(0, 0))).names(0)
    assert found == [("mother", "sister", "child"), ("child^-1", "sister^-1", "mother^-1")]


@pytest.mark.parametrize("policy", ["shortest", "simple", "trail"])
def test_a_masked_fact_does_not_leak_through_its_inverse(policy: str) -> None:
    triples = [("s", "r", "t"), ("s", "r", "t"), ("s", "a", "t"), ("s", "b", "x"), ("x", "c", "t")]
    graph = Graph.from_triples(triples, inverse=True)
    open_, masked = (
        find_paths(Example(graph, Query(0, 1), masked_fact=fact), policy, direct="keep").names(0)  # type: ignore[arg-type]
        for fact in (-1, int(graph.facts[0]))
    )
    assert any("r" in row for row in open_)
    assert policy != "trail" or any("r^-1" in row for row in open_)
    assert masked
    assert not any({"r", "r^-1"} & set(row) for row in masked)


def test_a_query_without_paths_has_no_sequences() -> None:
    graph = Graph.from_triples([("a", "r", "b"), ("c", "r", "d")])
    found = find_paths(Examples.over(graph, [0, 1, 0], [3, 0, 0], [0, 0, 0]), nodes=True)
    assert [found[i] for i in range(3)] == [[], [], []]
    assert found.complete.all()
    assert len(find_paths(Examples.empty(WORDS))) == 0


def test_a_path_set_is_indexed_by_example() -> None:
    graph = Graph.from_triples([("a", "r", "b"), ("b", "s", "c"), ("b", "t", "c")])
    found = find_paths(Examples.over(graph, [0, 0], [1, 2], [0, 0]))
    assert found.starts.tolist() == [0, 0, 2]
    assert found.sequences.offsets.tolist() == [0, 2, 4]
    assert found[-1] == [(0, 1), (0, 2)]
    assert repr(found) == "PathSet(2 sequences of 2 examples)"
    with pytest.raises(R5Error, match="nodes=True"):
        found.witnesses(0)
    with pytest.raises(IndexError):
        found[2]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"policy": "longest"}, "policy is 'longest'; expected shortest, simple or trail"),
        ({"direct": "yes"}, "direct is 'yes'; expected skip, keep or dummy"),
        ({"max_length": 1}, "max_length is 1; expected at least 2"),
        ({"limit": 0}, "limit is 0; expected at least 1"),
    ],
)
def test_invalid_options_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(R5Error, match=message):
        find_paths(Examples.empty(WORDS), **options)  # type: ignore[arg-type]


def test_an_unknown_node_is_refused() -> None:
    graph = Graph.from_triples([("a", "r", "b")])
    with pytest.raises(R5Error, match=r"a query's target must be a node in 0\.\.1, found 2\.\.2"):
        find_paths(Example(graph, Query(0, 2)))


def test_batches_do_not_change_the_result_and_can_be_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    """The result does not depend on the batch size; an exception of the callback ends the search."""
    examples = generate_world(seed=3, train=60, test=0).train
    whole = find_paths(examples, "trail", limit=5)
    told: list[tuple[int, int]] = []

    class OneByOne:
        size = 1

        def update(self) -> None:
            pass

    monkeypatch.setattr("r5.paths.search.AdaptiveBatchSize", OneByOne)
    pieces = find_paths(examples, "trail", limit=5, tick=lambda done, total: told.append((done, total)))
    assert [whole.names(i) for i in range(60)] == [pieces.names(i) for i in range(60)]
    assert sorted({done for done, _ in told}) == list(range(61))[min(done for done, _ in told) :]
    assert told[-1] == (60, 60)

    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        find_paths(examples, "trail", limit=5, tick=stop)
