"""Queries to a model of families: headline, steps, edits, rules, uploads."""

from __future__ import annotations

from pathlib import Path

from r5.serve.handlers.session import Session
from tests.serve.browser.conftest import Open, question, told
from tests.serve.conftest import Running


def test_a_derivation_is_stepped_through_and_edited(visit: Open, kinship: Running, kinship_session: Session) -> None:
    state, source, target, relation = question(kinship_session, 3)
    page = visit(kinship, state)
    page.locator("#case-answers button").first.wait_for()
    assert page.locator("#case-asked").inner_text() == f"Who is {target} to {source}?"
    headline = page.locator("#case-title").inner_text()
    assert headline.startswith(f"{target} is {source}\u2019s {relation} (")
    answer = page.locator("#case-answers button").first
    assert answer.locator(".name").inner_text().startswith(relation)
    assert f"({answer.locator('.sure').inner_text()})" in headline  # one figure for one answer
    assert page.title().startswith(f"{source} → {target}: {relation}")
    steps = page.locator("#case-steps li").count() - 1
    assert page.locator("#step-count").inner_text() == f"step {steps} of {steps}"
    assert page.locator(".network .fact.on-path").count() == steps + 1
    assert page.locator(".network .fact.result").count() == 1
    page.get_by_role("button", name="To the start").click()
    page.locator(".network .fact.result").wait_for(state="detached")
    # A fact is taken away by keyboard: the path is gone, the address says so, and going back brings it back.
    page.locator(".network .fact.on-path").first.focus()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Remove this fact").click()
    page.locator("#case-verdict", has_text="Cannot say").wait_for()
    assert "edits=" in page.url
    assert page.locator("#change-list").inner_text().startswith("without ")
    assert page.evaluate("document.activeElement !== document.body")
    with page.expect_download() as download:
        page.get_by_role("button", name="Export the edited graph").click()
    assert len(download.value.path().read_text().splitlines()) == steps
    page.go_back()
    page.locator("#case-verdict", has_text="Right").wait_for()
    page.reload()
    page.locator("#case-verdict", has_text="Right").wait_for()


def test_before_and_after_are_side_by_side(visit: Open, kinship: Running, kinship_session: Session) -> None:
    state, _, _, relation = question(kinship_session, 3)
    page = visit(kinship, state)
    page.locator(".network .fact.on-path").first.focus()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Remove this fact").click()
    page.locator("#what-if .outcome").nth(1).wait_for()
    before, after = page.locator("#what-if .outcome").all_inner_texts()
    assert before.startswith(f"Before {relation} ") and after == "After cannot say"
    # The change is in sight although the graph is far down the page.
    box = page.locator("#what-if").bounding_box()
    assert box is not None and box["y"] >= 0 and box["y"] + box["height"] <= 800
    page.get_by_role("button", name="Undo all").click()
    page.locator("#changes").wait_for(state="hidden")
    assert page.locator("#what-if .outcome").count() == 0


def test_a_typo_in_a_new_fact_is_asked_about(visit: Open, kinship: Running, kinship_session: Session) -> None:
    state, source, target, _ = question(kinship_session, 3)
    page = visit(kinship, state)
    page.locator(".network .node").first.wait_for()
    form = page.locator("#fact-form")
    for label, value in (("Add a fact", source + "x"), ("relation", "husband"), ("target", "Somebody New")):
        form.get_by_label(label, exact=True).fill(value)
    form.get_by_role("button", name="Add").click()
    page.locator("#fact-note", has_text=f"There is no entity {source}x. Did you mean").wait_for()
    assert "edits=" not in page.url
    page.locator("#fact-note").get_by_role("button", name=source, exact=True).click()
    page.locator("#fact-note", has_text="There is no entity Somebody New.").wait_for()
    page.get_by_role("button", name="Add with the new entity Somebody New").click()
    page.locator("#change-list", has_text=f"with {told(source, 'husband', 'Somebody New')}").wait_for()
    page.locator(".network .fact.added").wait_for()
    # Known names are added at once.
    for label, value in (("Add a fact", target), ("relation", "husband"), ("target", source)):
        form.get_by_label(label, exact=True).fill(value)
    form.get_by_role("button", name="Add").click()
    page.locator("#change-list", has_text=f"with {told(target, 'husband', source)}").wait_for()


def test_names_are_suggested(visit: Open, kinship: Running, kinship_session: Session) -> None:
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
    page.locator("#why-relation").select_option("aunt")
    page.locator("#why-form").get_by_role("button", name="Show").click()
    page.locator("#why h4", has_text="Why not aunt?").wait_for()
    assert page.locator("#why .loses").count() >= 1


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
    assert page.locator("#change-list", has_text="1 rule switched off").is_visible()


def test_pages_out_of_range_show_the_last_page(visit: Open, kinship: Running) -> None:
    for view, rows in (("rules", "#rules-table tbody tr"), ("data", "#questions-results li")):
        page = visit(kinship, f"#{view}?page=9999")
        page.locator(rows).first.wait_for()
        first, last = page.locator(f"#view-{view} .pager span").inner_text()[5:].split(" of ")
        assert first == last


def test_a_graph_is_uploaded(visit: Open, kinship: Running, tmp_path: Path) -> None:
    own = tmp_path / "family.tsv"
    own.write_text("Ann\tmother\tEve\nEve\tbrother\tTom\n")
    page = visit(kinship, "#data")
    page.locator("#questions-results li").first.wait_for()
    page.locator("#upload").set_input_files(own)
    page.get_by_role("link", name="Ask about it").click()
    page.locator("#ask-source").fill("Ann")
    page.locator("#ask-target").fill("Tom")
    page.locator("#ask-target").press("Enter")
    answers = page.locator("#case-answers .name", has_text="uncle")
    answers.first.wait_for()
    assert answers.first.inner_text() == "uncle"
    assert page.locator("#ask-about").inner_text() == "In family.tsv."
    (tmp_path / "large.tsv").write_text("a\tb\tc\n" * 400_000)
    page.goto(f"{kinship.url}#data")
    page.locator("#upload").set_input_files(tmp_path / "large.tsv")
    page.locator("#problem", has_text="can be uploaded").wait_for()
