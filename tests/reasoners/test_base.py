"""Reasoner: the best case for a given answer, and copies without some rules."""

from __future__ import annotations

import pytest

import r5


@pytest.fixture(scope="module")
def data() -> r5.Dataset:
    return r5.load("kinship", train=300, test=6)


@pytest.fixture(scope="module")
def model(data: r5.Dataset) -> r5.GrammarReasoner:
    return r5.GrammarReasoner(seed=0, restarts=(0.5,)).fit(data.train)


def test_the_best_case_for_another_answer_is_less_probable(model: r5.GrammarReasoner, data: r5.Dataset) -> None:
    example = data.test[0]
    answer = model.predict(example)
    assert answer.relation is not None
    same = model.predict_as(example, answer.relation)
    assert (same.relation, same.derivation) == (answer.relation, answer.derivation)
    assert same.probability == pytest.approx(answer.probability)
    other = next(name for name in data.vocabulary.known if name != answer.relation)
    case = model.predict_as(example, other)
    assert case.relation == other or (case.reason or "").endswith(f"to {other}")
    assert (case.probability or 0.0) < (answer.probability or 0.0)
    assert model.predict_as(example, "unheard of").reason == "nothing speaks for unheard of"


def test_a_copy_without_rules_answers_without_them(model: r5.GrammarReasoner, data: r5.Dataset) -> None:
    before = model.score(data.test)
    strongest = list(model.rules_)[:40]
    copy = model.without_rules(strongest)
    assert {rule.key for rule in strongest}.isdisjoint(rule.key for rule in copy.rules_)
    assert copy.score(data.test) < before == model.score(data.test)
    assert model.without_rules([]).predict(data.test) == model.predict(data.test)


def test_the_best_case_for_another_relation_of_a_knowledge_graph_is_less_probable() -> None:
    people = [(f"p{i}", "parent", f"p{i + 1}") for i in range(40)]
    people += [(f"p{i}", "grandparent", f"p{i + 2}") for i in range(30)]
    graph = r5.Graph.from_triples(people)
    model = r5.ChainReasoner(seed=0).fit(graph)
    example = r5.Example(graph, r5.Query(graph.node("p30"), graph.node("p32")))
    answer = model.predict(example)
    assert answer.relation == "grandparent"
    assert model.predict_as(example, "grandparent").probability == answer.probability
    other = model.predict_as(example, "parent")
    assert (other.probability or 0.0) < (answer.probability or 0.0)
    assert model.predict_as(example, "unheard of").relation is None
    known = r5.Example(graph, r5.Query(graph.node("p3"), graph.node("p4")))
    assert model.predict_as(known, "parent").known


def test_a_copy_without_chain_rules_answers_without_them() -> None:
    people = [(f"p{i}", "parent", f"p{i + 1}") for i in range(40)]
    people += [(f"p{i}", "grandparent", f"p{i + 2}") for i in range(30)]
    model = r5.ChainReasoner(seed=0).fit(r5.Graph.from_triples(people))
    rules = [rule for rule in model.rules_ if rule.head == "grandparent"]
    copy = model.without_rules(rules)
    (before,) = model.complete(head="p33", relation="grandparent", top=1)
    after = {one.entity: one.score for one in copy.complete(head="p33", relation="grandparent", top=50)}
    assert before.entity == "p35"
    assert after["p35"] < before.score
    with pytest.raises(r5.R5Error, match="none can be switched off"):
        r5.BaselineReasoner("gru").without_rules(rules)
