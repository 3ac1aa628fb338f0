"""The facts that the graph view draws."""

from __future__ import annotations

from typing import Any

import r5
from r5.serve.handlers.neighbourhood import find_neighbourhood
from r5.serve.handlers.session import Session


def _draw(session: Session, triples: list[tuple[str, str, str]], **given: Any) -> dict[str, Any]:
    graph = r5.Graph.from_triples(triples)
    own = Session(session.model, "kin", r5.load(graph), "people")
    fields = {"graph": None, "edits": [], "nodes": [], "most": 5, "open": [], "facts": []}
    return find_neighbourhood(own, {**fields, **given})


def _facts(found: dict[str, Any]) -> list[tuple[str, ...]]:
    return [tuple(edge["fact"]) for edge in found["edges"]]


def test_facts_asked_for_come_first(kinship_session: Session) -> None:
    # A hub with more facts than are drawn; the fact asked for is its last one.
    facts = [("hub", f"r{n % 40}", f"x{n % 30}") for n in range(1200)] + [("far", "last", "end")]
    found = _draw(
        kinship_session,
        facts,
        nodes=["hub"],
        facts=[["far", "last", "end"], ["x3", "r3^-1", "hub"], ["no", "such", "fact"]],
    )
    assert _facts(found)[:2] == [("far", "last", "end"), ("hub", "r3", "x3")]
    assert len(set(_facts(found))) == len(found["edges"])


def test_opening_an_entity_removes_no_other(kinship_session: Session) -> None:
    facts = [("a", "r", f"x{n}") for n in range(40)] + [("b", "r", f"x{n}") for n in range(20, 60)] + [("a", "r", "b")]
    names = []
    for opened in (["a"], ["a", "b"], ["a", "b", "a"]):
        found = _draw(kinship_session, facts, nodes=["a"], most=0, open=opened)
        names.append({node["name"] for node in found["nodes"]})
    assert names[0] < names[1] < names[2]
    hub = next(node for node in found["nodes"] if node["name"] == "a")
    assert (hub["edges"], hub["opened"]) == (41, 2)
    assert hub["hidden"] == 41 - sum(name != "a" and (name == "b" or int(name[1:]) < 40) for name in names[2])


def test_loops_and_parallel_facts_are_drawn(kinship_session: Session) -> None:
    facts = [("a", "r", "a"), ("a", "r", "b"), ("a", "s", "b"), ("b", "r", "a")]
    found = _draw(kinship_session, facts, nodes=["a"])
    assert sorted(_facts(found)) == sorted(facts)
    assert found["left_out"] == 0


def test_facts_are_in_their_stored_direction(kinship_session: Session) -> None:
    graph = r5.Graph.from_triples([("Ann", "mother", "Eve"), ("Eve", "brother", "Tom")], inverse=True)
    session = Session(kinship_session.model, "kin", r5.load(graph), "people")
    given = {"graph": None, "edits": [], "nodes": ["Tom"], "most": 5, "open": [], "facts": []}
    found = _facts(find_neighbourhood(session, given))
    assert sorted(found) == [("Ann", "mother", "Eve"), ("Eve", "brother", "Tom")]


def test_each_of_two_unconnected_entities_has_neighbours(kinship_session: Session) -> None:
    hub = [("hub", f"r{n % 3}", f"x{n}") for n in range(20)] + [("hub", "s", f"x{n}") for n in range(20)]
    found = _draw(kinship_session, [*hub, ("lone", "r", "other")], nodes=["hub", "lone"], most=6)
    assert ("lone", "r", "other") in _facts(found)
    assert len(found["nodes"]) == 2 + 6
