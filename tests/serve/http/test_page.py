"""The explorer in a real browser: asked, stepped through, edited, by keyboard, on a phone, in the dark, with markup."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest

import r5
from r5.serve.handlers.session import Session
from r5.serve.http.page import load_files
from tests.serve.conftest import HOSTILE, Running

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

AUDIT = (Path(__file__).parents[2] / "report" / "audit.js").read_text(encoding="utf-8")
Open = Callable[..., "Page"]


@pytest.fixture
def visit(browser: Browser) -> Iterator[Open]:
    """Opens the explorer, which must stay silent: no message on the console, no error, no request elsewhere."""
    complaints: list[str] = []
    contexts = []

    def go(server: Running, state: str = "", width: int = 1280, **options: Any) -> Page:
        context = browser.new_context(viewport={"width": width, "height": 800}, reduced_motion="reduce", **options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(60_000)  # the first answer of all waits for kernels to be compiled
        page.on("console", lambda message: complaints.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: complaints.append(f"error: {error}"))
        page.on("request", lambda one: one.url.startswith((server.url, "data:", "blob:")) or complaints.append(one.url))
        page.goto(f"{server.url}{state}")
        page.wait_for_load_state("networkidle")
        return page

    yield go
    for context in contexts:
        context.close()
    assert complaints == []


def question(session: Session, number: int) -> tuple[str, str, str, str]:
    """The state that asks an example, its ends and its answer."""
    assert session.data is not None
    example = session.data.test[number]
    state = f"#ask?graph=test/{number}&source={example.source}&target={example.target}"
    return state, example.source, example.target, session.model.predict(example).relation or ""


def test_a_derivation_is_stepped_through_and_edited(visit: Open, kinship: Running, kinship_session: Session) -> None:
    state, source, target, relation = question(kinship_session, 3)
    page = visit(kinship, state)
    page.locator("#case-answers button").first.wait_for()
    assert page.locator("#case-title").inner_text() == f"How is {source} related to {target}?"
    assert page.locator("#case-answers button .name").first.inner_text().startswith(relation)
    assert page.title().startswith(f"{source} → {target}: {relation}")
    steps = page.locator("#case-steps li").count() - 1
    assert page.locator("#step-count").inner_text() == f"step {steps} of {steps}"
    assert page.locator(".network .fact.on-path").count() == steps + 1
    assert page.locator(".network .fact.result").count() == 1
    page.get_by_role("button", name="To the start").click()
    assert page.locator(".network .fact.result").count() == 0
    # A fact is taken away by keyboard: the path is gone, the address says so, and going back brings it back.
    page.locator(".network .fact.on-path").first.focus()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Remove this fact").click()
    page.locator("#case-verdict", has_text="Cannot say").wait_for()
    assert "edits=" in page.url
    assert page.locator("#change-list").inner_text().startswith("without ")
    with page.expect_download() as download:
        page.get_by_role("button", name="Export the edited graph").click()
    assert len(download.value.path().read_text().splitlines()) == steps
    page.go_back()
    page.locator("#case-verdict", has_text="Right").wait_for()
    page.reload()
    page.locator("#case-verdict", has_text="Right").wait_for()


def test_names_are_suggested_and_facts_added(visit: Open, kinship: Running, kinship_session: Session) -> None:
    _, source, target, _ = question(kinship_session, 3)
    page = visit(kinship, "#ask?graph=test/3")
    page.locator("#ask-source").press_sequentially(source[:2].lower())
    page.get_by_role("option", name=source, exact=True).first.wait_for()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert page.locator("#ask-source").input_value().lower().startswith(source[:2].lower())
    page.locator("#ask-source").fill(source)
    page.locator("#ask-target").fill(target)
    page.keyboard.press("Enter")
    page.locator("#case-verdict", has_text="Right").wait_for()
    for label, value in (("Add a fact", target), ("relation", "husband"), ("target", "Somebody New")):
        page.locator("#fact-form").get_by_label(label, exact=True).fill(value)
    page.locator("#fact-form").get_by_role("button", name="Add").click()
    page.locator("#change-list", has_text=f"with {target}").wait_for()
    assert "husband" in page.locator("#change-list").inner_text()
    page.locator(".network .fact.added").wait_for()
    page.locator("#why-relation").select_option("aunt")
    page.locator("#why-form").get_by_role("button", name="Show").click()
    page.locator("#why h4", has_text="Why not aunt?").wait_for()
    assert page.locator("#why .loses").count() >= 1
    page.locator("#ask-source").fill("nobody at all")
    page.locator("#ask-source").press("Enter")
    page.locator("#problem", has_text="no entity is called 'nobody at all'").wait_for()


def test_rules_link_to_examples(visit: Open, kinship: Running, kinship_session: Session) -> None:
    page = visit(kinship, question(kinship_session, 3)[0])
    page.locator("#rules-used a").first.click()
    page.locator("#rules-table tbody tr").first.wait_for()
    page.locator("#rules-table .rule-name").first.click()
    page.locator("#rule-details .witnesses a").first.wait_for()
    page.locator("#accuracy", has_text="queries of kinship correct").wait_for()
    page.locator("#rules-table input[type=checkbox]").first.uncheck()
    page.locator("#accuracy", has_text="with 1 off").wait_for()
    page.locator("#rule-details .witnesses a").first.click()
    page.locator("#case-title").wait_for()
    assert "off=" in page.url
    assert page.locator("#change-list", has_text="1 rules switched off").is_visible()


def test_missing_facts_have_reasons(visit: Open, library: Running) -> None:
    page = visit(library, "#links?entity=Hazelton&side=tail")
    page.locator("#links-list summary").first.click()
    page.locator("#links-list .reasons li").first.wait_for()
    page.get_by_role("link", name="See the two in the graph").first.click()
    page.locator("#case-title", has_text="Hazelton").wait_for()
    page.locator(".network .node").first.wait_for()
    before = page.locator(".network .node").count()
    page.locator(".network .node.other").first.focus()
    page.keyboard.press("Enter")
    page.locator(".network .node").nth(before).wait_for()
    assert "open=" in page.url


def test_known_facts_are_shown_before_new_relations(visit: Open, library: Running, library_session: Session) -> None:
    source, relation, target = library_session.model.graph_.triples()[0]  # type: ignore[attr-defined]
    page = visit(library, f"#ask?source={source}&target={target}")
    page.locator("#case-answers button").first.wait_for()
    assert page.locator("#case-verdict").inner_text() == "✓ In the graph"
    assert page.locator("#case-notes .known").inner_text() == f"The graph says: {relation}"
    assert "in the graph" in page.locator("#case-answers button").first.inner_text()
    page = visit(library, f"#links?entity={source}&side=head&relation={relation}&known=yes")
    page.locator("#links-list summary .sure", has_text="P(fact) ").first.wait_for()
    page.locator("#links-list summary .sure", has_text="share ").first.wait_for()


def test_a_graph_is_uploaded(visit: Open, kinship: Running, tmp_path: Path) -> None:
    own = tmp_path / "family.tsv"
    own.write_text("Ann\tmother\tEve\nEve\tbrother\tTom\n")
    page = visit(kinship, "#data")
    page.locator("#questions-list li").first.wait_for()
    page.locator("#upload").set_input_files(own)
    page.get_by_role("link", name="Ask about it").click()
    page.locator("#ask-source").fill("Ann")
    page.locator("#ask-target").fill("Tom")
    page.locator("#ask-target").press("Enter")
    answers = page.locator("#case-answers .name", has_text="uncle")
    answers.first.wait_for()
    assert answers.first.inner_text() == "uncle"
    (tmp_path / "large.tsv").write_text("a\tb\tc\n" * 400_000)
    page.goto(f"{kinship.url}#data")
    page.locator("#upload").set_input_files(tmp_path / "large.tsv")
    page.locator("#problem", has_text="can be uploaded").wait_for()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_pass_the_accessibility_audit(
    visit: Open, kinship: Running, library: Running, kinship_session: Session, library_session: Session, scheme: str
) -> None:
    model = library_session.model
    assert isinstance(model, r5.ChainReasoner)
    entity = quote(model.new_facts(1)[0].fact.source)
    states = [
        (kinship, question(kinship_session, 3)[0]),
        (kinship, "#rules?rule=2"),
        (library, f"#links?entity={entity}"),
    ]
    for server, state in states:
        page = visit(server, state, color_scheme=scheme)
        page.locator("#case-answers button, #rule-details h2, #links-list summary").first.wait_for()
        assert page.evaluate(AUDIT) == []
    assert page.evaluate("getComputedStyle(document.body).colorScheme") is not None


def test_pages_fit_a_phone(visit: Open, kinship: Running, kinship_session: Session) -> None:
    for state in (question(kinship_session, 60)[0], "#rules", "#data"):
        page = visit(kinship, state, width=360)
        assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_names_are_escaped(visit: Open, hostile: Running, hostile_session: Session) -> None:
    page = visit(hostile)
    page.locator(".network .node").first.wait_for()
    names = hostile_session.shared_graph
    assert names is not None
    page.locator("#ask-source").fill(names.entities[0])
    page.locator("#ask-target").fill(names.entities[2])
    page.locator("#ask-target").press("Enter")
    page.locator("#case-answers button").first.wait_for()
    for view, part in (("rules?rule=0", "#rule-details h2"), ("data", "#about dd")):
        page.goto(f"{hostile.url}#{view}")
        page.locator(part, has_text=HOSTILE[:20]).first.wait_for()
        assert page.title() != "owned"
        assert page.locator("img").count() == 0


def test_page_files_load_nothing_from_other_hosts() -> None:
    found = load_files()
    assert {"/", "/assets/main.js", "/assets/report.js", "/assets/report.css"} <= set(found)
    for path, part in found.items():
        text = part.content.decode()
        assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", text), path
        assert "innerHTML" not in text
        assert "eval(" not in text
    page = found["/"].content.decode()
    assert not re.search(r"<script(?! type=\"module\" src)|<style| style=| on[a-z]+=", page)
    for name in re.findall(r'"\./([a-z]+\.js)"', "".join(part.content.decode() for part in found.values())):
        assert f"/assets/{name}" in found
