"""Report on a knowledge graph, from known answers."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from r5.data.one_graph import dataset_with_splits
from r5.errors import R5Error
from r5.report.graphs.findings import gather_graph_findings
from r5.report.graphs.page import render_graph_page
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
    assert [(one.answer.query, one.answer.entity) for one in found.right] == [(("Ann", "aunt", None), "Ida")]
    assert len(found.wrong) == 3


def test_the_page_shows_ranks_rules_and_reasons() -> None:
    page = render_graph_page(gather_graph_findings(StandIn(), DATA, "test", "model"))
    assert "relatives" in page and "Hits@10" in page
    assert "aunt(X, Y) &lt;= mother(X, Z), sister(Z, Y)" in page
    assert page.count("<svg") >= 4
    assert "4 further reasons" in page
    assert not re.search(r"<script|https?://(?!www\.w3\.org)", page)
    assert render_graph_page(gather_graph_findings(StandIn(), DATA, "test", "model")) == page


def test_shares_and_probabilities_of_facts_are_separate() -> None:
    found = gather_graph_findings(StandIn(), DATA, "test", "model")
    page = render_graph_page(found)
    assert "Is P(fact) right?" in page and "Is the share right?" in page
    assert [(str(one.completion.fact), one.split) for one in found.facts] == [("Ann -aunt-> Zoe", "valid")]
    assert "of P(fact), 1 new fact<" in page
    # Of what Zoe, true in valid, leaves (.1), Ida has .05; her P(fact) is as written down.
    assert "Ida, share 0.500, P(fact) 0.050" in page


def test_a_wanted_answer_of_low_rank_is_explained() -> None:
    found = gather_graph_findings(StandIn(), DATA, "test", "model")
    shown = {one.answer.query: one for one in found.wrong}[(None, "mother", "Ida")]
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
    assert f"with {listed:,} rules." in render_graph_page(replace(found, summary={"rules": listed}))
    assert f"with {listed + 1:,} rules ({listed:,} listed)." in render_graph_page(
        replace(found, summary={"rules": listed + 1})
    )
