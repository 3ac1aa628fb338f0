"""Rules with constants: reached entities against exhaustive search, explanations, exchange with AnyBURL."""

from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import r5
from r5.chains.features.constant_index import make_constants, max_reached, reversed_constants
from r5.chains.features.trie import make_trie
from r5.chains.features.walk_kernels import GraphWalk
from r5.chains.features.workspace import Workspace
from r5.chains.graph.step_kernels import Mask
from r5.chains.inference.scoring_kernels import reach
from r5.reasoners.chains import ChainReasoner
from tests.helpers.chain_graphs import ENTITIES, FACTS, RELATIONS, made_of
from tests.oracle import chains as oracle

SIZE = len(RELATIONS)
ROWS = [(-1, -1, answer, 0) for answer in range(ENTITIES)]
ROWS += list(product(range(2 * SIZE), range(ENTITIES), range(0, ENTITIES, 2), (0, 1)))


@settings(deadline=None, max_examples=40)
@given(FACTS, st.data(), st.sampled_from([1, 1000]))
def test_reached_entities_with_a_masked_fact_match_the_oracle(
    facts: list[tuple[int, int, int]], data: st.DataObject, frontier: int
) -> None:
    graph = made_of(facts)
    head, relation, tail = data.draw(st.sampled_from(facts))
    query_step = data.draw(st.sampled_from([relation, graph.step(relation, True)]))
    start, end = (head, tail) if query_step == relation else (tail, head)
    mask = Mask(start, query_step, end)
    used = {step for step in range(2 * SIZE) if not (step >= SIZE and graph.symmetric[step - SIZE])}
    rows = np.array([row for row in ROWS if row[0] in used or row[0] < 0], np.int64)
    workspace = Workspace(graph, 1000)
    constants = make_constants(rows, graph)
    workspace.reserve_rules(0, len(rows), max_reached(constants, graph, frontier))
    count = reach(
        GraphWalk(graph.steps, frontier, workspace.walker), make_trie([]), constants, start, mask, workspace.reached
    )
    found = {}
    for use in range(count):
        part = slice(workspace.reached.starts[use], workspace.reached.starts[use + 1])
        assert not workspace.reached.features[part].any()
        found[int(workspace.reached.rules[use])] = workspace.reached.entities[part].tolist()
    left, all_edges = oracle.remove_facts(facts, SIZE, start, query_step, end), oracle.edges(facts, SIZE)
    for rule, row in enumerate(rows.tolist()):
        wanted = oracle.constants(left, start, row)
        entity, step = (row[1], oracle.inverse(row[0], facts, SIZE)) if row[3] else (start, row[0])
        if row[0] >= 0 and sum(edge[:2] == (entity, step) for edge in all_edges) > frontier:
            wanted = set()  # rows beyond the frontier do not apply
        assert sorted(found.get(rule, [])) == sorted(wanted)


def test_mask_removes_both_edges_of_a_symmetric_self_loop() -> None:
    graph = made_of([(0, 0, 0), (0, 0, 1), (1, 0, 0)])
    rows = np.array([(0, 0, 2, 0), (0, 1, 3, 0), (0, 0, 0, 1)], np.int64)
    workspace, constants = Workspace(graph, 1000), make_constants(rows, graph)
    workspace.reserve_rules(0, len(rows), max_reached(constants, graph, 1000))
    for target, rules in ((0, [1, 2]), (1, [0, 1, 2])):  # the other fact keeps one of its two edges
        walk = GraphWalk(graph.steps, 1000, workspace.walker)
        count = reach(walk, make_trie([]), constants, 0, Mask(0, 0, target), workspace.reached)
        assert workspace.reached.rules[:count].tolist() == rules


def test_reversed_twice_constants_are_the_same() -> None:
    rows = np.array([(1, 2, 3, 0), (-1, -1, 3, 1)], np.int64)
    assert (reversed_constants(reversed_constants(rows)) == rows).all()
    assert (reversed_constants(rows)[:, 3] == [1, 0]).all()


def people() -> list[tuple[str, str, str]]:
    """Return facts of people: in Rome they speak Italian, in Oslo Norwegian; a third of the languages is missing."""
    facts = []
    for n in range(60):
        city, language = (("Rome", "Italian"), ("Oslo", "Norwegian"))[n % 2]
        facts.append((f"p{n}", "lives_in", city))
        if n % 3:
            facts.append((f"p{n}", "speaks", language))
    return facts


LINES = "30\t20\t0.66\tspeaks(X,Italian) <= lives_in(X,Rome)\n60\t20\t0.3\tspeaks(X,Norwegian) <=\n"


def weighed() -> ChainReasoner:
    """Return a model of two rules with constants."""
    return ChainReasoner.from_rules(r5.RuleSet.from_anyburl(LINES), r5.Graph.from_triples(people()))


def test_rules_with_constants_are_weighted_explained_and_exported() -> None:
    model = weighed()
    rule = next(r for r in model.rules_ if (r.target, r.ending) == ("Italian", "Rome") and r.head == "speaks")
    assert rule.weight is not None
    assert rule.weight > 0
    assert rule.support == 20
    (answer,) = model.complete(head="p0", relation="speaks", top=1, explain=True)
    assert answer.entity == "Italian"
    assert abs(sum(reason.weight for reason in answer.reasons) - answer.score) < 1e-6
    matching = [reason for reason in answer.reasons if reason.rule.key == rule.key]
    assert [str(fact) for fact in matching[0].facts] == ["p0 -lives_in-> Rome"]
    (completion,) = model.complete(tail="Italian", relation="speaks", top=1, explain=True)
    assert completion.entity in {f"p{n}" for n in range(0, 60, 6)}
    assert abs(sum(reason.weight for reason in completion.reasons) - completion.score) < 1e-6
    assert rule.key in {reason.rule.key for reason in completion.reasons}
    assert "speaks(X,Italian) <= lives_in(X,Rome)" in model.rules_.to_anyburl()


def test_removing_a_rule_lowers_the_score_by_its_weight() -> None:
    model = weighed()
    rule = next(r for r in model.rules_ if (r.target, r.ending) == ("Italian", "Rome") and r.head == "speaks")
    before = model.complete(head="p0", relation="speaks", top=1)[0]
    after = next(c for c in model.without_rules([rule]).complete(head="p0", relation="speaks") if c.entity == "Italian")
    assert before.score - after.score == rule.weight or abs(before.score - after.score - rule.weight) < 1e-9


def test_rules_with_constants_from_anyburl_are_weighted_and_applied() -> None:
    model = weighed()
    assert {(rule.target, rule.ending) for rule in model.rules_} == {("Italian", "Rome"), ("Norwegian", None)}
    assert model.complete(head="p0", relation="speaks", top=1)[0].entity == "Italian"
    assert model.complete(head="p3", relation="speaks", top=1)[0].entity == "Norwegian"


def test_rules_with_constants_apply_to_another_graph_by_entity_name() -> None:
    model = weighed()
    other = r5.Graph.from_triples(
        [("new", "lives_in", "Oslo"), ("old", "lives_in", "Bonn"), ("a", "speaks", "Norwegian")]
    )
    assert model.complete(other, head="new", relation="speaks", top=1)[0].entity == "Norwegian"
