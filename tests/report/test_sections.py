"""Sections of a report, with and without content."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from r5.bench.experiments.experiment import PublishedFigures
from r5.derivations.derivation import Prediction
from r5.evaluation import Evaluation, Part
from r5.report.findings import Findings
from r5.report.page_data import NameIndex, as_json, security_policy
from r5.report.sections.accuracy import accuracy_section
from r5.report.sections.calibration import calibration_section
from r5.report.sections.composition import composition_section
from r5.report.sections.confusion import confusion_section
from r5.report.sections.headline import describe_model, describe_selection, headline_figures, headline_sentence
from r5.report.sections.rule_table import embedded_rules, missing_rules
from r5.report.sections.training_curves import training_section
from r5.rules.ruleset import Rule, RuleSet

EVALUATION = Evaluation(Part(10, 9), {4: Part(6, 6), 5: Part(4, 3)}, 0.1, 0.5, 1.25)


def answering(findings: Findings, *said: str | None, **figures: Any) -> Findings:
    """Return findings with these answers; `=` stands for the right answer."""
    some = findings.examples.select(np.arange(len(said)))
    wanted = some.vocabulary.names(some.answers)
    predictions = [Prediction(right if one == "=" else one, **figures) for one, right in zip(said, wanted, strict=True)]
    return replace(findings, examples=some, predictions=predictions)


def test_the_headline_has_sentence_and_figures(findings: Findings) -> None:
    few = replace(
        findings, evaluation=EVALUATION, rules=RuleSet.of([Rule("a", ("b", "c"))]), summary={"examples": 1234}
    )
    assert headline_sentence(few) == (
        "The grammar engine answers 90% of 10 test questions correctly, with 1 rule learned from 1,234 examples."
    )
    assert (
        headline_sentence(replace(few, rules=RuleSet()))
        == "The grammar engine answers 90% of 10 test questions correctly."
    )
    shown = headline_figures(few)
    assert ">90%<" in shown
    assert "95% interval 59.6 to 98.2%" in shown
    assert ">1.25 s<" in shown
    assert "1 question without an answer" in shown
    assert "true rules are not known" in headline_figures(
        replace(few, evaluation=replace(EVALUATION, rule_recall=None))
    )
    invented = replace(few, rules=RuleSet.of([Rule("invented_0", ("b", "c"), invented=True)]))
    assert "1 with invented relations" in headline_figures(invented)


def test_describe_model_names_model_split_and_selection(findings: Findings) -> None:
    shown = describe_model(replace(findings, model="<my model>"))
    for text in ("&lt;my model&gt;", "test split", "grammar", "300 training examples", "by the likelihood"):
        assert text in shown
    assert "learned from" not in describe_model(replace(findings, summary={}))


def test_describe_selection_of_each_engine() -> None:
    epoch = {"best_epoch": 3, "training_fit": 0.975, "best_restart": 1}
    assert describe_selection(epoch, {}) == "epoch 3 of restart 2, which fits the training examples best (fit 0.975)"
    assert describe_selection(epoch, {"keep_epoch": "last"}) == "epoch 3 of restart 2, the last one (fit 0.975)"
    answers = describe_selection(epoch | {"training_answers": 0.5}, {"keep_epoch": "answers"})
    assert answers == "epoch 3 of restart 2, which answers the most training questions right (50%) (fit 0.975)"
    assert describe_selection({"log_likelihood": -5.0}, {}).startswith("the only run by the likelihood")
    validated = {"best_epoch": 7, "valid_accuracy": 0.5}
    assert describe_selection(validated, {}) == "epoch 7, the most accurate on validation data (50%)"
    for odd in ({}, {"best_epoch": True}, {"log_likelihood": "high"}):
        assert describe_selection(odd, {}) == "the model does not say"


def test_accuracy_is_shown_with_published_figures(findings: Findings) -> None:
    rivals = [PublishedFigures(f"S{n}", "Table 2", by_length={4: 0.9 - n / 100, 5: 0.8}) for n in range(7)]
    paper = PublishedFigures("R5", "Table 4", accuracy=0.125, by_length={4: 0.5, 5: 0.25})
    shown = accuracy_section(replace(findings, evaluation=EVALUATION, published=(*rivals, paper)))
    assert shown.count('class="series quiet"') == 2 * 4, "five systems are drawn with names, the rest in grey, twice"
    assert "Grey: 4 other published systems" in shown
    assert "R5 (paper)" in shown
    assert "12.5%" in shown
    assert "Table 2, Table 4" in shown
    assert shown.index("length-wide") < shown.index("length-narrow")
    assert '<th scope="row">4</th><td class="number">6</td><td class="number">1.000</td>' in shown
    assert '<td class="number">0.50</td>' in shown


def test_accuracy_without_lengths_or_published_figures(findings: Findings) -> None:
    known = replace(findings, evaluation=EVALUATION, published=())
    assert "0.301 to 0.954" in accuracy_section(known), "the figures stand beside the chart"
    bare = replace(EVALUATION, by_length={})
    assert "does not tell the lengths" in accuracy_section(replace(findings, evaluation=bare, published=()))
    overall = accuracy_section(
        replace(findings, evaluation=bare, published=(PublishedFigures("R5", "Table 4", accuracy=0.5),))
    )
    assert "Overall, beside published figures" in overall
    assert "<table" not in overall


HISTORY = [
    {"restart": restart, "epoch": epoch, "loss": 1 / epoch, "fit": 0.5 + epoch / 10, "valid_accuracy": None}
    for restart in (0, 1)
    for epoch in (1, 2, 3)
]


def test_learning_curves_of_several_restarts(findings: Findings) -> None:
    shown = training_section(replace(findings, summary={"history": HISTORY, "best_restart": 1, "best_epoch": 2}))
    assert re.findall(r"<figcaption>(.*?)</figcaption>", shown) == ["training fit", "loss"]
    assert shown.count('class="series main"') == shown.count('class="series quiet"') == shown.count("series mark") == 2
    assert "Grey: the 1 other restarts" not in shown
    assert "Grey: the other restart." in shown
    assert "From 60% at epoch 1 to 80% at epoch 3." in shown


def test_learning_curves_with_a_curriculum(findings: Findings) -> None:
    history = [{"step": n, "longest": 2 + n // 2, "log_likelihood": -100.0 / n} for n in (1, 2, 3)]
    shown = training_section(replace(findings, summary={"history": history}))
    assert "Paths of 2 relations come first" in shown
    assert "log likelihood of the training answers" in shown
    assert "learning-log-5f-likelihood" in shown


@pytest.mark.parametrize(
    "history",
    [None, "lines", [], [3, None], [{"epoch": 1}], [{"loss": float("nan")}], [{"loss": "low"}], [{"loss": True}]],
)
def test_an_invalid_history_gives_a_note(findings: Findings, history: object) -> None:
    assert "keeps no history" in training_section(replace(findings, summary={"history": history}))


def test_measures_with_any_name_are_drawn(findings: Findings) -> None:
    shown = training_section(
        replace(findings, summary={"history": [{'a "<b>': 1.5}, {'a "<b>': 2}], "best_restart": 9})
    )
    assert 'id="learning-a-20--22--3c-b-3e--title"' in shown
    assert "<b>" not in shown


def test_the_composition_table_shows_the_strongest_head(findings: Findings) -> None:
    rules = RuleSet.of(
        [Rule("niece", ("a", "b"), probability=0.2, support=5), Rule("aunt", ("a", "b"), probability=0.8, support=20)]
        + [Rule(f"h{n}", ("a", "b"), probability=0.01) for n in range(4)]
    )
    shown = composition_section(replace(findings, rules=rules))
    assert shown.count('role="button"') == 1
    assert ">aunt</text>" in shown
    assert "aunt(X, Y) &lt;= a(X, Z), b(Z, Y)   p=0.8 support=20; niece" in shown
    assert "; and 2 more" in shown
    assert 'class="cell level-4"' in shown
    assert "no rules with a body of two" in composition_section(
        replace(findings, rules=RuleSet.of([Rule("a", ("b",))]))
    )


def test_a_cell_of_alternatives_names_all_on_hover(findings: Findings) -> None:
    rules = RuleSet.of([Rule(name, ("EC", "DC"), possibility=1.0) for name in ("DC", "EC", "PO", "TPPI", "NTPPI")])
    shown = composition_section(replace(findings, rules=rules))
    assert ">5 relations<" in shown
    label = re.search(r'aria-label="EC, DC: ([^"]*)"', shown)
    assert label is not None and set(label[1].split(" or ")) == {"DC", "EC", "PO", "TPPI", "NTPPI"}


def test_a_large_composition_table_is_limited_to_the_most_used_bodies(findings: Findings) -> None:
    rules = [Rule("h", (f"r{n}", f"s{n}"), score=float(n + 1), support=n) for n in range(40)]
    rules.append(Rule("invented_0", ("r39", "s38"), score=40.0, support=1000, invented=True))
    shown = composition_section(replace(findings, rules=RuleSet.of(rules)))
    assert "25 of 41 bodies are shown" in shown
    assert shown.count('role="button"') == 25
    assert 'data-left="r39"' in shown
    assert 'data-left="r5"' not in shown
    assert 'class="cell level-5 invented"' in shown


def test_confusion_counts_right_and_given_answers(findings: Findings) -> None:
    few = answering(findings, "=", "=", None, "never seen", "=")
    shown = confusion_section(few)
    assert shown.count('role="button"') == len({*zip(few.wanted, (p.relation for p in few.predictions), strict=True)})
    assert "2 of 5 answers are not the right one" in shown
    assert 'data-said="cannot say"' in shown
    assert f"<strong>never seen</strong><span> in place of {few.wanted[3]} </span>" in shown
    assert "No answer was wrong." in confusion_section(answering(findings, "=", "="))


def test_confusion_is_limited_to_the_most_common_answers(findings: Findings) -> None:
    few = answering(findings, *(f"answer {n}" for n in range(30)))
    shown = confusion_section(few)
    labels = len(set(few.wanted)) + 30
    assert f"Of {labels} answers, the 24 most common are shown." in shown
    assert shown.count("<li>") == 8


def test_calibration_uses_probabilities_or_scores_or_is_a_note(findings: Findings) -> None:
    likely = calibration_section(answering(findings, "=", "=", "=", "x", probability=0.75))
    assert ">0.000</dd>" in likely, "three of four answers at 0.75 are right"
    assert "Left out" not in likely
    scored = calibration_section(answering(findings, "=", None, score=0.5))
    assert "gives scores, not probabilities" in scored
    assert "Left out here: 1 question without an answer." in scored
    assert "expected calibration error" not in scored
    assert "not between 0 and 1" in calibration_section(answering(findings, "=", score=12.0))
    assert "neither probabilities nor scores" in calibration_section(answering(findings, "=", None))


def test_rules_are_embedded_with_their_figures(findings: Findings) -> None:
    rules = RuleSet.of(
        [
            Rule("aunt", ("a", "b"), score=1.23456, support=3),
            Rule("invented_0", ("a", "<dummy>"), score=2, invented=True),
        ]
    )
    names = NameIndex()
    found = embedded_rules(replace(findings, rules=rules, true_rules=RuleSet.of([Rule("aunt", ("a", "b"))])), names)
    assert found["figures"] == ["score", "support"]
    assert found["rows"] == [[0, [1, 2], [1.235, 3.0], 0, 1], [3, [1], [2.0, None], 1, 0]]
    assert names.names()[:4] == ["aunt", "a", "b", "invented_0"]
    assert found["invented"] == [3]
    unknown = embedded_rules(replace(findings, rules=rules, true_rules=None), names)
    assert (unknown["judged"], unknown["rows"][0][4]) == (False, None)


def test_missing_true_rules_are_listed(findings: Findings) -> None:
    found = replace(findings, rules=RuleSet.of([Rule("aunt", ("a", "b"))]))
    truth = RuleSet.of([Rule("aunt", ("a", "b")), Rule("niece", ("b", "a")), Rule("long", ("a", "b", "c"))])
    shown = missing_rules(replace(found, true_rules=truth))
    assert "1 true rule not learned" in shown
    assert "<li>niece &lt;= b, a</li>" in shown
    assert "Every true rule" in missing_rules(replace(found, true_rules=found.rules))
    assert missing_rules(replace(found, true_rules=None)) == ""
    assert missing_rules(replace(found, rules=RuleSet(), true_rules=truth)) == ""


def test_json_in_a_page_has_no_markup_and_round_trips() -> None:
    import json

    value = {"</script>": ["<!--", "&amp;", "\u2028\u2029", "é", None, 0.5]}
    text = as_json(value)
    assert not set(text) & set("<>&\u2028\u2029")
    assert json.loads(text) == value
    with pytest.raises(ValueError, match="not JSON compliant"):
        as_json(float("nan"))


def test_the_security_policy_allows_only_this_style_and_script() -> None:
    policy = security_policy("a{}", "1;")
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "http" not in policy
    assert policy != security_policy("a{}", "2;")
