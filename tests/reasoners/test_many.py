"""Many pairs at once: the same answers as one by one, in order, with frames of either kind."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import r5
from r5._util.frames import columns_of, frame_library, make_frame
from r5.data.formats.pairs import Pair
from r5.reasoners.many import answer_pairs


@pytest.fixture(scope="module")
def data() -> r5.Dataset:
    return r5.load("kinship", train=300, test=6)


@pytest.fixture(scope="module")
def model(data: r5.Dataset) -> r5.GrammarReasoner:
    return r5.GrammarReasoner(seed=0, restarts=(0.5,)).fit(data.train)


@pytest.fixture(scope="module")
def family(data: r5.Dataset) -> r5.Graph:
    """All families of the test questions in one graph, with names of their own."""
    triples = [
        (f"{source} {number}", relation, f"{target} {number}")
        for number, example in enumerate(data.test)
        for source, relation, target in example.graph.triples()
    ]
    return r5.Graph.from_triples([*triples, ("x", "unheard of", "y"), ("y", "unheard of", "z")])


def asked(data: r5.Dataset) -> list[Pair]:
    rows = [(f"{one.source} {number}", f"{one.target} {number}") for number, one in enumerate(data.test)]
    return [Pair(line, *row) for line, row in enumerate([*rows, ("x", "y"), ("z", "x"), ("x", "z")], start=1)]


def test_answers_without_derivations_are_the_same_answers(
    model: r5.GrammarReasoner, data: r5.Dataset, family: r5.Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("r5.reasoners.many._AT_ONCE", 7)
    pairs = asked(data)
    plain = list(answer_pairs(model, family, pairs, explain=False))
    full = list(model.predict_pairs(family, pairs))
    assert [pair for pair, _ in plain] == [pair for pair, _ in full] == pairs
    for (_, short), (pair, whole) in zip(plain, full, strict=True):
        assert short is not None
        assert whole is not None
        assert short == replace(whole, derivation=None, alternatives=())
        assert model.ask(family, pair.source, pair.target).relation == short.relation
    reasons = [answer.reason for _, answer in plain[-3:] if answer]
    assert reasons[0] == "only a single edge leads from x to y, and such paths are not read (direct=skip)"
    assert reasons[1] == "no path leads from z to x"


def test_names_that_are_not_there_are_a_problem_of_their_row(model: r5.GrammarReasoner, family: r5.Graph) -> None:
    rows = [Pair(1, "x", "nobody"), Pair(2, "x", "y"), Pair(3, "", "", problem="torn")]
    first, second, third = answer_pairs(model, family, rows, explain=False)
    assert (first[0].problem, first[1]) == ("no entity is called 'nobody'", None)
    assert second[1] is not None
    assert third == (rows[2], None)


def test_examples_with_graphs_of_their_own(model: r5.GrammarReasoner, data: r5.Dataset) -> None:
    rows = [Pair(n + 1, one.source, one.target, str(n)) for n, one in enumerate(data.test)]
    found = [answer for _, answer in answer_pairs(model, data, rows)]
    assert found == model.predict(data.test)
    strange = [Pair(1, "x", "y", "42"), Pair(2, "x", "y", "-1"), Pair(3, "nobody", data.test[0].target, "0")]
    problems = [pair.problem for pair, answer in answer_pairs(model, data, strange) if answer is None]
    assert problems[0] == "'42' is not the number of an example of test, 0..41"
    assert problems[2] == "example 0 has no entity 'nobody'"


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames(model: r5.GrammarReasoner, data: r5.Dataset, family: r5.Graph, library: str) -> None:
    pytest.importorskip(library)
    pairs = asked(data)[:5]
    columns: dict[str, list[Any]] = {
        "note": list(range(5)),
        "target": [pair.target for pair in pairs],
        "source": [pair.source for pair in pairs],
    }
    found = model.predict_frame(family, make_frame(columns, library), explain=True)
    assert frame_library(found) == library
    assert list(found.columns) == [*columns, "relation", "probability", "score", "reason", "derivation"]
    relations, sure, steps = columns_of(found, [3, 4, 7])
    for place, (_, answer) in enumerate(model.predict_pairs(family, pairs)):
        assert answer is not None
        assert (relations[place], sure[place]) == (answer.relation, answer.probability)
        assert steps[place] == str(answer.derivation)
    columns["source"][2] = "nobody"
    with pytest.raises(r5.R5Error, match=r"row 3 \(counted from 1\): no entity is called 'nobody'"):
        model.predict_frame(family, make_frame(columns, library))
    with pytest.raises(r5.R5Error, match="has no columns source and target, but a, b, c"):
        model.predict_frame(family, make_frame({"a": [], "b": [], "c": []}, library))


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_data_and_rules_as_frames(model: r5.GrammarReasoner, data: r5.Dataset, library: str) -> None:
    pytest.importorskip(library)
    frame = data.to_frame(library)
    assert list(frame.columns) == ["split", "example", "source", "target", "answer", "hops"]
    splits, sources, answers = columns_of(frame, [0, 2, 4])
    assert splits.count("train") == 300
    assert sources[-1] == data.test[41].source
    assert answers[-1] == data.test[41].answer_name
    rules = model.rules_.to_frame(library)
    heads, bodies, support = columns_of(
        rules, [list(rules.columns).index(name) for name in ("head", "body", "support")]
    )
    first = model.rules_.rules[0]
    assert (heads[0], bodies[0], support[0]) == (first.head, ", ".join(first.body), first.support)
    assert len(heads) == len(model.rules_)


def test_the_case_for_another_answer(model: r5.GrammarReasoner, data: r5.Dataset) -> None:
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


def test_rules_are_switched_off_in_a_copy(model: r5.GrammarReasoner, data: r5.Dataset) -> None:
    before = model.score(data.test)
    strongest = list(model.rules_)[:40]
    copy = model.without_rules(strongest)
    assert {rule.key for rule in strongest}.isdisjoint(rule.key for rule in copy.rules_)
    assert copy.score(data.test) < before == model.score(data.test)
    assert model.without_rules([]).predict(data.test) == model.predict(data.test)


def test_the_case_for_another_relation_of_a_knowledge_graph() -> None:
    people = [(f"p{i}", "parent", f"p{i + 1}") for i in range(40)]
    people += [(f"p{i}", "grandparent", f"p{i + 2}") for i in range(30)]
    graph = r5.Graph.from_triples(people)
    model = r5.ChainReasoner(seed=0).fit(graph)
    example = r5.Example(graph, r5.Query(graph.node("p33"), graph.node("p35")))
    answer = model.predict(example)
    assert answer.relation == "grandparent"
    assert model.predict_as(example, "grandparent").probability == answer.probability
    other = model.predict_as(example, "parent")
    assert (other.probability or 0.0) < (answer.probability or 0.0)
    assert model.predict_as(example, "unheard of").relation is None
    known = r5.Example(graph, r5.Query(graph.node("p3"), graph.node("p4")))
    assert model.predict_as(known, "parent").known


def test_rules_of_chains_are_switched_off_in_a_copy() -> None:
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
        r5.NeuralReasoner("gru").without_rules(rules)
