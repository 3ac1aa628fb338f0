"""Views of a knowledge graph: start, missing links, entities, relations, rules, map; themes, phones, markup."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

import r5
from r5.chains.similarity.evidence import SimilarityWeights
from r5.serve.handlers.session import Session
from tests.serve.browser.conftest import QUIET, Open, question
from tests.serve.conftest import HOSTILE, Running, running

if TYPE_CHECKING:
    from playwright.sync_api import Route

ROOT = Path(__file__).parents[2]
AUDIT = (ROOT / "report" / "audit.js").read_text(encoding="utf-8")
AXE = (ROOT / "helpers" / "axe" / "axe.min.js").read_text(encoding="utf-8")
FOUND = """async (options) => (await axe.run(options)).violations.map(({ id, nodes }) =>
  [id, nodes.map(({ html }) => html.slice(0, 120))])"""


def test_the_start_page_has_queries_missing_facts_and_suspicious_facts(
    visit: Open, library: Running, library_session: Session
) -> None:
    model = library_session.model
    assert isinstance(model, r5.ChainReasoner)
    page = visit(library, "")
    page.locator("#start-audit .links > li").first.wait_for()
    shown = page.locator("#start-new .links > li .name").all_inner_texts()
    assert shown == [str(one.fact).replace("-> ", " → ").replace(" -", " ") for one in model.new_facts(8)]
    suspects = page.locator("#start-audit .links > li .name").all_inner_texts()
    assert suspects[0].startswith(str(model.audit(1)[0].completion.fact).split(" -")[0])
    # What is more probably right than wrong is not among them.
    sure = page.locator("#start-audit .links > li .sure").all_inner_texts()
    assert all(float(one.split()[-1]) < 0.5 for one in sure)
    # Queries are there to be pressed.
    page.locator("#start-queries .query").first.click()
    page.locator("#case-title strong").first.wait_for()
    page.go_back()
    page.locator("#start-queries .query", has_text="→ ?").first.click()
    page.locator("#links-results .links > li").first.wait_for()
    # Entities are found without regard to case.
    page.goto(library.url)
    page.locator("#start-entity").click()  # waits until the view is shown; keys pressed earlier would be lost
    page.locator("#start-entity").press_sequentially("hazelt")
    page.get_by_role("option", name="Hazelton", exact=True).click()
    page.locator("#entity-title", has_text="Hazelton").wait_for()


def test_a_search_is_cancelled_and_begun_again(visit: Open, library: Running) -> None:
    page = visit(library, "#data")
    running = {"running": {"stage": "searching", "done": 1, "total": 9}}
    page.route("**/api/v1/new-facts", lambda route: route.fulfill(json=running))
    page.goto(library.url)
    page.locator("#start-new .progress", has_text="Searching 1 of 9").wait_for()
    page.locator("#start-new").get_by_role("button", name="Cancel").click()
    page.locator("#start-new", has_text="cancelled").wait_for()
    page.unroute("**/api/v1/new-facts")
    page.locator("#start-new").get_by_role("button", name="Search again").click()
    page.locator("#start-new .links > li").first.wait_for()


def test_missing_facts_have_reasons_that_sum_up(visit: Open, library: Running) -> None:
    page = visit(library, "#links?entity=Hazelton&side=tail")
    first = page.locator("#links-results .links > li").first
    first.locator(".reasons li").first.wait_for()
    if (more := first.get_by_role("button", name="further reason")).count():
        more.click()
    figures = [text.split()[0] for text in first.locator(".reasons .figure").all_inner_texts()]
    weights = [float(text.replace("\u2212", "-")) for text in figures]
    total = float(first.locator(".sum b").first.inner_text().replace("\u2212", "-"))
    assert sum(weights) == pytest.approx(total, abs=0.01 * (1 + len(weights)))
    assert "^-1" not in first.locator(".name").inner_text()
    first.get_by_role("link", name="See the two in the graph").click()
    page.locator("#case-title", has_text="Hazelton").wait_for()
    page.locator(".network .node").first.wait_for()


def test_improbable_links_are_shown_on_demand(visit: Open, library: Running) -> None:
    page = visit(library, "#links?entity=Hazelton&relation=part_of&side=head")
    page.locator("#links-results .links > li").first.wait_for()
    shown = page.locator("#links-results .links > li .sure")
    before = [float(text.split()[-1]) for text in shown.all_inner_texts()]
    assert all(one >= 0.01 for one in before[3:])
    page.locator("#links-results button", has_text="with P(fact) below 0.01").click()
    after = [float(text.split()[-1]) for text in shown.all_inner_texts()]
    assert len(after) > len(before) and max(after[len(before) :]) < 0.011


def test_on_a_phone_reasons_are_drawn_from_top_to_bottom(visit: Open, library: Running) -> None:
    page = visit(library, "#links?entity=Hazelton&side=tail", width=390)
    page.locator(".reasons .row-picture.upright").first.wait_for()
    for box in page.locator(".reasons .because").all():
        assert box.evaluate("box => box.scrollWidth <= box.clientWidth")


def test_rules_are_in_stored_direction(visit: Open, library: Running) -> None:
    page = visit(library, "#rules?query=written_by")
    page.locator("#rules-table tbody tr", has_text="wrote(X, Y) <= written_by(Y, X)").first.wait_for()
    assert "^-1" not in page.locator("#rules-table").inner_text()


def test_a_rule_is_switched_off_at_a_reason(visit: Open, library: Running) -> None:
    page = visit(library, "#ask?source=Hazelton&target=Arvenia")
    page.locator("#case-reasons").get_by_role("button", name="Switch off").first.click()
    page.locator("#change-list", has_text="1 rule switched off").wait_for()
    page.locator("#what-if .outcome").nth(1).wait_for()
    assert "off=" in page.url


def test_an_entity_has_facts_missing_facts_and_rules(visit: Open, library: Running, library_session: Session) -> None:
    graph = library_session.shared_graph
    assert graph is not None
    assert isinstance(library_session.model, r5.ChainReasoner)
    source = library_session.model.new_facts(1)[0].fact.source
    page = visit(library, f"#entity?name={quote(source)}")
    page.locator("#entity-missing .links > li").first.wait_for()
    page.locator("#entity-rules li").first.wait_for()
    # Improbable facts are not among the missing ones.
    sure = page.locator("#entity-missing .links > li .sure").all_inner_texts()
    assert all(float(one.split()[-1]) >= 0.1 for one in sure)
    page.goto(f"{library.url}#entity?name=Hazelton")
    page.locator("#entity-title", has_text="Hazelton").wait_for()
    page.locator("#entity-facts .names a").first.wait_for()
    count = sum("Hazelton" in (source, target) for source, _, target in graph.triples())
    assert page.locator("#entity-count").inner_text().startswith(f"{count} facts")
    page.locator("#entity-facts .names a", has_text="Arvenia").click()
    page.locator("#entity-title", has_text="Arvenia").wait_for()
    more = page.locator("#entity-facts button", has_text="more").first
    before = page.locator("#entity-facts .names a").count()
    more.click()
    page.locator("#entity-facts .names a").nth(before).wait_for()
    page.get_by_role("link", name="Show in the graph").click()
    page.locator('[data-key="node Arvenia"] .more').wait_for()
    # An unknown name is an error with a suggestion, and the old entity goes.
    page.goto(f"{library.url}#entity?name=Arvenja")
    page.locator("#entity-facts .reason", has_text="did you mean 'Arvenia'?").wait_for()
    assert page.locator("#entity-missing .links").count() == 0


def test_an_entity_has_similar_entities(visit: Open, library: Running, library_session: Session) -> None:
    model = library_session.model
    assert isinstance(model, r5.ChainReasoner)
    best = model.similar("Hazelton", 10)
    page = visit(library, "#entity?name=Hazelton")
    items = page.locator("#entity-similar .links > li")
    items.first.wait_for()
    assert items.locator(".fact-head .entity-link").all_inner_texts() == [one.entity for one in best]
    assert items.first.locator(".sure").inner_text() == f"similarity {best[0].similarity:.3f}"
    shared = best[0].shared[0].stored()
    ends = ["both" if end == best[0].entity else end for end in (shared.source, shared.target)]
    assert items.first.locator(".shared li").first.inner_text() == f"{ends[0]} {shared.relation} \u2192 {ends[1]}"
    assert "^-1" not in page.locator("#entity-similar").inner_text()
    items.first.locator(".fact-head .entity-link").click()
    page.locator("#entity-title", has_text=best[0].entity).wait_for()


@pytest.fixture(scope="module")
def town() -> Iterator[Running]:
    """Server of a model that rests on similar entities only: people of a town, whose names are markup, speak alike."""
    facts = [(f"{HOSTILE}{n}", "works_for", f"firm{n % 3}") for n in range(12)]
    facts += [(f"{HOSTILE}{n}", "speaks", f"{HOSTILE} language{n % 3}") for n in range(3, 12)]
    graph = r5.Graph.from_triples(facts)
    model = r5.ChainReasoner(seed=0, similarity=False).fit(graph)
    weights = replace(model.model_, similarity=SimilarityWeights(20.0, 10.0))
    model._keep(model.graph_, model._scorer.graph, weights)
    with running(Session(model, "town", r5.load(graph), "town")) as (server, _):
        yield server


def test_similar_entities_are_links_and_their_names_are_escaped(visit: Open, town: Running) -> None:
    page = visit(town, f"#ask?source={quote(HOSTILE)}1&target={quote(HOSTILE)}%20language1")
    told = page.locator("#case-reasons .told", has_text=f"similar to {HOSTILE[:20]}").first
    names = told.locator(".entity-link").all_inner_texts()
    assert names and all(told.inner_text().count(f" {name} (") == 1 for name in names)
    told.locator(".entity-link").first.click()
    page.locator("#entity-title").get_by_text(names[0], exact=True).wait_for()
    page.locator("#entity-similar .shared li").first.wait_for()
    assert page.locator("#entity-similar .name").count() == 3
    assert page.title() != "owned"
    assert page.locator("img").count() == 0


def test_a_relation_has_statistics_rules_exceptions_and_calibration(visit: Open, library: Running) -> None:
    page = visit(library, "#relation?name=citizen_of")
    page.locator("#relation-calibration table, #relation-calibration .empty").first.wait_for()
    assert "facts" in page.locator("#relation-figures dt").first.inner_text()
    assert page.locator("#relation-rules li").count() > 0
    # None of its facts is more probably wrong than right: those with the least support are shown on demand.
    page.locator("#relation-exceptions", has_text="No fact of it looks wrong.").wait_for()
    assert page.locator("#relation-exceptions .links > li").count() == 0
    page.locator("#relation-exceptions button", has_text="with less support than usual").click()
    assert page.locator("#relation-exceptions .links > li").count() > 0
    page.get_by_role("link", name="Its place in the map of rules").click()
    page.locator(".map .node").first.wait_for()
    assert page.locator("#map-relation").input_value() == "citizen_of"


def test_an_improbable_fact_looks_wrong_wherever_it_is_in_the_audit(visit: Open, library: Running) -> None:
    page = visit(library, "#data")

    def audit(route: Route) -> None:
        """Answer with facts of which the last one is improbable, as many as are asked for."""
        common = {"usual_probability": 0.9, "better": None, "contradictions": [], "known": True, "reasons": []}
        sure = [{**common, "fact": [f"P{n}", "citizen_of", "Arvenia"], "probability": 0.8} for n in range(30)]
        doubted = {**common, "fact": ["Odd One", "citizen_of", "Arvenia"], "probability": 0.1}
        route.fulfill(json={"facts": [*sure, doubted][: route.request.post_data_json["limit"]], "notes": []})

    page.route("**/api/v1/audit", audit)
    for state, part in (("#start", "start-audit"), ("#relation?name=citizen_of", "relation-exceptions")):
        page.goto(f"{library.url}{state}")
        page.locator(f"#{part} .links > li").first.wait_for()
        assert page.locator(f"#{part} .links > li .name").all_inner_texts() == [
            "Odd One citizen_of → Arveniain the graph"
        ]


def test_the_map_leads_to_relations_and_rules(visit: Open, library: Running) -> None:
    page = visit(library, "#map")
    page.locator(".map .node").first.wait_for()
    page.locator("#map-table summary").click()
    row = page.locator("#map-table tbody tr").first
    body, head, rules, *_ = row.locator("td").all_inner_texts()
    row.locator("td a", has_text="rule").click()
    page.locator("#rules-table tbody tr").first.wait_for()
    assert page.locator("#rules-count").inner_text().startswith(rules.split()[0])
    assert page.locator("#rules-head").input_value() == head
    page.go_back()
    page.locator(f'.map .node[data-key="{body}"]').focus()
    page.keyboard.press("Enter")
    page.locator("#relation-title", has_text=body).wait_for()


STATES = {
    "start": ("library", "", "#start-audit .links > li"),
    "ask": ("library", "#ask?source=Hazelton&target=Arvenia", "#case-reasons .sum"),
    "what if": ("library", "#ask?source=Hazelton&target=Arvenia&off=[1]", "#what-if .outcome"),
    "links": ("library", "#links?entity=Hazelton&side=tail", "#links-results .reasons li"),
    "entity": ("library", "#entity?name=Arvenia", "#entity-rules li, #entity-rules .empty"),
    "relation": ("library", "#relation?name=part_of", "#relation-calibration table, #relation-calibration .empty"),
    "map": ("library", "#map", ".map .node"),
    "rules": ("library", "#rules?rule=1", "#rule-details h2"),
    "data": ("library", "#data", "#questions-results li"),
    "family": ("kinship", "", "#case-answers button"),
    "family rules": ("kinship", "#rules?rule=2", "#rule-details h2"),
    "error": ("kinship", "#ask?source=nobody&target=at%20all", "#problem"),
}


@pytest.mark.parametrize("view", STATES)
def test_views_pass_the_accessibility_audits_and_fit_a_phone(
    visit: Open, kinship: Running, library: Running, kinship_session: Session, view: str
) -> None:
    server, state, part = STATES[view]
    state = question(kinship_session, 60)[0] if view == "family" else state
    page = visit({"kinship": kinship, "library": library}[server], state, color_scheme="light")
    page.locator(part).first.wait_for()
    page.wait_for_function(QUIET)
    page.evaluate(AXE)
    assert page.evaluate(AUDIT) == []
    assert page.evaluate(FOUND, {}) == []
    page.emulate_media(color_scheme="dark")
    assert page.evaluate(AUDIT) == []
    assert page.evaluate(FOUND, {"runOnly": ["color-contrast"]}) == []
    page.set_viewport_size({"width": 360, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_on_a_phone_answers_come_before_steps_and_views_are_in_a_menu(
    visit: Open, kinship: Running, kinship_session: Session
) -> None:
    page = visit(kinship, question(kinship_session, 3)[0], width=390)
    page.locator("#case-steps li").first.wait_for()
    tops = [page.locator(part).bounding_box() for part in ("#case-title", "#case-answers", "#case-steps")]
    heights = [box["y"] for box in tops if box is not None]
    assert heights == sorted(heights) and len(heights) == 3
    assert not page.locator("#views").is_visible()
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("link", name="Rules", exact=True).click()
    page.locator("#rules-table tbody tr").first.wait_for()
    assert not page.locator("#views").is_visible()


def test_the_theme_is_kept(visit: Open, kinship: Running) -> None:
    page = visit(kinship, "#data")
    page.get_by_role("button", name="Dark colours").click()
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    page.reload()
    page.locator("#questions-results li").first.wait_for()
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert page.locator("#theme").inner_text() == "Light"


def test_names_are_escaped(visit: Open, hostile: Running, hostile_session: Session) -> None:
    graph = hostile_session.shared_graph
    assert graph is not None
    first, last, relation = graph.entities[0], graph.entities[2], graph.vocabulary.name(0)
    page = visit(hostile)
    for state, part in (
        (f"#ask?source={quote(first)}&target={quote(last)}", "#case-title"),
        ("#start", "#start-relations a"),
        (f"#entity?name={quote(first)}", "#entity-facts dd"),
        (f"#relation?name={quote(relation)}", "#relation-figures li"),
        ("#map", "#map-box title"),
        ("#rules?rule=0", "#rule-details h2"),
        ("#data", "#about dd"),
    ):
        page.goto(f"{hostile.url}{state}")
        page.locator(part).first.wait_for(state="attached")
        assert HOSTILE[:20] in page.locator("main").inner_text() or part.endswith("title")
        assert page.title() != "owned"
        assert page.locator("img").count() == 0
