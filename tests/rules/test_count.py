"""Rules counted on a graph: figures known by hand, and the kernels against their plain twin."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from r5._util.runtime.progress import Progress
from r5.graph import Graph
from r5.relations import Vocabulary
from r5.rules import count as rule_counting
from r5.rules.ruleset import Rule, RuleSet
from tests.oracle import rules as oracle

NAMES = ("a", "b", "c", "a^-1", "b^-1^-1", "c^-1")

FAMILY = Graph.from_triples(
    [
        ("Ann", "mother", "Eve"),
        ("Bob", "mother", "Eve"),
        ("Bob", "father", "Max"),
        ("Eve", "brother", "Tom"),
        ("Max", "brother", "Tom"),
        ("Ann", "uncle", "Tom"),
        ("Ann", "sibling", "Bob"),
    ]
)


def counted(rule: Rule, graph: Graph = FAMILY, loops: bool = False) -> Rule:
    return next(iter(RuleSet.of([rule]).evaluate(graph, loops=loops)))


def test_a_pair_counts_once_however_many_paths_connect_it() -> None:
    parents = Graph.from_triples([(s, "parent" if r in ("mother", "father") else r, t) for s, r, t in FAMILY.triples()])
    found = counted(Rule("uncle", ("parent", "brother"), score=7.0, invented=True), parents)
    # Bob reaches Tom through both parents; only Ann is known to have Tom as an uncle.
    assert (found.predictions, found.support, found.probability, found.body_probability) == (2, 1, 0.5, 1.0)
    assert (found.score, found.invented) == (None, True)


def test_an_entity_and_itself_count_only_if_asked_for() -> None:
    siblings = Rule("sibling", ("mother", "mother^-1"))
    assert counted(siblings).predictions == 2
    assert counted(siblings).support == 1
    assert counted(siblings, loops=True).predictions == 4
    assert counted(siblings, loops=True).probability == 0.25


def test_what_the_graph_lacks_is_never_predicted() -> None:
    for rule in (Rule("uncle", ("mother", "nephew")), Rule("uncle", ("nephew",)), Rule("uncle", ("<dummy>",))):
        found = counted(rule)
        assert (found.predictions, found.support, found.probability, found.body_probability) == (0, 0, 0.0, 0.0)
    assert counted(Rule("heir", ("mother",))).support == 0
    assert len(RuleSet().evaluate(FAMILY)) == 0
    assert counted(Rule("a", ("b", "c")), Graph.from_triples([])).predictions == 0


def test_the_dummy_relation_stands_for_nothing() -> None:
    assert counted(Rule("uncle", ("uncle", "<dummy>"))).probability == 1.0


def test_confidence_where_the_head_is_asked_for_at_all() -> None:
    found = counted(Rule("uncle", ("mother", "brother")))
    # Ann and Bob have the body; only of Ann any uncle is known.
    assert (found.predictions, found.support, found.probability, found.pca) == (2, 1, 0.5, 1.0)


def test_rules_about_one_entity() -> None:
    found = counted(Rule("uncle", ("mother",), target="Tom", ending="Eve", weight=-2.0))
    assert (found.predictions, found.support, found.probability, found.pca, found.weight) == (2, 1, 0.5, 1.0, -2.0)
    assert counted(Rule("uncle", ("mother", "brother"), target="Tom")).support == 1
    assert counted(Rule("uncle", (), target="Tom")).predictions == FAMILY.number_of_nodes - 1
    assert counted(Rule("uncle^-1", ("sibling",), target="Ann")).predictions == 0


def graphs(nodes: int, edges: int) -> st.SearchStrategy[Graph]:
    """Small graphs, often with rows long enough to get bits."""
    ids = st.integers(0, nodes - 1).map(str)
    triple = st.tuples(st.one_of(st.just("0"), ids), st.sampled_from(NAMES[:4]), ids)
    return st.lists(triple, max_size=edges).map(lambda rows: Graph.from_triples(rows, Vocabulary.of(NAMES[:4])))


RULES = st.lists(
    st.builds(
        Rule,
        st.sampled_from((*NAMES, "absent")),
        st.lists(st.sampled_from((*NAMES, "<dummy>", "absent")), min_size=1, max_size=4).map(tuple),
    )
    | st.builds(
        Rule,
        st.sampled_from((*NAMES, "absent")),
        st.lists(st.sampled_from((*NAMES, "absent")), min_size=1, max_size=3).map(tuple),
        target=st.sampled_from(("0", "1", "2", "nobody")),
        ending=st.sampled_from((None, "0", "3", "nobody")),
    )
    | st.builds(Rule, st.sampled_from(NAMES), st.just(()), target=st.sampled_from(("0", "1"))),
    max_size=8,
)


@pytest.mark.parametrize("block", [1, 1 << 20])
@settings(max_examples=80, deadline=None)
@given(graph=st.one_of(graphs(12, 60), graphs(90, 60)), rules=RULES, loops=st.booleans())
def test_agrees_with_sets_of_pairs(block: int, graph: Graph, rules: list[Rule], loops: bool) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rule_counting, "_BLOCK", block)
        found = RuleSet.of(rules).evaluate(graph, loops=loops)
    for rule, new in zip(rules, found, strict=True):
        pairs, both, asked, known = oracle.count(rule, graph, loops)
        assert new.key == rule.key
        assert (new.predictions, new.support) == (pairs, both)
        assert new.probability == (both / pairs if pairs else 0.0)
        assert new.body_probability == (both / known if known else 0.0)
        assert new.pca == (both / asked if asked else 0.0)


@settings(max_examples=60, deadline=None)
@given(graph=graphs(8, 20), rules=RULES)
def test_inverse_edges_make_no_difference(graph: Graph, rules: list[Rule]) -> None:
    mild = RuleSet.of(rule for rule in rules if "b^-1^-1" not in (rule.head, *rule.body))
    assert mild.evaluate(graph) == mild.evaluate(graph.with_inverses())


def test_what_does_not_fit_into_a_block_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    graph = Graph.from_triples({(str(s), "ab"[r], str(t)) for s, r, t in rng.integers(0, (40, 2, 40), (300, 3))})
    rules = RuleSet.of(Rule("a", body) for length in (2, 3, 4) for body in product(("a", "b", "a^-1"), repeat=length))
    whole = rules.evaluate(graph)
    monkeypatch.setattr(rule_counting, "_BLOCK", 1)
    told: list[Progress] = []
    assert rules.evaluate(graph, progress=told.append) == whole
    assert 0 <= min(progress.done for progress in told) <= max(progress.done for progress in told) <= len(rules)
    assert {progress.total for progress in told} == {len(rules)}
    assert [(rule.predictions, rule.support) for rule in whole] == [
        oracle.count(rule, graph, loops=False)[:2] for rule in rules
    ]


def test_hubs_and_long_bodies_are_counted_exactly() -> None:
    people, towns = 300, 3
    triples = [(f"p{i}", "lives", f"t{(i + k) % towns}") for i in range(people) for k in range(1 + i % 2)]
    triples += [(f"t{k}", "in", "land") for k in range(towns)]
    graph = Graph.from_triples(triples)
    back = ("lives", "in", "in^-1", "lives^-1")
    for body in (back, back * 2, back * 100):
        assert counted(Rule("neighbour", body), graph).predictions == people * (people - 1)
    assert counted(Rule("lives", ("lives", "in", "in^-1")), graph).support == len(triples) - towns
