"""The report on a knowledge graph in a real browser."""

from __future__ import annotations

from pathlib import Path

import pytest

import r5
from r5.data.one_graph import dataset_with_splits
from r5.report.graphs.findings import gather_graph_findings
from r5.report.graphs.page import render_graph_page
from tests.report.conftest import AUDIT, HOSTILE, Open

PARENTS = [(f"p{i}", "parent", f"p{i + 1}") for i in range(40)]
GRAND = [(f"p{i}", "grandparent", f"p{i + 2}") for i in range(39)]
TEST = [*GRAND[::4], ("p3", f"likes{HOSTILE}", f"tea{HOSTILE}")]
TRAIN = [
    *PARENTS,
    *(fact for fact in GRAND if fact not in TEST),
    *((f"p{i}", f"likes{HOSTILE}", f"{drink}{HOSTILE}") for i in range(20) if i != 3 for drink in ("tea", "juice")),
]


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the report of a small graph, in which some names are markup."""
    data = dataset_with_splits("people", {"train": TRAIN, "test": TEST})
    found = gather_graph_findings(r5.ChainReasoner(seed=0).fit(data.train), data, "test", "my-model")
    target = tmp_path_factory.mktemp("report") / "report.html"
    target.write_text(render_graph_page(found), encoding="utf-8")
    return target


def test_examples_are_filtered_searched_and_linked(visit: Open, report: Path) -> None:
    page = visit(report)
    count, shown = page.locator("#case-count"), page.locator("#case > article:visible")
    assert count.inner_text() == f"{2 * len(TEST)} of {2 * len(TEST)} questions"
    assert shown.count() == 1
    page.get_by_role("radio", name="Right").check(force=True)
    assert shown.locator(".verdict").inner_text() == "✓ First answer right"
    page.get_by_role("radio", name="All").check(force=True)
    page.locator("#examples").get_by_label("Search").fill("P4 GRANDPARENT")
    assert page.locator("#case-list button").count() < 2 * len(TEST)
    page.locator("#case-list button").filter(has_text="p4 –grandparent→ ?").click()  # noqa: RUF001
    assert shown.locator("h3").inner_text() == "p4 –grandparent→ ?"  # noqa: RUF001
    assert shown.locator("svg").first.is_visible()
    page.locator("#examples").get_by_label("Search").fill("nobody of that name")
    assert (count.inner_text(), shown.count()) == (f"0 of {2 * len(TEST)} questions", 0)
    linked = visit(report, "#example-5")
    assert linked.locator("#case > article:visible").get_attribute("id") == "example-5"


def test_rules_are_sorted_filtered_and_not_clipped(visit: Open, report: Path) -> None:
    page = visit(report)
    table = page.locator("#rule-table")
    page.get_by_label("Head").select_option("grandparent")
    heads = table.locator("tbody th").all_inner_texts()
    assert heads and all(head.startswith("grandparent(") for head in heads)
    titles = [text.strip() for text in table.locator("thead th").all_inner_texts()]
    table.get_by_role("button", name="PCA confidence").click()
    cells = table.locator(f"tbody tr > :nth-child({titles.index('PCA confidence') + 1})").all_inner_texts()
    figures = [float(text) for text in cells if text != "–"]  # noqa: RUF001
    assert figures == sorted(figures, reverse=True)
    box, last = table.locator("..").bounding_box(), table.locator("thead th").last.bounding_box()
    assert box is not None and last is not None
    assert last["x"] + last["width"] <= box["x"] + box["width"] + 1
    page.locator("#rules").get_by_label("Search").fill("nothing of that name")
    assert page.locator("#rule-count").inner_text().startswith("0 of ")


def test_the_theme_button_colours_pictures_too(visit: Open, report: Path) -> None:
    page = visit(report, color_scheme="light")
    paper = "element => getComputedStyle(element.querySelector('.paper')).fill"
    picture = page.locator("#case > article:visible svg.r5-completion").first
    light = picture.evaluate(paper)
    page.locator("#theme").click()
    assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "dark"
    assert picture.evaluate(paper) != light


def test_names_captions_levels_and_contrast(visit: Open, report: Path) -> None:
    page = visit(report, color_scheme="light")
    page.evaluate("document.querySelectorAll('details').forEach((element) => { element.open = true; })")
    assert page.evaluate(AUDIT) == []
    page.emulate_media(color_scheme="dark")
    assert page.evaluate(AUDIT) == []
    assert page.locator("img").count() == 0 and page.title() != "owned"
    assert HOSTILE.replace("\u2028", "") in " ".join(page.locator("#case-list").all_inner_texts())


def test_a_narrow_screen_never_scrolls_sideways(visit: Open, report: Path) -> None:
    page = visit(report, width=320)
    page.evaluate("document.querySelectorAll('details').forEach((element) => { element.open = true; })")
    for width in (320, 768):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") == width


def test_everything_but_the_controls_is_there_without_a_script(visit: Open, report: Path) -> None:
    page = visit(report, java_script_enabled=False)
    assert page.locator("#case > article:visible").count() == 2 * len(TEST)
    assert page.locator("noscript").count() == 1
