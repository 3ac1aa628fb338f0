"""Predictions and comparisons of answers."""

from __future__ import annotations

import r5
from r5.serve.handlers.prediction import compare_answers, predict
from r5.serve.handlers.session import Session


def test_a_pair_without_a_plausible_relation_has_a_reason() -> None:
    people = [(f"p{i}", "parent", f"p{i + 1}") for i in range(40)]
    people += [(f"p{i}", "grandparent", f"p{i + 2}") for i in range(30)]
    graph = r5.Graph.from_triples(people)
    session = Session(r5.ChainReasoner(seed=0).fit(graph), "people", None, "")
    query = {"graph": None, "edits": [], "off": [], "source": "p3", "target": "p30", "top": 3, "drawing": True}
    query["model"] = "main"
    found = predict(session, query)
    assert found["relation"] is None and not found["known"] and not found["drawing"]["case"]["answers"]
    assert found["reason"] == "the graph has no relation between p3 and p30, and no rule makes one plausible"
    weaknesses = compare_answers(session, {**query, "relation": "parent"})["loses"]
    assert weaknesses[0].startswith("No relation is plausible; parent has the probability ")
    new = predict(session, {**query, "source": "p30", "target": "p32"})
    assert (new["relation"], new["known"]) == ("grandparent", False)
