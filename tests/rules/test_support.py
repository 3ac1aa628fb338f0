"""Support and confidence of rules: counts by hand, and the kernels against their slow twin."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from r5._util.runtime.progress import Progress
from r5.graph import Graph
from r5.relations import Vocabulary
from r5.rules.ruleset import Rule, RuleSet
from r5.rules.support import evaluate_rules
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


def test_a_pair_with_several_groundings_counts_once() -> None:
    parents = Graph.from_triples([(s, "parent" if r in ("mother", "father") else r, t) for s, r, t in FAMILY.triples()])
    found = counted(Rule("uncle", ("parent", "brother"), score=7.0, invented=True), parents)
    # Bob reaches Tom through both parents; only Ann is known to have Tom as an uncle.
    assert (found.predictions, found.support, found.probability, found.body_probability) == (2, 1, 0.5, 1.0)
    assert (found.score, found.invented) == (None, True)


def test_loops_count_only_on_request() -> None:
    siblings = Rule("sibling", ("mother", "mother^-1"))
    assert counted(siblings).predictions == 2
    assert counted(siblings).support == 1
    assert counted(siblings, loops=True).predictions == 4
    assert counted(siblings, loops=True).probability == 0.25


def test_unknown_relations_have_no_predictions() -> None:
    for rule in (Rule("uncle", ("mother", "nephew")), Rule("uncle", ("nephew",)), Rule("uncle", ("<dummy>",))):
        found = counted(rule)
        assert (found.predictions, found.support, found.probability, found.body_probability) == (0, 0, 0.0, 0.0)
    assert counted(Rule("heir", ("mother",))).support == 0
    assert len(RuleSet().evaluate(FAMILY)) == 0
    assert counted(Rule("a", ("b", "c")), Graph.from_triples([])).predictions == 0


def test_the_dummy_relation_is_ignored() -> None:
    assert counted(Rule("uncle", ("uncle", "<dummy>"))).probability == 1.0


def test_pca_confidence_counts_sources_with_the_head() -> None:
    found = counted(Rule("uncle", ("mother", "brother")))
    # Ann and Bob have the body; only of Ann any uncle is known.
    assert (found.predictions, found.support, found.probability, found.pca) == (2, 1, 0.5, 1.0)


def test_rules_with_constants_are_counted() -> None:
    found = counted(Rule("uncle", ("mother",), target="Tom", ending="Eve", weight=-2.0))
    assert (found.predictions, found.support, found.probability, found.pca, found.weight) == (2, 1, 0.5, 1.0, -2.0)
    assert counted(Rule("uncle", ("mother", "brother"), target="Tom")).support == 1
    assert counted(Rule("uncle", (), target="Tom")).predictions == FAMILY.number_of_nodes - 1
    assert counted(Rule("uncle^-1", ("sibling",), target="Ann")).predictions == 0


def graphs(nodes: int, edges: int) -> st.SearchStrategy[Graph]:
    """Small graphs, often with rows long enough for bit sets."""
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
def test_counts_agree_with_the_slow_twin(block: int, graph: Graph, rules: list[Rule], loops: bool) -> None:
    found = evaluate_rules(rules, graph, loops, block_size=block)
    for rule, new in zip(rules, found, strict=True):
        pairs, both, pca_pairs, known = oracle.count(rule, graph, loops)
        assert new.key == rule.key
        assert (new.predictions, new.support) == (pairs, both)
        assert new.probability == (both / pairs if pairs else 0.0)
        assert new.body_probability == (both / known if known else 0.0)
        assert new.pca == (both / pca_pairs if pca_pairs else 0.0)


@settings(max_examples=60, deadline=None)
@given(graph=graphs(8, 20), rules=RULES)
def test_added_inverse_edges_do_not_change_counts(graph: Graph, rules: list[Rule]) -> None:
    rule_set = RuleSet.of(rule for rule in rules if "b^-1^-1" not in (rule.head, *rule.body))
    assert rule_set.evaluate(graph) == rule_set.evaluate(graph.with_inverses())


def test_counts_do_not_depend_on_the_block_size() -> None:
    rng = np.random.default_rng(0)
    graph = Graph.from_triples({(str(s), "ab"[r], str(t)) for s, r, t in rng.integers(0, (40, 2, 40), (300, 3))})
    rules = [Rule("a", body) for length in (2, 3, 4) for body in product(("a", "b", "a^-1"), repeat=length)]
    whole = evaluate_rules(rules, graph, loops=False)
    reports: list[Progress] = []
    assert evaluate_rules(rules, graph, loops=False, progress=reports.append, block_size=1) == whole
    assert 0 <= min(report.done for report in reports) <= max(report.done for report in reports) <= len(rules)
    assert {report.total for report in reports} == {len(rules)}
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
