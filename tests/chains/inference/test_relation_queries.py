"""Relations between two entities: those of the graph, and the rule that is shown for a new one."""

from __future__ import annotations

import pytest

import r5

CITIES = {"Germany": ("Berlin", "Munich", "Bremen"), "France": ("Paris", "Lyon", "Nice")}


@pytest.fixture(scope="module")
def model() -> r5.ChainReasoner:
    facts = [(city, "in_country", country) for country, cities in CITIES.items() for city in cities]
    cities = [city for city, _, _ in facts]
    for number in range(150):
        city = cities[number % len(cities)]
        country = next(name for name, own in CITIES.items() if city in own)
        facts += [(f"p{number}", "works_in", city), (f"p{number}", "member_of", f"team {number % 7}")]
        facts += [(f"p{number}", "employed_in", country)] * (number != 6)
    return r5.ChainReasoner(seed=0).fit(r5.Graph.from_triples(facts))


def test_a_relation_that_the_model_has_never_seen_is_in_the_graph(model: r5.ChainReasoner) -> None:
    graph = model.graph_.with_triples([("p1", "married_to", "p2")])
    answer = model.ask(graph, "p1", "p2")
    assert (answer.relation, answer.known, answer.probability) == ("married_to", True, None)
    assert model.ask(graph.with_inverses(), "p1", "p2").relation == "married_to"
    assert model.ask(graph, "p2", "p1").relation is None


def test_the_most_confident_rule_is_shown(model: r5.ChainReasoner) -> None:
    answer = model.ask(model.graph_, "p6", "Germany")
    assert (answer.relation, answer.known) == ("employed_in", False)
    assert answer.derivation is not None
    assert [fact.relation for fact in answer.derivation.path] == ["works_in", "in_country"]


def test_a_known_fact_that_the_rest_of_the_graph_does_not_support_has_no_derivation(model: r5.ChainReasoner) -> None:
    graph = model.graph_.with_triples([("p6", "employed_in", "France")])
    answer = model.ask(graph, "p6", "France")
    assert (answer.relation, answer.known, answer.derivation) == ("employed_in", True, None)
