"""Derivations replayed step by step, and how predictions read."""

from __future__ import annotations

import json

import pytest

from r5.derivations.derivation import Derivation, Fact, Merge, Prediction
from r5.derivations.tree import build_trees
from r5.errors import R5Error
from r5.relations import DUMMY

PATH = [Fact("a", "r", "b"), Fact("b", "s", "c"), Fact("c", "t", "d")]


def test_merges_apply_to_the_path_as_it_then_is() -> None:
    derivation = Derivation.replay(PATH, [Merge(1, "u", 0.5), Merge(0, "v")])
    first, last = derivation.steps
    assert first.result == Fact("b", "u", "d")
    assert first.score == 0.5
    assert (last.left, last.right, last.result) == (PATH[0], Fact("b", "u", "d"), Fact("a", "v", "d"))
    assert derivation.doubts == ()


def test_doubted_facts_are_named_and_the_steps_use_what_is_believed() -> None:
    believed = [PATH[0], Fact("b", "x", "c"), PATH[2]]
    derivation = Derivation.replay(PATH, [Merge(0, "v"), Merge(0, "w")], believed)
    assert derivation.doubts == ((PATH[1], believed[1]),)
    assert derivation.steps[0].right.relation == "x"
    assert str(derivation).startswith("(observed b -s-> c, taken to be x)")
    shown = Prediction("w", derivation=derivation).to_json()
    assert shown["doubts"] == [{"observed": ["b", "s", "c"], "believed": "x"}]
    assert shown["derivation"][-1]["result"] == ["a", "w", "d"]


def test_a_unary_rule_reads_without_the_dummy() -> None:
    path = [Fact("a", "husband", "b"), Fact("b", DUMMY, "b")]
    assert str(Derivation.replay(path, [Merge(0, "spouse")])) == "a -spouse-> b  because  a -husband-> b"


def test_predictions_read_as_an_answer_or_a_reason() -> None:
    assert str(Prediction("aunt", probability=0.93456)) == "aunt (0.935)"
    assert str(Prediction(None, reason="no path")) == "cannot say: no path"


def test_a_score_is_shown_where_there_is_no_probability() -> None:
    assert str(Prediction("aunt", score=0.81239)) == "aunt (score 0.812)"
    assert str(Prediction("aunt")) == "aunt"


def test_an_answer_below_the_minimum_is_refused_and_kept_as_an_alternative() -> None:
    other = Prediction("father", 0.3)
    answer = Prediction("uncle", 0.42, derivation=derivation(), alternatives=(other,))
    assert answer.at_least(0.42) is answer
    assert answer.at_least(0.0) is answer
    refused = answer.at_least(0.5)
    assert refused.reason == "the best answer, uncle, has probability 0.42, below 0.5"
    assert (refused.relation, refused.probability, refused.derivation) == (None, None, None)
    assert [one.relation for one in refused.alternatives] == ["uncle", "father"]
    assert refused.alternatives[0].derivation == answer.derivation


def test_a_refusal_shows_enough_digits_to_be_below_the_minimum() -> None:
    reason = Prediction("uncle", 0.49996).at_least(0.5).reason
    assert reason == "the best answer, uncle, has probability 0.49996, below 0.5"


def test_rounding_refuses_no_answer() -> None:
    answer = Prediction("uncle", 0.3)
    assert answer.at_least(0.1 + 0.2) is answer


def test_a_score_is_compared_where_there_is_no_probability() -> None:
    reason = Prediction("uncle", score=0.1).at_least(0.5).reason
    assert reason == "the best answer, uncle, has score 0.1, below 0.5"
    with pytest.raises(R5Error, match=r"the answer uncle has no probability and no score to compare with 0\.5"):
        Prediction("uncle").at_least(0.5)


def test_no_answer_stays_no_answer_for_its_own_reason() -> None:
    none = Prediction(None, reason="no path")
    assert none.at_least(0.9) is none


@pytest.mark.parametrize("minimum", [-0.1, 1.1, float("nan")])
def test_a_minimum_that_is_no_probability_is_refused(minimum: float) -> None:
    with pytest.raises(R5Error, match="the minimum probability must be from 0 to 1"):
        Prediction(None, reason="no path").at_least(minimum)


