"""Examples as JSON for the script of the page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from r5.derivations.derivation import Derivation, Fact, Merge, Prediction, Step
from r5.errors import R5Error
from r5.examples import Example, Query
from r5.graph import Graph
from r5.relations import DUMMY
from r5.report.examples.example_json import example_to_json, examples_to_json
from r5.report.examples.selection import select_examples
from r5.report.findings import Findings
from r5.report.page_data import NameIndex

FAMILY = Graph.from_triples(
    [
        ("Jason", "wife", "Ruth"),
        ("Ruth", "daughter", "Ann"),
        ("Ann", "aunt", "Eve"),
        ("Ruth", "son", "Tom"),
        ("Tom", "aunt", "Eve"),
    ]
)
PATH = [Fact("Jason", "wife", "Ruth"), Fact("Ruth", "daughter", "Ann"), Fact("Ann", "aunt", "Eve")]


def convert(prediction: Prediction, **fields: Any) -> tuple[dict[str, Any], list[str]]:
    names = NameIndex()
    example = Example(FAMILY, Query(FAMILY.node("Jason"), FAMILY.node("Eve")), **fields)
    return example_to_json(7, example, prediction, "sister", names), names.names()


def test_an_answer_that_the_graph_has_is_marked_as_known() -> None:
    found, _ = convert(Prediction("aunt", 0.4, known=True, alternatives=(Prediction("sister", 0.3),)))
    assert [one.get("known", False) for one in found["answers"]] == [True, False]


def test_a_derivation_is_encoded_as_numbers() -> None:
    derivation = Derivation.replay(PATH, [Merge(0, "daughter", 0.9), Merge(0, "sister", 0.8)])
    found, names = convert(Prediction("sister", probability=0.75, derivation=derivation))
    view = found["views"][0]
    assert [view["entities"][node] for node in view["walk"]] == ["Jason", "Ruth", "Ann", "Eve"]
    assert [names[number] for number in view["observed"]] == ["wife", "daughter", "aunt"]
    assert [(view["entities"][s], names[r], view["entities"][t]) for s, r, t in view["edges"]] == [
        ("Ruth", "son", "Tom"),
        ("Tom", "aunt", "Eve"),
    ]
    assert view["places"] == [(2.0, 1)], "Tom lies between Ruth and Eve"
    (answer,) = found["answers"]
    assert answer["sure"] == 0.75
    assert [(a, b, names[head], score) for a, b, head, score in answer["steps"]] == [
        (0, 1, "daughter", 0.9),
        (3, 2, "sister", 0.8),
    ]


def test_doubts_have_position_relation_and_belief() -> None:
    believed = [PATH[0], Fact("Ruth", "son", "Ann"), PATH[2]]
    derivation = Derivation.replay(PATH, [Merge(0, "son"), Merge(0, "sister")], believed, [1.0, 0.625, 1.0])
    found, names = convert(Prediction("sister", probability=0.5, derivation=derivation))
    assert found["answers"][0]["doubts"] == [[1, names.index("son"), 0.625]]
    unsure = Derivation.replay(PATH, [Merge(0, "son"), Merge(0, "sister")], believed)
    found, names = convert(Prediction("sister", derivation=unsure))
    assert found["answers"][0]["doubts"] == [[1, names.index("son"), None]]


def test_a_unary_rule_has_one_body_fact() -> None:
    path = [Fact("Ann", "aunt", "Eve"), Fact("Eve", DUMMY, "Eve")]
    found, names = convert(Prediction("sister", derivation=Derivation.replay(path, [Merge(0, "sister", 2.0)])))
    assert found["views"][0]["observed"] == [names.index("aunt")]
    assert found["answers"][0]["steps"] == [[0, -1, names.index("sister"), 2.0]]


def test_alternatives_over_one_path_share_its_view() -> None:
    def answer(head: str, path: Sequence[Fact]) -> Prediction:
        return Prediction(
            head, probability=0.5, derivation=Derivation.replay(path, [Merge(0, "daughter"), Merge(0, head)])
        )

    detour = [PATH[0], Fact("Ruth", "son", "Tom"), Fact("Tom", "aunt", "Eve")]
    first = answer("sister", PATH)
    others = (answer("aunt", PATH), answer("niece", detour))
    found, _ = convert(Prediction(first.relation, 0.5, derivation=first.derivation, alternatives=others))
    assert [one["view"] for one in found["answers"]] == [0, 0, 1]
    assert len(found["views"]) == 2


def test_without_a_derivation_the_true_path_or_the_two_entities_are_drawn() -> None:
    nodes = tuple(FAMILY.node(name) for name in ("Jason", "Ruth", "Tom", "Eve"))
    silent = Prediction(None, reason="no rule has the body wife, son")
    true = tuple(FAMILY.vocabulary.id(name) for name in ("wife", "daughter", "aunt"))
    found, names = convert(silent, resolution=nodes, descriptor=true)
    assert [names[number] for number in found["views"][0]["observed"]] == ["wife", "son", "aunt"]
    assert (found["said"], found["answers"], found["reason"]) == (-1, [], silent.reason)
    entities, relations = found["truth"]
    assert entities == ["Jason", "Ruth", "Tom", "Eve"]
    assert [names[number] for number in relations] == ["wife", "daughter", "aunt"]
    bare, _ = convert(Prediction("sister", probability=0.4))
    assert bare["views"][0]["observed"] == [-1]
    assert bare["truth"] is None


def test_a_derivation_of_facts_that_are_not_adjacent_is_refused() -> None:
    derivation = Derivation(tuple(PATH), (Step(Fact("Jason", "x", "Eve"), PATH[0], PATH[2]),))
    with pytest.raises(R5Error, match="not adjacent"):
        convert(Prediction("x", derivation=derivation))


def test_every_embedded_derivation_can_be_replayed(findings: Findings) -> None:
    names = NameIndex()
    chosen = select_examples(findings.right, [True] * len(findings.right), 30)
    cases = examples_to_json(findings, chosen, names)
    assert [one["number"] for one in cases] == chosen
    doubted = 0
    for one in cases:
        for answer in one["answers"]:
            view = one["views"][answer["view"]]
            spans = [(n, n + 1) for n in range(len(view["observed"]))]
            for left, right, _, _ in answer["steps"]:
                assert spans[left][1] == spans[right][0]
                spans.append((spans[left][0], spans[right][1]))
            assert spans[-1] == (0, len(view["observed"]))
            assert answer["steps"][-1][2] == answer["relation"]
            doubted += len(answer["doubts"])
        nodes = range(len(view["entities"]))
        assert all(source in nodes and target in nodes for source, _, target in view["edges"])
        assert len(view["places"]) == len(view["entities"]) - len(set(view["walk"]))
    assert doubted > 0
