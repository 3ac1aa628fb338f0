"""The report in a real browser: clicked through, by keyboard, on a phone, in the dark, with names that are markup."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from r5.report.findings import Findings
from r5.report.writing import write_report
from r5.rules.ruleset import Rule, RuleSet

from .conftest import AUDIT, HOSTILE, Learned, Open

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page


@pytest.fixture(scope="module")
def report(learned: Learned, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report on the noisy world, with all questions."""
    target = tmp_path_factory.mktemp("report") / "report.html"
    write_report(learned.model, learned.data, target, name="model")
    return target


def test_the_example_browser_is_clicked_through(visit: Open, report: Path, findings: Findings) -> None:
    page = visit(report)
    wrong = findings.right.count(False)
    assert page.locator("#case-count").inner_text() == "60 of 60 questions"
    assert page.locator("#case-verdict").inner_text() == "✕ Wrong", "wrong answers come first"
    page.get_by_role("radio", name="Right").check(force=True)
    assert page.locator("#case-count").inner_text() == f"{60 - wrong} of 60 questions"
    assert page.locator("#case-verdict").inner_text() == "✓ Right"
    page.locator("#case-list button").nth(1).click()
    assert page.locator("#case-list button").nth(1).get_attribute("aria-current") == "true"
    number = int(page.locator("#case-list button").nth(1).get_attribute("data-number") or -1)
    example = findings.examples[number]
    assert page.locator("#case-title").inner_text() == f"How is {example.source} related to {example.target}?"
    page.get_by_role("radio", name="All").check(force=True)
    page.get_by_label("Order").select_option("data")
    assert page.locator("#case-list button").first.get_attribute("data-number") == "0"
    page.locator("#examples").get_by_label("Search").fill("#17")
    assert page.locator("#case-list button").first.get_attribute("data-number") == "17"
    page.locator("#examples").get_by_label("Search").fill("nobody of that name")
    assert page.locator("#case-count").inner_text() == "0 of 60 questions"
    assert not page.locator("#case").is_visible()


def longest(findings: Findings) -> int:
    """The first question with the most steps."""
    steps = [0 if p.derivation is None else len(p.derivation.steps) for p in findings.predictions]
    return steps.index(max(steps))


def arcs(page: Page) -> int:
    return page.locator("#case-drawing .arc").count()


def test_a_derivation_is_walked_forwards_and_backwards(visit: Open, report: Path, findings: Findings) -> None:
    number = longest(findings)
    derivation = findings.predictions[number].derivation
    assert derivation is not None
    count, path = len(derivation.steps), len(derivation.path)
    page = visit(report, f"#example-{number}")
    told = page.locator("#step-count")
    assert told.inner_text() == f"step {count} of {count}"
    assert arcs(page) == path + count
    assert page.locator(".arc.result").count() == 1
    assert page.locator(".arc.reason").count() == 2
    page.get_by_role("button", name="One step back").click()
    assert (told.inner_text(), arcs(page)) == (f"step {count - 1} of {count}", path + count - 1)
    page.get_by_role("button", name="To the start").click()
    assert (told.inner_text(), arcs(page)) == (f"step 0 of {count}", path)
    assert page.get_by_role("button", name="One step back").get_attribute("aria-disabled") == "true"
    page.get_by_role("button", name="One step forward").click()
    assert told.inner_text() == f"step 1 of {count}"
    first = derivation.steps[0].result
    assert (
        page.locator("#case-steps [aria-current]")
        .inner_text()
        .startswith(
            f"{first.source} –{first.relation}→ {first.target}"  # noqa: RUF001
        )
    )
    page.keyboard.press("ArrowRight")
    assert told.inner_text() == f"step 2 of {count}"
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    assert told.inner_text() == f"step 0 of {count}"
    page.keyboard.press("End")
    assert told.inner_text() == f"step {count} of {count}"
    page.locator("#case-steps button").nth(1).click()
    assert told.inner_text() == f"step 1 of {count}"


def test_doubts_and_alternatives_are_shown(visit: Open, report: Path, findings: Findings) -> None:
    number = next(
        n
        for n, p in enumerate(findings.predictions)
        if p.derivation is not None and p.derivation.doubts and p.alternatives
    )
    prediction = findings.predictions[number]
    assert prediction.derivation is not None
    seen, meant = prediction.derivation.doubts[0]
    page = visit(report, f"#example-{number}")
    told = page.locator(".doubt").first.inner_text()
    assert told.startswith(f"Observed {seen.source}")
    assert f"taken to be {meant.relation}" in told
    assert page.locator(".relation.struck").first.text_content() == f"observed: {seen.relation}{seen.relation}"
    answers = page.locator("#case-answers button")
    assert answers.count() == 1 + len(prediction.alternatives)
    assert f"{prediction.probability:.3f}" in answers.first.inner_text()
    answers.nth(1).click()
    assert answers.nth(1).get_attribute("aria-pressed") == "true"
    other = prediction.alternatives[0]
    assert page.locator(".relation.result").first.text_content() == f"{other.relation}{other.relation}"


