"""Report on a knowledge graph, from known answers."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from r5.data.one_graph import dataset_with_splits
from r5.derivations.completion import AuditFinding
from r5.errors import R5Error
from r5.graph import Graph
from r5.ranking import Ranking
from r5.report.graphs.examples import kind_of
from r5.report.graphs.findings import gather_graph_findings
from r5.report.graphs.page import render_graph_page
from r5.report.graphs.rule_data import graph_rules
from r5.report.page_data import NameIndex
from r5.report.writing import write_report
from r5.rules.rule import Rule
from r5.rules.ruleset import RuleSet
from tests.helpers.completing import StandIn

DATA = dataset_with_splits(
    "relatives",
    {
        "train": [("Ann", "mother", "Eve"), ("Eve", "sister", "Zoe"), ("Eve", "sister", "Ida"), ("<b>", "aunt", "Ida")],
        "valid": [("Ann", "aunt", "Zoe")],
        "test": [("Ann", "aunt", "Ida"), ("Eve", "mother", "Ida")],
    },
)


def test_true_facts_are_never_listed_as_wrong() -> None:
    found = gather_graph_findings(StandIn(), DATA, "test", "model")
    # The first candidate for (Ann, aunt, ?) is Zoe: true in valid, hence filtered.
    kinds = {one.answer.query: (kind_of(one), one.answer.entity) for one in found.examples}
    assert kinds.pop(("Ann", "aunt", None)) == ("right", "Ida")
    assert {kind for kind, _ in kinds.values()} == {"wrong"} and len(kinds) == 3


def test_the_page_shows_ranks_rules_and_reasons() -> None:
    page = render_graph_page(gather_graph_findings(StandIn(), DATA, "test", "model"))
    assert "relatives" in page and "Hits@10" in page
    assert '["aunt","mother(X, Z)","sister(Z, Y)","aunt(X, Y)"]' in page
    assert page.count("<svg") >= 4
    assert "4 further reasons" in page
    assert page.count("<script") == 2
    assert not re.search(r"https?://(?!www\.w3\.org)", page)
    assert render_graph_page(gather_graph_findings(StandIn(), DATA, "test", "model")) == page


def test_shares_and_probabilities_of_facts_are_separate() -> None:
    found = gather_graph_findings(StandIn(), DATA, "test", "model")
    page = render_graph_page(found)
    assert "Is P(fact) right?" in page and "Is the share right?" in page
    assert [(str(one.completion.fact), one.split) for one in found.facts] == [("Ann -aunt-> Zoe", "valid")]
    assert "of P(fact), 1 new fact<" in page
    assert "Ida: P(fact) 0.050." in page


def test_a_wanted_answer_of_low_rank_is_explained() -> None:
    found = gather_graph_findings(StandIn(), DATA, "test", "model")
    shown = {one.answer.query: one for one in found.examples}[(None, "mother", "Ida")]
    assert shown.first is not None and shown.wanted is not None
    assert (shown.first.entity, shown.wanted.entity) == (shown.answer.entity, "Eve")
    assert str(shown.wanted.fact) == "Eve -mother-> Ida"


def test_a_split_without_facts_is_refused() -> None:
    empty = dataset_with_splits("one", {"train": [("a", "r", "b")]})
    with pytest.raises(R5Error, match="nothing to report on"):
        gather_graph_findings(StandIn(), empty, "test")


def test_the_number_of_listed_rules_is_shown_if_smaller() -> None:
    found = gather_graph_findings(StandIn(), DATA, "test", "model")
    listed = len(found.rules)
    every = render_graph_page(replace(found, summary={"rules": listed}))
    assert f"with {listed:,} rule." in every and "best of" not in every
    some = render_graph_page(replace(found, summary={"rules": listed + 1}))
    assert f"with {listed + 1:,} rules." in some
    assert f"The {listed:,} best of {listed + 1:,} rules are listed." in some


def test_model_engine_seed_and_graph_are_named() -> None:
    found = gather_graph_findings(StandIn(), DATA, "test", "my-model")
    page = render_graph_page(replace(found, summary={"facts": 4, "seconds": 2.0}))
    text = re.sub(r"<[^>]+>", " ", page[page.index('class="about"') : page.index('id="ranks"')])
    words = " ".join(text.split())
    assert "model my-model data relatives, test split engine chains seed 0" in words
    assert "learned from 4 training facts in 2.0 s" in words
    assert "answers on 5 facts, 6 entities, 3 relations" in words


def test_missing_facts_and_facts_that_look_wrong_are_listed_with_reasons() -> None:
    page = render_graph_page(gather_graph_findings(StandIn(), DATA, "test", "model"))
    missing = page[page.index('<section id="missing"') : page.index('<section id="audit"')]
    assert "In valid or test" in missing and "In no split" not in missing
    assert "Ann -aunt-&gt; Zoe" in missing and "P(fact) 0.900" in missing and "in valid" in missing
    assert missing.count("<svg") == 1
    audit = page[page.index('<section id="audit"') : page.index('<section id="rules"')]
    for told in ("Ann -mother-&gt; Eve", "P(fact) 0.020", "usual for mother: 0.950", "contradiction: Ann -mother"):
        assert told in audit
    assert "more probable: Ann -mother-&gt; Zoe (0.700)" in audit
    assert audit.count("<svg") == 1


def test_a_fact_that_is_probably_right_does_not_look_wrong() -> None:
    class Content(StandIn):
        def audit(self, top: int = 20, graph: Graph | None = None, **more: Any) -> list[AuditFinding]:  # type: ignore[override]
            """The same fact, less probable than is usual, but more probably right than wrong."""
            (one,) = super().audit(top, graph, **more)
            return [replace(one, completion=replace(one.completion, probability=0.6), contradictions=())]

    page = render_graph_page(gather_graph_findings(Content(), DATA, "test", "model"))
    audit = page[page.index('<section id="audit"') : page.index('<section id="rules"')]
    assert "No fact of the graph looks wrong." in audit and "<li>" not in audit


def test_rules_are_written_in_stored_direction() -> None:
    rules = RuleSet.of(
        [
            Rule("aunt", ("mother", "sister^-1"), weight=1.0, probability=0.5, pca=0.75, support=3),
            Rule("aunt^-1", ("mother^-1",), weight=-1.0, target="Ida", ending="Ann"),
        ]
    )
    names = NameIndex()
    data = graph_rules(rules, names)
    words = names.names()
    assert data["figures"] == ["weight", "confidence", "PCA confidence", "support"]
    shown = [(words[row[0]], words[row[5]], [words[n] for n in row[1]], row[2]) for row in data["rows"]]
    assert sorted(shown) == [
        ("aunt", 'aunt("Ida", X)', ['mother("Ann", X)'], [-1.0, None, None, None]),
        ("aunt", "aunt(X, Y)", ["mother(X, Z)", "sister(Y, Z)"], [1.0, 0.5, 0.75, 3]),
    ]


def test_write_report_writes_this_page_for_a_knowledge_graph(tmp_path: Path) -> None:
    result = write_report(StandIn(), DATA, tmp_path / "report.html", name="my-model", examples=1)
    assert isinstance(result, Ranking) and result.n == 4
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Facts that look wrong" in page and page.count("<article") == 1
