"""Pictures of derivations: well-formed, complete, nothing outside, nothing unescaped."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from r5.derivations.derivation import Derivation, Fact, Merge
from r5.relations import DUMMY

SVG = "{http://www.w3.org/2000/svg}"
PATH = [Fact("Ann", "mother", "Eve"), Fact("Eve", "brother", "Tom"), Fact("Tom", "son", "Max")]


def parsed(derivation: Derivation) -> ElementTree.Element:
    return ElementTree.fromstring(derivation.to_svg())  # noqa: S314  our own


def groups(picture: ElementTree.Element, kind: str) -> list[ElementTree.Element]:
    return [group for group in picture.iter(f"{SVG}g") if kind in (group.get("class") or "").split()]


def texts(element: ElementTree.Element, tag: str = "text") -> list[str | None]:
    return [found.text for found in element.iter(SVG + tag)]


def test_entities_facts_and_steps_are_all_there() -> None:
    merged = Derivation.replay(PATH, [Merge(0, "uncle", 0.9), Merge(0, "cousin")])
    picture = parsed(merged)
    assert [texts(entity) for entity in groups(picture, "entity")] == [["Ann"], ["Eve"], ["Tom"], ["Max"]]
    assert [texts(edge) for edge in groups(picture, "edge")] == [["mother"], ["brother"], ["son"]]
    assert [texts(step) for step in groups(picture, "step")] == [["1 uncle"], ["2 cousin"]]
    assert [texts(step) for step in groups(picture, "answer")] == [["2 cousin"]]
    assert picture.get("role") == "img"
    assert texts(picture, "title")[0] == "How Ann -cousin-> Max was concluded"
    assert texts(picture, "desc") == [str(merged)]
    titles = [texts(step, "title")[0] for step in groups(picture, "step")]
    assert titles[0] == "Step 1: Ann -uncle-> Tom  because  Ann -mother-> Eve, Eve -brother-> Tom: 0.9"


def test_arcs_span_what_they_stand_for_and_lie_above_each_other() -> None:
    picture = parsed(Derivation.replay(PATH, [Merge(1, "nephew"), Merge(0, "cousin")]))
    dots = [float(dot.get("cx") or 0) for dot in picture.iter(f"{SVG}circle")]
    arcs = [step.find(f"{SVG}path") for step in groups(picture, "step")]
    numbers = [[float(n) for n in re.findall(r"[\d.]+", arc.get("d") or "")] for arc in arcs if arc is not None]
    assert [(row[0], row[-2]) for row in numbers] == [(dots[1], dots[3]), (dots[0], dots[3])]
    tops = [float(step.find(f"{SVG}text").get("y") or 0) for step in groups(picture, "step")]  # type: ignore[union-attr]
    assert tops[1] < tops[0]


def test_a_doubted_fact_shows_what_was_observed() -> None:
    believed = [PATH[0], Fact("Eve", "husband", "Tom"), PATH[2]]
    picture = parsed(Derivation.replay(PATH, [Merge(0, "father")], believed, [1.0, 0.8, 1.0]))
    assert [texts(edge) for edge in groups(picture, "doubt")] == [["husband", "observed brother"]]
    assert texts(picture, "title")[0] == "A path"


def test_the_dummy_relation_is_not_drawn() -> None:
    path = [Fact("a", "wed", "b"), Fact("b", DUMMY, "b")]
    picture = parsed(Derivation.replay(path, [Merge(0, "spouse")]))
    assert [texts(entity) for entity in groups(picture, "entity")] == [["a"], ["b"]]
    arc = groups(picture, "answer")[0].find(f"{SVG}path")
    assert arc is not None
    last = float((arc.get("d") or "").split()[-2])
    assert last == float(list(picture.iter(f"{SVG}circle"))[1].get("cx") or 0)


@pytest.mark.parametrize("length", [0, 1, 60, 1500])
def test_all_is_within_the_picture(length: int) -> None:
    path = [
        Fact(f"a person with a long name {n}", "related", f"a person with a long name {n + 1}") for n in range(length)
    ]
    picture = parsed(Derivation.replay(path, [Merge(0, "related") for _ in range(length - 1)]))
    width, height = float(picture.get("width") or 0), float(picture.get("height") or 0)
    for text in picture.iter(f"{SVG}text"):
        half = 3.5 * len(text.text or "")
        x, y = float(text.get("x") or 0), float(text.get("y") or 0)
        assert half <= x <= width - half
        assert 12 <= y <= height
        assert len(text.text or "") <= 30
    assert len(list(picture.iter(f"{SVG}circle"))) == (length + 1 if length else 0)


def test_names_cannot_break_out() -> None:
    path = [Fact("<script>alert(1)</script>", "a&b", '"><'), Fact('"><', "\x00\x1b[31m\ud800", "]]>")]
    picture = parsed(Derivation.replay(path, [Merge(0, "</svg>")]))
    assert "<script>alert(1)</scr…" in [text for group in groups(picture, "entity") for text in texts(group)]
    assert not list(picture.iter(f"{SVG}script"))


def test_light_and_dark() -> None:
    assert "prefers-color-scheme: dark" in Derivation.replay(PATH, []).to_svg()