def column(page: Page, number: int) -> list[str]:
    return page.locator(f"#rule-table tbody tr > :nth-child({number})").all_inner_texts()


def test_rules_are_sorted_filtered_and_searched(visit: Open, report: Path, findings: Findings) -> None:
    page = visit(report)
    rules = list(findings.rules)
    count = page.locator("#rule-count")
    assert count.inner_text() == f"{len(rules)} of {len(rules)} rules"
    page.locator("#rule-table").get_by_role("button", name="support", exact=True).click()
    shown = [float(text.replace(",", "")) for text in column(page, 5)]
    assert shown == sorted(shown, reverse=True)
    page.locator("#rule-table").get_by_role("button", name="support", exact=True).click()
    assert page.locator("th[aria-sort=ascending]").inner_text().strip() == "support"
    shown = [float(text.replace(",", "")) for text in column(page, 5)]
    assert shown == sorted(shown)
    head = rules[0].head
    page.get_by_label("Head").select_option(head)
    assert set(column(page, 1)) == {head}
    assert count.inner_text() == f"{sum(rule.head == head for rule in rules)} of {len(rules)} rules"
    page.get_by_label("Head").select_option("")
    page.locator("#rules").get_by_label("Search").fill(rules[3].body[0].upper())
    wanted = sum(rules[3].body[0] in name for rule in rules for name in [" ".join((rule.head, *rule.body))])
    assert count.inner_text() == f"{wanted} of {len(rules)} rules"
    assert not page.locator("#rule-invented").is_visible(), "there are no invented relations to leave out"


def test_thousands_of_rules_come_in_pages(visit: Open, learned: Learned, tmp_path: Path) -> None:
    rules = RuleSet.of(
        Rule(f"invented_{n % 7}" if n % 10 == 0 else f"r{n % 50}", (f"r{n}", "s"), score=1.0, invented=n % 10 == 0)
        for n in range(5000)
    )
    model = _with_rules(learned, rules)
    write_report(model, learned.data, tmp_path / "many.html", examples=5)
    page = visit(tmp_path / "many.html")
    rows = page.locator("#rule-table tbody tr")
    assert (page.locator("#rule-count").inner_text(), rows.count()) == ("5,000 of 5,000 rules", 50)
    page.locator("#rule-pager").get_by_role("button", name="Next").click()
    assert page.locator("#rule-pager [role=status]").inner_text() == "page 2 of 100"
    assert column(page, 2)[0] == "⇐ r50, s"
    assert page.locator("#rule-table .tag").count() == 5
    page.get_by_label("with invented relations").uncheck()
    assert page.locator("#rule-count").inner_text() == "4,500 of 5,000 rules"
    assert page.locator("#rule-table .tag").count() == 0


def _with_rules(learned: Learned, rules: RuleSet) -> Any:
    class Model:
        engine = learned.model.engine
        summary_: dict[str, Any] = {}  # noqa: RUF012
        rules_ = rules
        predict_many = learned.model.predict_many
        settings = learned.model.settings

    return Model()


def test_heat_maps_are_used_by_keyboard_and_lead_to_rules_and_examples(
    visit: Open, report: Path, findings: Findings
) -> None:
    page = visit(report)
    cells = page.locator("#composition .cell")
    assert page.locator("#composition .cell[tabindex='0']").count() == 1
    cells.first.focus()
    assert page.locator("#composition .readout").text_content() == cells.first.get_attribute("aria-label")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    focused = page.locator("#composition .cell:focus")
    assert focused.get_attribute("tabindex") == "0"
    assert page.locator("#composition .cell[tabindex='0']").count() == 1
    body = f"⇐ {focused.get_attribute('data-left')}, {focused.get_attribute('data-right')}"
    page.keyboard.press("Enter")
    assert set(column(page, 2)) == {body}
    page.locator("#rule-body").click()
    assert page.locator("#rule-count").inner_text() == f"{len(findings.rules)} of {len(findings.rules)} rules"
    wrong = page.locator("#confusion .cell.wrong").first
    count = int(wrong.locator("text").text_content() or 0)
    wrong.click()
    assert page.locator("#case-count").inner_text() == f"{count} of 60 questions"
    assert page.locator("#case-verdict").inner_text() == "✕ Wrong"
    page.locator("#case-pair").click()
    assert page.locator("#case-count").inner_text() == "60 of 60 questions"


