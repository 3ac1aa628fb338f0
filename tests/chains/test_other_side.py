"""A candidate that may be the answer to much else is so to one question rather less."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import r5
from r5.chains import giving_way
from r5.chains.answering import Filter
from r5.chains.giving_way import measure_other_side
from r5.chains.rivals import find_rivals
from r5.reasoners.chains import ChainReasoner
from tests.chains.test_rivals import circle
from tests.oracle import other_side as oracle


def model(strength: float, symmetric: bool = False) -> ChainReasoner:
    """A model of people in a circle to whom the other side has a strength."""
    facts = circle()
    if symmetric:
        facts += [(tail, relation, head) for head, relation, tail in facts if relation == "near"]
    fitted = ChainReasoner(seed=0, epochs=2).fit(r5.Graph.from_triples(facts))
    fitted._keep(fitted.graph_, fitted._answerer.graph, replace(fitted.model_, other_side=strength))
    return fitted


@pytest.mark.parametrize("symmetric", [False, True])
def test_the_other_side_is_that_of_the_slow_twin(symmetric: bool) -> None:
    answerer = model(0.3, symmetric)._answerer
    graph = answerer.graph
    assert graph.symmetric.any() == symmetric
    for relation in range(3):
        for back in (False, True):
            target, turned = answerer.target(relation, back), answerer.target(relation, not back)
            assert target is not None
            assert turned is not None
            facts = list(zip(*(column.tolist() for column in graph.questions(turned.step)), strict=True))
            wanted = oracle.other_side(
                facts, graph.number_of_nodes, lambda node, turned=turned: answerer.said(turned, node).tolist()
            )
            assert answerer.other_side(target) == pytest.approx(wanted, abs=1e-9)
            assert any(wanted)


def test_reasons_sum_to_the_score() -> None:
    fitted = model(0.4)
    plain = model(0.0)
    for relation in ("beside", "near", "far"):
        answers = fitted.complete(tail="p3", relation=relation, top=8, explain=True)
        for answer in answers:
            assert sum(reason.weight for reason in answer.reasons) == pytest.approx(answer.score, abs=1e-9)
        said = [reason for answer in answers for reason in answer.reasons if str(reason).startswith("seen from")]
        assert said
        assert all(("few" in str(reason)) == (reason.weight > 0) for reason in said)
        others = plain.complete(tail="p3", relation=relation, top=8, explain=True)
        assert not any(str(reason).startswith("seen from") for answer in others for reason in answer.reasons)


@pytest.mark.parametrize("force", [0.0, 1.5])
def test_places_are_those_of_the_scores(force: float) -> None:
    fitted = model(0.4)
    rivals = replace(find_rivals(fitted._answerer.graph), force=force)
    answerer = fitted._answerer.changed(rivals=rivals)
    known = Filter(answerer.graph.facts, 3)
    for relation in range(3):
        target = answerer.target(relation, True)
        assert target is not None
        sources, answers = answerer.graph.questions(target.step)
        better, equal = answerer.places(relation, True, sources, answers, known)
        for row, (source, answer) in enumerate(zip(sources.tolist(), answers.tolist(), strict=True)):
            scores = np.round(answerer.scores(target, source), 6)
            others = set(known.answers(np.array([source]), relation, True)[0].tolist()) - {answer}
            left = [scores[node] for node in range(scores.size) if node not in others and node != answer]
            assert better[row] == sum(score > scores[answer] for score in left)
            assert equal[row] == sum(score == scores[answer] for score in left)


def test_it_is_stored(tmp_path: Path) -> None:
    first = model(0.4)
    first.save(tmp_path / "model")
    again = r5.load_model(tmp_path / "model")
    assert isinstance(again, ChainReasoner)
    assert again.model_.other_side == 0.4
    assert again.complete(head="p3", relation="near") == first.complete(head="p3", relation="near")


def test_no_strength_without_facts_or_on_a_large_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    answerer, rng = model(0.0)._answerer, np.random.default_rng(0)
    assert measure_other_side(answerer, answerer.graph.facts[:0], rng) == 0.0
    monkeypatch.setattr(giving_way, "_questions", lambda *_: pytest.fail("a large graph is not asked"))
    monkeypatch.setattr(giving_way, "_WORK", 10)
    assert measure_other_side(answerer, answerer.graph.facts, rng) == 0.0
