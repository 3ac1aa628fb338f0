"""Completions with the rows of their drawing, and searches of the whole graph."""

from __future__ import annotations

import math

import r5
from r5.chains.similarity.evidence import SimilarityWeights
from r5.rules.formats.direct import direct_sentence
from r5.serve.handlers.completion import audit, complete, find_new_facts
from r5.serve.handlers.relations import describe_relation, map_rules, measure_calibration
from r5.serve.handlers.session import Session
from tests.chains.explain.test_similar_reasons import weighted

GRAPH = {"graph": None, "edits": [], "off": []}
QUERY = {
    **GRAPH,
    "head": None,
    "relation": None,
    "tail": None,
    "top": 1,
    "explain": True,
    "known": False,
    "drawing": True,
}


def test_reasons_sum_to_the_score_and_have_rows(library_session: Session) -> None:
    found = complete(library_session, {**QUERY, "tail": "Hazelton"})[0]
    assert math.isclose(sum(reason["weight"] for reason in found["reasons"]), found["score"], abs_tol=1e-6)
    rows = [reason["row"] for reason in found["reasons"] if reason["kind"] == "rule"]
    assert rows
    for row in rows:
        assert len(row["links"]) == len(row["places"]) - 1
        assert not any(link["relation"].endswith("^-1") for link in row["links"])
    # A rule that is read from its end has the number of the rule that is listed.
    rules = library_session.model.rules_.rules
    for reason in found["reasons"]:
        if reason["number"] is not None:
            assert direct_sentence(rules[reason["number"]]) == reason["sentence"]
        assert not reason["sentence"].split("(")[0].endswith("^-1")


def test_rows_of_rules_with_constants_have_their_ends() -> None:
    # Who lives in a speaks A: a rule with constants, whose condition does not lead from head to tail.
    facts = [(f"p{n}", "lives_in", "ab"[n % 2]) for n in range(60)]
    facts += [(f"p{n}", "speaks", "AB"[n % 2]) for n in range(50)]
    rules = r5.RuleSet.of([r5.Rule("speaks", ("lives_in",), target=end.upper(), ending=end) for end in "ab"])
    session = Session(r5.ChainReasoner.from_rules(rules, r5.Graph.from_triples(facts)), "lands", None, "")
    found = complete(session, {**QUERY, "head": "p52", "relation": "speaks"})[0]
    assert found["fact"] == ["p52", "speaks", "A"]
    rows = [one["row"] for one in found["reasons"] if one["rule"].get("target") == "A" and one["facts"]]
    assert [place["name"] for place in rows[0]["places"]] == ["a", "p52", "A"]
    assert [place["kind"] for place in rows[0]["places"]] == ["constant", "end", "constant"]
    assert rows[0]["links"][1] == {"relation": "speaks", "backwards": False, "derived": True}


def test_rows_of_similar_entities_stand_between_the_ends() -> None:
    session = Session(weighted(SimilarityWeights(20.0, 0.0)), "town", None, "")
    found = complete(session, {**QUERY, "head": "p8", "relation": "speaks"})[0]
    (reason,) = [one for one in found["reasons"] if one["kind"] == "similar"]
    assert reason["sentence"].startswith("similar to p8: ")
    assert reason["number"] is None
    row, first = reason["row"], reason["facts"][0]
    assert [place["name"] for place in row["places"]] == ["p8", first[0], found["fact"][2]]
    assert row["links"] == [None, {"relation": "speaks", "backwards": False, "derived": False}]


def test_searches_report_progress(library_session: Session) -> None:
    heard: list[tuple[str, int, int]] = []
    given = {**GRAPH, "relation": None, "limit": 5}
    new = find_new_facts(library_session, given, lambda *told: heard.append(told))
    assert [one["fact"] for one in new["facts"]] == [
        one.fact.to_json()
        for one in library_session.model.new_facts(5)  # type: ignore[attr-defined]
    ]
    assert {stage for stage, _, _ in heard} >= {"searching"}
    assert all(done <= total for _, done, total in heard)
    wrong = audit(library_session, {**given, "limit": 3}, lambda *told: None)
    assert len(wrong["facts"]) == 3 and all(one["known"] for one in wrong["facts"])


def test_relations_have_statistics_and_a_map(library_session: Session) -> None:
    graph = library_session.shared_graph
    assert graph is not None
    found = describe_relation(library_session, {"name": "part_of", "graph": None, "edits": []})
    own = {fact for fact in graph.triples() if fact[1] == "part_of"}
    assert found["facts"] == len(own)
    assert (found["heads"], found["tails"]) == (len({h for h, _, _ in own}), len({t for _, _, t in own}))
    drawn = map_rules(library_session, {"relation": "part_of", "limit": 500})
    assert drawn["total"] == len(drawn["edges"])
    assert all("part_of" in (edge["body"], edge["head"]) for edge in drawn["edges"])


def test_calibration_counts_held_out_facts(library_session: Session) -> None:
    found = measure_calibration(library_session, {**GRAPH, "relation": "citizen_of"}, lambda *told: None)
    assert found["held_out"] > 0
    assert all(0 <= one["found"] <= 1 and one["from"] <= one["probability"] <= one["to"] for one in found["bins"])
