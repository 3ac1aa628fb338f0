"""Answers to many pairs: the same as one by one, in order, with frames of pandas and polars."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import r5
from r5._util.frames import columns_of, frame_library, make_frame
from r5.data.formats.pairs import Pair
from r5.reasoners.batch_answers import answer_pairs


@pytest.fixture(scope="module")
def data() -> r5.Dataset:
    return r5.load("kinship", train=300, test=6)


@pytest.fixture(scope="module")
def model(data: r5.Dataset) -> r5.GrammarReasoner:
    return r5.GrammarReasoner(seed=0, restarts=(0.5,)).fit(data.train)


@pytest.fixture(scope="module")
def family(data: r5.Dataset) -> r5.Graph:
    """Return all families of the test queries in one graph, with distinct names."""
    triples = [
        (f"{source} {number}", relation, f"{target} {number}")
        for number, example in enumerate(data.test)
        for source, relation, target in example.graph.triples()
    ]
    return r5.Graph.from_triples([*triples, ("x", "unheard of", "y"), ("y", "unheard of", "z")])


def pairs_of(data: r5.Dataset) -> list[Pair]:
    rows = [(f"{one.source} {number}", f"{one.target} {number}") for number, one in enumerate(data.test)]
    return [Pair(line, *row) for line, row in enumerate([*rows, ("x", "y"), ("z", "x"), ("x", "z")], start=1)]


def test_answers_without_derivations_are_the_same_answers(
    model: r5.GrammarReasoner, data: r5.Dataset, family: r5.Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("r5.reasoners.batch_answers._BATCH_SIZE", 7)
    pairs = pairs_of(data)
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


def test_an_unknown_name_is_a_problem_of_its_row(model: r5.GrammarReasoner, family: r5.Graph) -> None:
    rows = [Pair(1, "x", "nobody"), Pair(2, "x", "y"), Pair(3, "", "", problem="torn")]
    first, second, third = answer_pairs(model, family, rows, explain=False)
    assert (first[0].problem, first[1]) == ("no entity is called 'nobody'", None)
    assert second[1] is not None
    assert third == (rows[2], None)


def test_pairs_of_examples_with_graphs_of_their_own(model: r5.GrammarReasoner, data: r5.Dataset) -> None:
    rows = [Pair(n + 1, one.source, one.target, str(n)) for n, one in enumerate(data.test)]
    found = [answer for _, answer in answer_pairs(model, data, rows)]
    assert found == model.predict(data.test)
    unknown = [Pair(1, "x", "y", "42"), Pair(2, "x", "y", "-1"), Pair(3, "nobody", data.test[0].target, "0")]
    problems = [pair.problem for pair, answer in answer_pairs(model, data, unknown) if answer is None]
    assert problems[0] == "'42' is not the number of an example of test, 0..41"
    assert problems[2] == "example 0 has no entity 'nobody'"


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_frame_gets_the_answers_as_columns(
    model: r5.GrammarReasoner, data: r5.Dataset, family: r5.Graph, library: str
) -> None:
    pytest.importorskip(library)
    pairs = pairs_of(data)[:5]
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
