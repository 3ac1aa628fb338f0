"""Report page: self-contained, reproducible, and safe with any names."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import r5
from r5.dataset import Dataset
from r5.errors import DataError, R5Error
from r5.examples import Examples
from r5.report.findings import Findings, gather_findings
from r5.report.page import render_page
from r5.report.writing import write_report
from r5.rules.ruleset import RuleSet

from .conftest import HOSTILE, Learned

VOID = {"meta", "link", "input", "br", "img", "hr"}


class Reader(HTMLParser):
    """Parser that collects the tags of a page and checks that they nest."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def read(page: str) -> list[tuple[str, dict[str, str | None]]]:
    reader = Reader()
    reader.feed(page)
    reader.close()
    assert reader.open == []
    return reader.tags


@pytest.fixture(scope="module")
def page(findings: Findings) -> str:
    return render_page(findings, examples=40)


def test_tags_nest_and_ids_are_unique(page: str) -> None:
    tags = read(page)
    ids = Counter(attributes["id"] for _, attributes in tags if "id" in attributes)
    assert max(ids.values()) == 1
    for _, attributes in tags:
        for key in ("aria-labelledby", "for"):
            assert all(name in ids for name in (attributes.get(key) or "").split())
        link = attributes.get("href") or ""
        assert link == "data:," or link[1:] in ids or not link


def test_the_page_is_self_contained_with_one_script(page: str) -> None:
    tags = read(page)
    assert not [tag for tag, attributes in tags if "src" in attributes or "style" in attributes]
    assert not [key for _, attributes in tags for key in attributes if key.startswith("on")]
    assert not re.search(r"(https?:)?//(?!www\.w3\.org/2000/svg)[a-z]", re.sub(r"//.*", "", page, flags=re.MULTILINE))
    assert [attributes.get("type") for tag, attributes in tags if tag == "script"] == ["application/json", "module"]
    assert "innerHTML" not in page
    assert "@import" not in page


def test_equal_findings_give_equal_bytes(learned: Learned, findings: Findings, page: str) -> None:
    assert render_page(findings, examples=40) == page
    again = gather_findings(learned.model, learned.data, name="model")
    assert again.evaluation.seconds != findings.evaluation.seconds
    timed = replace(again.evaluation, seconds=findings.evaluation.seconds)
    assert render_page(replace(again, evaluation=timed), examples=40) == page


def test_markup_in_names_is_escaped(hostile: Learned) -> None:
    page = render_page(gather_findings(hostile.model, hostile.data, name=HOSTILE))
    tags = read(page)
    assert "img" not in {tag for tag, _ in tags}
    assert len([tag for tag, _ in tags if tag == "script"]) == 2
    content = re.search(r'<script type="application/json" id="content">(.*?)</script>', page, flags=re.DOTALL)
    assert content is not None
    assert f"{HOSTILE}1" in json.loads(content[1])["relations"]


def test_write_report_does_not_replace_files_without_force(learned: Learned, tmp_path: Path) -> None:
    target = tmp_path / "deep" / "report.html"
    result = write_report(learned.model, learned.data, target, examples=3)
    assert result.overall.n == 60
    written = target.read_text(encoding="utf-8")
    assert written.startswith("<!doctype html>")
    assert f"<h1>{learned.data.name}</h1>" in written
    with pytest.raises(DataError, match="already exists"):
        write_report(learned.model, learned.data, target)
    assert target.read_text(encoding="utf-8") == written
    write_report(learned.model, learned.data, target, examples=0, force=True)
    assert target.read_text(encoding="utf-8") != written
    with pytest.raises(DataError, match="is a folder"):
        write_report(learned.model, learned.data, tmp_path, force=True)
    with pytest.raises(R5Error, match="0 or more"):
        write_report(learned.model, learned.data, tmp_path / "other.html", examples=-1)
    assert [path.name for path in target.parent.iterdir()] == ["report.html"]


def test_a_split_without_known_answers_is_refused(learned: Learned) -> None:
    with pytest.raises(R5Error, match=r"the valid split of .* has no queries"):
        gather_findings(learned.model, learned.data, "valid")
    unknown = replace(learned.data.test, answers=np.full(60, -1, dtype=np.int32))
    asked = Dataset("asked", learned.data.train, learned.data.valid, unknown)
    with pytest.raises(R5Error, match="no queries with a known answer"):
        gather_findings(learned.model, asked)


def test_only_the_test_split_has_published_figures(learned: Learned) -> None:
    named = replace(learned.data, name="world_17")
    assert gather_findings(learned.model, named).published
    assert not gather_findings(learned.model, named, "train").published


def test_real_data_has_published_figures(real_data: Path) -> None:
    data = r5.load(real_data / "graphlog" / "re_0")
    model = r5.GrammarReasoner(seed=0, restarts=(0.5,), annealing_steps=5, sparse_steps=5).fit(data.train)
    page = render_page(gather_findings(model, data))
    read(page)
    assert "R5 (paper)" in page
    assert "66.5%" in page
    assert len(page) < 1_000_000


def test_a_model_without_rules_has_a_report(findings: Findings) -> None:
    bare = replace(findings, rules=RuleSet(), summary={}, predictions=[r5.Prediction("x")] * 60)
    page = render_page(bare)
    assert "no rules with a body of two" in page
    assert "neither probabilities nor scores" in page
    read(page)


def test_only_the_neighbourhood_of_a_large_graph_is_embedded(tmp_path: Path) -> None:
    """Of a hub with a thousand neighbours, the page embeds the nearest few."""
    triples = [("hub", "r", f"n{n}") for n in range(1000)] + [("a", "s", "hub"), ("a", "t", "n0")]
    graph = r5.Graph.from_triples(triples)
    words = graph.vocabulary
    test = Examples.over(graph, [graph.node("a")] * 50, [graph.node("n0")] * 50, [words.id("t")] * 50)
    none = Examples.empty(words)
    model = r5.GrammarReasoner.from_rules(RuleSet.of([r5.Rule("t", ("s", "r"))]), words)
    page = render_page(gather_findings(model, Dataset("hub", none, none, test)))
    assert len(page) < 400_000
    content = json.loads(re.search(r'id="content">(.*?)</script>', page, flags=re.DOTALL)[1])  # type: ignore[index]
    assert {len(case["views"][0]["entities"]) for case in content["cases"]} == {3 + 16}