def derivation(doubt: bool = False) -> Derivation:
    """The three facts merged from the right; the middle one may be taken for another."""
    believed = [PATH[0], Fact("b", "x", "c"), PATH[2]] if doubt else []
    return Derivation.replay(PATH, [Merge(1, "u", 0.5), Merge(0, "v")], believed, [1.0, 0.75, 1.0] if doubt else [])


def test_json_holds_all_of_it() -> None:
    found = json.loads(json.dumps(derivation(doubt=True).to_json()))
    assert found["path"] == [["a", "r", "b"], ["b", "s", "c"], ["c", "t", "d"]]
    assert found["believed"][1] == ["b", "x", "c"]
    assert found["belief"] == [1.0, 0.75, 1.0]
    assert found["steps"][0] == {
        "rule": {"head": "u", "body": ["x", "t"]},
        "because": [["b", "x", "c"], ["c", "t", "d"]],
        "result": ["b", "u", "d"],
        "score": 0.5,
        "position": 1,
    }
    assert found["steps"][1]["score"] is None
    sure = derivation().to_json()
    assert (sure["believed"], sure["belief"]) == ([], [])


def test_json_of_an_answer_and_of_none() -> None:
    answer = Prediction("v", 0.9, None, derivation(), (Prediction("w", 0.1), Prediction("z", 0.05)))
    found = answer.to_json(top=2)
    assert found["derivation"] == derivation().to_json()["steps"]
    assert found["path"][0] == ["a", "r", "b"]
    assert [(other["relation"], other["probability"]) for other in found["alternatives"]] == [("w", 0.1)]
    none = Prediction(None, reason="no path").to_json(top=5)
    assert (none["relation"], none["reason"], none["derivation"], none["path"]) == (None, "no path", [], [])


def test_a_tree_has_the_conclusion_above_its_reasons() -> None:
    assert derivation(doubt=True).tree().splitlines() == [
        "a -v-> d",
        "├── a -r-> b",
        "└── b -u-> d   [0.5]",
        "    ├── b -x-> c   (observed s: 0.75)",
        "    └── c -t-> d",
    ]
    unfinished = Derivation.replay(PATH, [Merge(0, "v")], [PATH[0], Fact("b", "x", "c"), PATH[2]])
    assert unfinished.tree().splitlines()[0::3] == ["a -v-> c", "c -t-> d"]
    assert "(observed s)" in unfinished.tree()


def test_a_tree_of_a_unary_rule_leaves_out_the_dummy() -> None:
    path = [Fact("a", "husband", "b"), Fact("b", DUMMY, "b")]
    merged = Derivation.replay(path, [Merge(0, "spouse")])
    assert merged.tree() == "a -spouse-> b\n└── a -husband-> b"
    assert merged.to_json()["path"] == [["a", "husband", "b"]]
    assert merged.to_json()["steps"][0]["rule"] == {"head": "spouse", "body": ["husband"]}


def test_equal_facts_at_two_places_are_told_apart() -> None:
    """On a trail from a to b and back twice, the same pair of facts may stand at two places."""
    there, back = Fact("a", "r", "b"), Fact("b", "s", "a")
    merged = Derivation.replay([there, back, there, back], [Merge(2, "u"), Merge(1, "v"), Merge(0, "w")])
    (root,) = build_trees(merged)
    assert [(node.start, node.stop) for node in root.walk() if node.step] == [(0, 4), (1, 4), (2, 4)]


def test_texts_of_an_answer() -> None:
    answer = Prediction("v", 0.9, None, derivation(), (Prediction("w", 0.1), Prediction("z", 0.05)))
    lines = answer.explain(top=2).splitlines()
    assert lines[0] == "v (0.900)"
    assert lines[1:3] == ["  " + line for line in str(derivation()).splitlines()]
    assert lines[3:] == ["  or w (0.100)"]
    assert answer.explain(top=1, tree=True).splitlines()[1:] == ["  " + row for row in derivation().tree().splitlines()]
    assert Prediction(None, reason="no path").explain(top=3) == "cannot say: no path"


@pytest.mark.parametrize("length", [2, 40, 3000])
def test_long_paths_are_no_trouble(length: int) -> None:
    path = [Fact(f"e{n}", "r", f"e{n + 1}") for n in range(length)]
    merged = Derivation.replay(path, [Merge(0, "r", 1.0) for _ in range(length - 1)])
    assert len(merged.tree().splitlines()) == 2 * length - 1
    (root,) = build_trees(merged)
    assert (root.height, root.start, root.stop) == (length - 1, 0, length)
