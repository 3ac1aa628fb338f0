"""What the page says is true: known facts, rules with constants, drawn paths, one probability, errors, links."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

import r5
from r5.serve.handlers.session import Session
from tests.serve.browser.conftest import Open, question, told
from tests.serve.conftest import Running, running


@pytest.fixture(scope="module")
def lands() -> Iterator[Running]:
    """Server of a graph with a rule with constants: who lives in a speaks A."""
    facts = [(f"p{n}", "lives_in", "ab"[n % 2]) for n in range(60)]
    facts += [(f"p{n}", "speaks", "AB"[n % 2]) for n in range(50)]
    graph = r5.Graph.from_triples(facts)
    rules = [r5.Rule("speaks", ("lives_in",), target=end.upper(), ending=end) for end in "ab"]
    model = r5.ChainReasoner.from_rules(r5.RuleSet.of(rules), graph)
    with running(Session(model, "lands", r5.load(graph), "lands")) as (server, _):
        yield server


def test_known_facts_are_told_first(visit: Open, library: Running, library_session: Session) -> None:
    source, relation, target = library_session.model.graph_.triples()[0]  # type: ignore[attr-defined]
    page = visit(library, f"#ask?source={source}&target={target}")
    page.locator("#case-answers button").first.wait_for()
    assert page.locator("#case-verdict").inner_text() == "✓ In the graph"
    assert page.locator("#case-title").inner_text() == f"The graph says: {told(source, relation, target)}"
    assert "in the graph" in page.locator("#case-answers button").first.inner_text()
    others = page.locator("#case-answers li").all_inner_texts()[1:]
    assert all("P(fact)" in text or text == "No other relation is plausible." for text in others)


def test_pairs_without_a_plausible_relation_cannot_be_said(visit: Open, library: Running) -> None:
    page = visit(library, "#ask?source=Arvenia&target=Maria%20Potter")
    page.locator("#case-verdict", has_text="Cannot say").wait_for()
    assert page.locator("#case-notes .reason").inner_text().startswith("Why: the graph has no relation between")
    assert page.locator("#case-answers button").count() == 0


def test_rules_with_constants_have_the_ends_of_the_result(visit: Open, lands: Running) -> None:
    page = visit(lands, "#ask?source=p52&target=A")
    row = page.locator("#case-reasons li", has_text='speaks(X, "A") <= lives_in(X, "a")')
    row.locator(".place").first.wait_for()
    assert row.locator(".place title").all_text_contents() == ["a", "p52", "A"]
    assert row.locator(".place.constant title").all_text_contents() == ["a", "A"]
    assert "concludes " + told("p52", "speaks", "A") in (
        row.locator("svg.row-picture").get_attribute("aria-label") or ""
    )
    # The rule leads to its examples, its constants to their pages.
    assert set(row.locator(".entity-link").all_inner_texts()) == {"a", "A"}
    row.locator(".told a").first.click()
    page.locator("#rule-details h2", has_text='speaks(X, "A") <= lives_in(X, "a")').wait_for()


def test_facts_of_the_answer_are_always_drawn_and_can_be_removed(
    visit: Open, library: Running, library_session: Session
) -> None:
    model = library_session.model
    assert isinstance(model, r5.ChainReasoner)
    # A fact of the entity with the most facts: its neighbourhood is more than the page draws.
    triples = model.graph_.triples()
    degrees = Counter(end for source, _, target in triples for end in (source, target))
    found = max(model.new_facts(20), key=lambda one: max(degrees[one.fact.source], degrees[one.fact.target]))
    head, relation, tail = found.fact.to_json()
    page = visit(library, f"#ask?source={quote(head)}&target={quote(tail)}")
    page.locator(".network .fact.on-path").first.wait_for()
    reasons = library.call("complete", {"head": head, "relation": relation, "tail": tail, "explain": True})[1][0][
        "reasons"
    ]
    best = next(one for one in reasons if one["weight"] > 0 and one["facts"])
    assert page.locator(".network .fact.on-path").count() == len(best["facts"])
    page.locator(".network .fact.on-path").first.focus()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Remove this fact").click()
    page.locator("#change-list", has_text="without ").wait_for()
    page.locator("#what-if .outcome").nth(1).wait_for()


def test_a_fact_has_one_probability(visit: Open, library: Running, library_session: Session) -> None:
    model = library_session.model
    assert isinstance(model, r5.ChainReasoner)
    found = model.new_facts(1)[0]
    (head, relation, tail), figure = found.fact.to_json(), f"{found.probability:.3f}"
    page = visit(library, "")
    first = page.locator("#start-new .links > li").first
    assert first.locator(".sure").inner_text() == f"P(fact) {figure}"
    first.locator("summary").click()
    assert f"P(fact) {figure}" in first.locator(".sum").inner_text()
    first.get_by_role("link", name="See the two in the graph").click()
    page.locator("#case-answers button", has_text=relation).wait_for()
    assert page.locator("#case-title").inner_text() == f"{told(head, relation, tail)}, P(fact) {figure}"
    assert page.locator("#case-answers .sure").first.inner_text() == f"P(fact) {figure}"
    assert f"P(fact) {figure}" in page.locator("#case-reasons .sum").inner_text()
    for state in (f"#links?entity={quote(head)}&side=head&relation={relation}", f"#entity?name={quote(head)}"):
        page = visit(library, state)
        item = page.locator(".links > li", has=page.get_by_role("link", name=tail, exact=True)).first
        assert item.locator(".sure").inner_text() == f"P(fact) {figure}"
        assert "share" not in page.locator("main").inner_text()


def test_an_error_takes_the_old_answer_away(visit: Open, kinship: Running, kinship_session: Session) -> None:
    page = visit(kinship, question(kinship_session, 3)[0])
    page.locator("#case-answers button").first.wait_for()
    page.locator("#ask-source").fill("nobody at all")
    page.locator("#ask-source").press("Enter")
    page.locator("#problem", has_text="no entity is called 'nobody at all'").wait_for()
    assert not page.locator("#answer").is_visible()
    assert not page.locator("#around").is_visible()
    page.go_back()
    page.locator("#case-answers button").first.wait_for()
    assert not page.locator("#problem").is_visible()


def test_a_timeout_takes_the_old_answer_away_and_can_be_tried_again(visit: Open, slow: Running) -> None:
    page = visit(slow, "#ask?source=quick&target=c")
    page.locator("#case-title").wait_for()
    page.locator("#ask-source").fill("sleepy")
    page.locator("#ask-source").press("Enter")
    page.locator("#problem", has_text="took longer than the 5 s").wait_for()
    assert not page.locator("#answer").is_visible()
    page.locator("#ask-source").fill("quick")
    page.locator("#problem-retry").click()
    page.locator("#problem", has_text="took longer").wait_for(state="hidden")


def test_a_failed_measurement_does_not_go_on_for_ever(visit: Open, kinship: Running) -> None:
    page = visit(kinship, "#data")
    page.route("**/api/v1/accuracy", lambda route: route.fulfill(json={"error": {"message": "this took too long"}}))
    page.goto(f"{kinship.url}#rules")
    page.locator("#accuracy .reason", has_text="this took too long").wait_for()
    assert "Measuring" not in page.locator("#accuracy").inner_text()
    page.unroute("**/api/v1/accuracy")
    page.locator("#accuracy").get_by_role("button", name="Try again").click()
    page.locator("#accuracy .large").wait_for()


def test_unknown_relations_are_not_called_wrong(visit: Open, kinship: Running, tmp_path: Path) -> None:
    own = tmp_path / "family.csv"
    own.write_text("Ann,mother,Eve\nEve,frobnicates,Tom\nAnn,mother,Eva\nEva,brother,Bob\nEva,frobnicates,Bob\n")
    page = visit(kinship, "#data")
    page.locator("#upload").set_input_files(own)
    page.locator("#upload-state", has_text="does not know the relation “frobnicates”").wait_for()
    page.get_by_role("link", name="Ask about it").click()
    for target in ("Tom", "Bob"):
        page.locator("#ask-source").fill("Ann")
        page.locator("#ask-target").fill(target)
        page.locator("#ask-target").press("Enter")
        page.locator("#case-asked", has_text=f"Who is {target} to Ann?").wait_for()
        assert "frobnicates" not in page.locator("#doubts").inner_text()
        assert page.locator(".fact.doubtful", has_text="frobnicates").count() == 0


def test_a_link_on_another_site_opens_the_page(visit: Open, kinship: Running, kinship_session: Session) -> None:
    state, source, target, _ = question(kinship_session, 3)
    page = visit(kinship, "#data")
    # Another port is another site's page for the browser: data: has no origin at all.
    page.goto(f"data:text/html,<a href='{kinship.url}{state.replace('#', '%23')}'>a mail</a>")
    page.get_by_role("link", name="a mail").click()
    page.locator("#case-asked", has_text=f"Who is {target} to {source}?").wait_for()