def test_the_keyboard_reaches_everything(visit: Open, report: Path) -> None:
    page = visit(report)
    page.keyboard.press("Tab")
    skip = page.locator(":focus")
    assert skip.inner_text() == "Skip to the content"
    assert skip.bounding_box()["y"] >= 0  # type: ignore[index]
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    seen = set()
    for _ in range(120):
        page.keyboard.press("Tab")
        seen.add(page.evaluate("document.activeElement.closest('[id]')?.id"))
    for wanted in ("case-kinds", "case-search", "case-order", "case-list", "stepper", "case-steps", "case-answers"):
        assert wanted in seen
    for wanted in ("rule-search", "rule-head", "rule-table", "composition", "confusion"):
        assert wanted in seen
    page.locator("#case-list button").first.focus()
    page.keyboard.press("ArrowDown")
    assert page.locator("#case-list button:focus").get_attribute("aria-current") == "true"
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid", "what has the focus can be seen"


def background(page: Page) -> str:
    found: str = page.evaluate("getComputedStyle(document.body).backgroundColor")
    return found


def test_colours_follow_the_system_until_the_button_is_pressed(visit: Open, report: Path) -> None:
    light, dark = visit(report, color_scheme="light"), visit(report, color_scheme="dark")
    assert background(light) != background(dark)
    button = light.locator("#theme")
    assert button.get_attribute("aria-pressed") == "false"
    button.click()
    assert background(light) == background(dark)
    assert button.get_attribute("aria-pressed") == "true"
    dark.locator("#theme").click()
    assert background(dark) != background(light)
    light.emulate_media(media="print")
    assert background(light) == "rgba(0, 0, 0, 0)"
    assert not light.get_by_role("navigation").is_visible()
    assert light.locator("#case-drawing").is_visible()


def test_a_narrow_screen_never_scrolls_sideways(visit: Open, report: Path, hostile: Learned) -> None:
    other = report.with_name("hostile.html")
    write_report(hostile.model, hostile.data, other, force=True)
    for path in (report, other):
        page = visit(path, width=320)
        page.evaluate("document.querySelectorAll('details').forEach((element) => { element.open = true; })")
        for width in (320, 360, 768):
            page.set_viewport_size({"width": width, "height": 800})
            assert page.evaluate("document.documentElement.scrollWidth") == width
            assert page.evaluate("scrollTo(500, 0), scrollX") == 0


def test_names_captions_levels_and_contrast(visit: Open, report: Path, hostile: Learned) -> None:
    other = report.with_name("hostile.html")
    write_report(hostile.model, hostile.data, other, force=True)
    for path in (report, other):
        page = visit(path, color_scheme="light")
        page.evaluate("document.querySelectorAll('details').forEach((element) => { element.open = true; })")
        assert page.evaluate(AUDIT) == []
        page.emulate_media(color_scheme="dark")
        assert page.evaluate(AUDIT) == []


def test_the_audit_finds_what_is_wrong(visit: Open, tmp_path: Path) -> None:
    bad = tmp_path / "bad.html"
    bad.write_text(
        "<!doctype html><title>x</title><link rel=icon href='data:,'><h1>a</h1><h3>b</h3><button></button><svg></svg>"
        "<table><tr><th>a</table><p id=a style='color:#aaa'>pale</p><p id=a>"
    )
    found = " ".join(visit(bad).evaluate(AUDIT))
    for complaint in ("no name", "no title", "no caption", "no scope", "twice", "left out", "contrast 2.3"):
        assert complaint in found


def texts(found: Locator) -> str:
    return " ".join(found.all_inner_texts())


def test_names_that_are_markup_do_nothing(visit: Open, hostile: Learned, tmp_path: Path) -> None:
    target = tmp_path / "hostile.html"
    write_report(hostile.model, hostile.data, target, name=HOSTILE)
    page = visit(target)
    assert page.locator("#case-verdict").inner_text() == "✕ Wrong"
    page.get_by_role("radio", name="Cannot say").check(force=True)
    assert page.locator("#case-verdict").inner_text() == "– Cannot say"  # noqa: RUF001
    assert page.locator(".reason").is_visible()
    page.get_by_role("radio", name="All").check(force=True)
    page.locator("#composition .cell").first.click()
    page.locator("#confusion .cell").first.click()
    shown = HOSTILE.replace("\u2028", "")
    for place in ("h1", "#case-list", "#case-title", "#case-steps", "#case-answers", "#rule-table", ".readout"):
        assert shown in texts(page.locator(place))
    assert page.locator("img").count() == 0
    assert page.title() != "owned"


def test_the_security_policy_stops_what_is_not_ours(browser: Browser, report: Path) -> None:
    page = browser.new_page()
    blocked: list[str] = []
    page.on("console", lambda message: blocked.append(message.text))
    page.goto(report.as_uri())
    page.evaluate(
        "() => { const code = document.createElement('script'); code.textContent = \"document.title = 'owned'\";"
        "document.body.append(code); document.body.insertAdjacentHTML('beforeend', '<p style=\"color: red\">x</p>'); }"
    )
    assert page.evaluate("fetch('https://example.org').then(() => 'sent', () => 'refused')") == "refused"
    assert page.title() != "owned"
    assert len(blocked) >= 3
    page.close()
