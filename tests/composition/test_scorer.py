"""Queries that only several paths propagate, learned from generated ones and explained."""

from __future__ import annotations

import json
from itertools import pairwise

import numpy as np
import pytest

import r5
from r5.data.generators.algebra.algebras import regions
from r5.data.generators.algebra.dataset import generate_rcc8, true_rules
from r5.rules.disjunction import compare_tables


@pytest.fixture(scope="module")
def data() -> r5.Dataset:
    return generate_rcc8(train=1500, valid=0, test=60, test_lengths=(6, 9), test_branches=(2, 3), seed=3)


@pytest.fixture(scope="module")
def model(data: r5.Dataset) -> r5.GrammarReasoner:
    return r5.GrammarReasoner(seed=0).fit(data.train)


def test_kind_of_evidence_is_selected_by_held_out_answers(model: r5.GrammarReasoner) -> None:
    tried = model.summary_["evidence_tried"]
    assert model.summary_["evidence"] == "every"
    assert tried["every"] > tried["one"]


def test_long_and_wide_queries_are_answered(model: r5.GrammarReasoner, data: r5.Dataset) -> None:
    assert r5.evaluate(model, data.test).accuracy >= 0.95


def test_learned_table_is_nearly_that_of_the_algebra(model: r5.GrammarReasoner) -> None:
    result = compare_tables(model.rules_, true_rules(regions()))
    assert result.pairs == 64
    assert result.exact >= 58


def test_loaded_model_answers_the_same(model: r5.GrammarReasoner, data: r5.Dataset, tmp_path: object) -> None:
    model.save(f"{tmp_path}/model")
    again = r5.load_model(f"{tmp_path}/model")
    assert np.array_equal(again.predict_proba(data.test), model.predict_proba(data.test))
    assert again.rules_ == model.rules_


def test_explanation_ends_in_the_answer(model: r5.GrammarReasoner, data: r5.Dataset) -> None:
    several = [p for p in model.predict_many(data.test) if p.derivation is not None and p.derivation.witnesses]
    assert several
    for prediction in several:
        assert prediction.derivation is not None
        left = [witness.left for witness in prediction.derivation.witnesses]
        assert prediction.relation in left[-1]
        assert all(set(after) < set(before) for before, after in pairwise(left))
        assert prediction.derivation.to_svg().startswith("<svg")
        assert "together they leave" in prediction.explain(tree=True)
        assert len(json.loads(json.dumps(prediction.to_json()))["witnesses"]) == len(left)


def test_contradicting_facts_are_named(model: r5.GrammarReasoner) -> None:
    flat = [
        ("kitchen", "NTPP", "flat"),
        ("flat", "EC", "scratch"),
        ("kitchen", "EQ", "room"),
        ("room", "NTPPI", "scratch"),
    ]
    graph = r5.Graph.from_triples([*flat, ("kitchen", "EC", "hall"), ("hall", "DC", "scratch")])
    answer = model.ask(graph, "kitchen", "scratch")
    assert answer.relation is None
    assert answer.reason is not None and answer.reason.startswith("contradiction, no relation is left: ")
    assert "hall" not in answer.reason
    wrong = model.suspicious_edges(r5.Example(graph, r5.Query(graph.node("kitchen"), graph.node("scratch"))))
    assert {suspicion.fact.source for suspicion in wrong} <= {"kitchen", "flat", "room"}
    assert wrong


def test_missing_path_and_unseen_relation_are_reasons(model: r5.GrammarReasoner) -> None:
    graph = r5.Graph.from_triples([("a", "DC", "b"), ("c", "EC", "d"), ("b", "beside", "e")])
    assert model.ask(graph, "a", "d").reason == "no path leads from a to d"
    unsure = model.ask(graph, "a", "e")
    assert unsure.reason == "every path found from a to e uses beside (never seen in training)"


def test_path_with_an_unseen_relation_is_ignored_beside_others(model: r5.GrammarReasoner) -> None:
    known = [("a", "NTPP", "b"), ("b", "NTPP", "c"), ("c", "NTPP", "d")]
    graph = r5.Graph.from_triples([*known, ("b", "beside", "d")])
    answer = model.ask(graph, "a", "d")
    assert answer == model.ask(r5.Graph.from_triples(known), "a", "d")
    assert answer.relation == "NTPP"
    example = r5.Example(graph, r5.Query(graph.node("a"), graph.node("d")))
    assert all(one.fact.relation != "beside" for one in model.suspicious_edges(example))


def test_single_paths_give_evidence_of_one_path() -> None:
    world = r5.load("world", train=100, valid=0, test=10)
    model = r5.GrammarReasoner(seed=0, restarts=(0.5,)).fit(world.train)
    assert model.summary_["evidence"] == "one"
    assert "evidence_tried" not in model.summary_
