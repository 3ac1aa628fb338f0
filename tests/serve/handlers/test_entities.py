"""Search of entities, check of names, and facts of an entity."""

from __future__ import annotations

import time

import r5
from r5.serve.handlers.entities import check_names, describe_entity, find_similar, search_entities
from r5.serve.handlers.session import Session


def test_search_of_a_hundred_thousand_names_is_fast(kinship_session: Session) -> None:
    names = [(f"person {n}", "mother", f"Person Ann{n}") for n in range(50_000)]
    graph = r5.Graph.from_triples([*names, ("ann", "mother", "Ann Lee")])
    session = Session(kinship_session.model, "kin", r5.load(graph), "people")
    fields = {"query": "ann", "graph": None, "edits": [], "limit": 5}
    first = search_entities(session, fields)
    assert first["total"] == 50_002
    assert first["entities"] == ["ann", "Ann Lee", "Person Ann0", "Person Ann1", "Person Ann2"]
    start = time.process_time()
    for query in ("p", "per", "person 49", "nn4", "zzz"):
        search_entities(session, {**fields, "query": query})
    assert time.process_time() - start < 2.0


def _session(kinship_session: Session, *facts: tuple[str, str, str]) -> Session:
    return Session(kinship_session.model, "kin", r5.load(r5.Graph.from_triples([*facts])), "people")


def test_search_ignores_diacritics_and_case(kinship_session: Session) -> None:
    session = _session(kinship_session, ("Łukasz", "mother", "Zoë"), ("Straße", "mother", "Ålesund"))
    fields = {"graph": None, "edits": [], "limit": 5}
    for query, name in (
        ("lukasz", "Łukasz"),
        ("zoe", "Zoë"),
        ("STRASSE", "Straße"),
        ("alesund", "Ålesund"),
        ("łuk", "Łukasz"),
    ):
        assert search_entities(session, {**fields, "query": query})["entities"] == [name]


def test_unknown_names_have_similar_ones(kinship_session: Session) -> None:
    session = _session(kinship_session, ("George", "mother", "Hannah"))
    given = {"graph": None, "edits": [], "entities": ["Georg", "Hannah", "hannah", "Zacharias"], "relations": ["mothr"]}
    found = check_names(session, given)
    assert [one["exists"] for one in found["entities"]] == [False, True, False, False]
    assert [one["similar"] for one in found["entities"]] == [["George"], [], ["Hannah"], []]
    assert found["relations"][0]["similar"][0] == "mother"


def test_facts_of_an_entity_are_grouped_and_paged(kinship_session: Session) -> None:
    children = [(f"child {n}", "mother", "Ann") for n in range(30)]
    session = _session(kinship_session, ("Ann", "brother", "Tom"), *children)
    fields = {"graph": None, "edits": [], "name": "Ann", "relation": None, "direction": "out", "offset": 0, "limit": 10}
    found = describe_entity(session, fields)
    assert (found["facts"], found["neighbours"]) == (31, 31)
    assert [(one["relation"], one["direction"], one["total"]) for one in found["groups"]] == [
        ("brother", "out", 1),
        ("mother", "in", 30),
    ]
    more = describe_entity(session, {**fields, "relation": "mother", "direction": "in", "offset": 28})
    assert [one["others"] for one in more["groups"]] == [["child 28", "child 29"]]


def test_similar_entities_come_with_shared_facts_in_their_stored_direction(library_session: Session) -> None:
    given = {"graph": None, "edits": [], "name": "Hazelton", "limit": 5}
    found = find_similar(library_session, given)
    assert found == [one.to_json() for one in library_session.model.similar("Hazelton", 5)]  # type: ignore[attr-defined]
    graph = library_session.shared_graph
    assert graph is not None and found
    assert all(tuple(fact) in {*graph.triples()} for one in found for fact in one["shared"])
    # An edited graph has its own similar entities.
    edits = [["+", "Twin", relation, target] for _, relation, target in graph.triples() if _ == "Hazelton"]
    assert "Twin" in {one["entity"] for one in find_similar(library_session, {**given, "edits": edits})}
