"""Search of entities."""

from __future__ import annotations

import time

import r5
from r5.serve.handlers.browsing import search_entities
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
