"""The API: output of `--json`, edits, rules switched off, uploads, errors with their status, cancellation."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import time
from typing import Any
from urllib.parse import quote

import pytest

import r5
from r5.serve.handlers.session import Session
from r5.serve.http.endpoints import ENDPOINTS
from tests.helpers.crowd import crowd
from tests.serve.conftest import Running

FAMILY = b"Ann\tmother\tEve\nEve\tbrother\tTom\n"


def test_ask_returns_the_output_of_predict(kinship: Running, kinship_session: Session) -> None:
    assert kinship_session.data is not None
    example = kinship_session.data.test[3]
    asked = {"graph": "test/3", "source": example.source, "target": example.target}
    status, found = kinship.call("ask", asked)
    expected = {"source": example.source, "target": example.target, "answer": example.answer_name}
    assert status == 200
    assert found == json.loads(json.dumps({**expected, **kinship_session.model.predict(example).to_json(3)}))
    query = "&".join(f"{key}={quote(value)}" for key, value in asked.items())
    assert kinship.call(f"ask?{query}", method="GET") == (200, found)
    assert "drawing" in kinship.call("ask", {**asked, "drawing": True})[1]


def test_edits_change_the_answer_and_not_the_graph(kinship: Running) -> None:
    name = kinship.call("graphs", FAMILY, headers={"content-type": "text/plain"})[1]["graph"]
    asked = {"graph": name, "source": "Ann", "target": "Tom"}
    assert kinship.call("ask", asked)[1]["relation"] == "uncle"
    edits = [["-", "Eve", "brother", "Tom"], ["+", "Eve", "sister", "Tom"]]
    assert kinship.call("ask", {**asked, "edits": edits})[1]["relation"] == "aunt"
    assert kinship.call("ask", asked)[1]["relation"] == "uncle"
    status, text = kinship.call("export", {"graph": name, "edits": edits})
    assert (status, text) == (200, "Ann\tmother\tEve\nEve\tsister\tTom\n")
    around = kinship.call("neighbourhood", {"graph": name, "edits": edits, "nodes": ["Ann"]})[1]
    assert [edge["fact"] for edge in around["edges"] if edge["added"]] == [["Eve", "sister", "Tom"]]
    status, found = kinship.call("ask", {**asked, "edits": [["-", "Eve", "wife", "Tom"]]})
    assert (status, found["error"]["message"]) == (400, "there is no fact Eve -wife-> Tom to remove")
    # Edits alone make a graph.
    alone = [["+", "Ann", "mother", "Eve"], ["+", "Eve", "brother", "Tom"]]
    assert kinship.call("ask", {"graph": name, "source": "Ann", "target": "Tom", "edits": alone})[0] == 200


def test_why_not_lists_weaknesses_and_suspicious_facts(kinship: Running) -> None:
    name = kinship.call("graphs", FAMILY, headers={"content-type": "text/plain"})[1]["graph"]
    status, found = kinship.call("why-not", {"graph": name, "source": "Ann", "target": "Tom", "relation": "son"})
    assert status == 200
    assert found["best"]["relation"] == "uncle"
    assert found["other"]["relation"] in ("son", None)
    assert found["loses"]
    same = kinship.call("why-not", {"graph": name, "source": "Ann", "target": "Tom", "relation": "uncle"})[1]
    assert same["loses"] == ["uncle is the answer."]
    doubts = kinship.call("suspicious", {"graph": name, "source": "Ann", "target": "Tom"})[1]
    assert {tuple(one["fact"]) for one in doubts} == {("Ann", "mother", "Eve"), ("Eve", "brother", "Tom")}


def test_an_edge_of_an_unknown_relation_is_not_suspicious(kinship: Running) -> None:
    facts = b"Ann,mother,Eve\nEve,frobnicates,Tom\nAnn,mother,Eva\nEva,brother,Bob\nEva,frobnicates,Bob\n"
    uploaded = kinship.call("graphs", facts, headers={"content-type": "text/csv"})[1]
    assert uploaded["unknown_relations"] == ["frobnicates"]
    name = uploaded["graph"]
    why = "every path found from Ann to Tom uses frobnicates (never seen in training)"
    answer = kinship.call("ask", {"graph": name, "source": "Ann", "target": "Tom"})[1]
    assert (answer["relation"], answer["reason"]) == (None, why)
    assert kinship.call("suspicious", {"graph": name, "source": "Ann", "target": "Tom"})[1] == []
    other = kinship.call("why-not", {"graph": name, "source": "Ann", "target": "Tom", "relation": "aunt"})[1]
    assert other["loses"] == [f"There is no case for aunt: {why}."]
    assert kinship.call("ask", {"graph": name, "source": "Ann", "target": "Bob"})[1]["relation"] == "uncle"
    doubts = kinship.call("suspicious", {"graph": name, "source": "Ann", "target": "Bob"})[1]
    assert {one["fact"][1] for one in doubts} == {"mother", "brother"}


def test_rules_have_examples_and_counterexamples(kinship: Running, kinship_session: Session) -> None:
    status, found = kinship.call("rules", {"limit": 500})
    rules = list(kinship_session.model.rules_)
    assert (status, found["total"], found["of"]) == (200, len(rules), len(rules))
    assert [one["head"] for one in found["rules"]] == [rule.head for rule in rules]
    few = kinship.call("rules", {"query": "aunt", "sort": "support"})[1]["rules"]
    assert few
    assert all("aunt" in (one["head"], *one["body"]) for one in few)
    assert [one["support"] for one in few] == sorted((one["support"] for one in few), reverse=True)
    status, where = kinship.call("rule-examples", {"rule": few[0]["number"], "limit": 2})
    assert (status, where["kind"]) == (200, "questions")
    for row in where["holds"]:
        again = kinship.call("ask", {key: row[key] for key in ("graph", "source", "target")})[1]
        assert [few[0]["head"], few[0]["body"]] in [[s["rule"]["head"], s["rule"]["body"]] for s in again["derivation"]]
    assert kinship.call("rule-examples", {"rule": 10**6})[0] == 404


def test_accuracy_changes_without_some_rules(kinship: Running, kinship_session: Session) -> None:
    assert kinship_session.data is not None
    whole = kinship.call("accuracy", {})[1]
    same = r5.evaluate(kinship_session.model, kinship_session.data.test, kinship_session.data.rules).to_json()
    assert {**whole, "seconds": 0} == {**same, "seconds": 0, "questions": 70, "off": []}
    part = kinship.call("accuracy", {"off": list(range(30))})[1]
    assert part["accuracy"] < whole["accuracy"]
    assert kinship.call("accuracy", {"off": [10**6]})[0] == 404


def test_rules_search_finds_inverse_rules(library: Running, library_session: Session) -> None:
    model = library_session.model
    about = library.call("about", {})[1]["model"]
    assert about["rules"] == model.number_of_rules
    assert about["listed_rules"] == library.call("rules", {})[1]["of"] == len(model.rules_)
    source, relation, target = model.graph_.triples()[0]  # type: ignore[attr-defined]
    for end in ({"head": source}, {"tail": target}):
        answers = library.call("complete", {**end, "relation": relation, "explain": True, "known": True, "top": 1})[1]
        rules = [one["rule"] for one in answers[0]["reasons"] if "rule" in one and len(one["rule"]["body"]) > 1]
        assert rules
        for rule in rules:
            words = " ".join([rule["head"], *rule["body"]])
            assert library.call("rules", {"query": words})[1]["total"] > 0


def test_complete_returns_the_output_of_complete(library: Running, library_session: Session) -> None:
    model = library_session.model
    assert isinstance(model, r5.ChainReasoner)
    head = model.graph_.triples()[0][0]
    for asked in ({"head": head}, {"tail": head, "relation": "lives_in"}):
        status, found = library.call("complete", {**asked, "explain": True, "top": 3})
        expected = model.complete(**asked, explain=True, top=3)
        assert status == 200
        assert found == json.loads(json.dumps([one.to_json() for one in expected]))
    fact = model.graph_.triples()[0]
    between = library.call("complete", {"head": fact[0], "tail": fact[2]})[1]
    assert (between[0]["fact"], between[0]["known"], between[0]["share"]) == (list(fact), True, None)
    assert library.call("complete", {"relation": fact[1]})[0] == 400
    apply_edits = library.call("complete", {"head": head, "edits": [["-", *fact]], "top": 3})
    assert apply_edits[0] == 200
    where = library.call("rule-examples", {"rule": 0, "limit": 2})[1]
    assert where["kind"] == "facts"
    assert where["holds"]


def test_known_facts_are_first_and_marked(library: Running, library_session: Session) -> None:
    source, relation, target = library_session.model.graph_.triples()[0]  # type: ignore[attr-defined]
    found = library.call("ask", {"source": source, "target": target, "drawing": True, "top": 10})[1]
    assert (found["relation"], found["known"]) == (relation, True)
    assert all(not other["known"] and other["probability"] >= 0.1 for other in found["alternatives"])
    first, *others = found["drawing"]["case"]["answers"]
    assert first["known"] and not any("known" in other for other in others)
    told = library.call("why-not", {"source": source, "target": target, "relation": relation})[1]["loses"]
    assert told[0].startswith(f"The graph says {relation}; without that fact, its probability is ")
    # Without the fact, its relation is new, or there is nothing to say.
    without = library.call("ask", {"source": source, "target": target, "edits": [["-", source, relation, target]]})[1]
    assert not without["known"]


def test_complete_needs_the_chains_engine(kinship: Running) -> None:
    status, found = kinship.call("complete", {"graph": "test/0", "head": "x"})
    assert (status, found["error"]["message"]) == (
        400,
        "the engine grammar completes no graphs; train with --engine chains",
    )


def test_entities_match_without_case(library: Running) -> None:
    found = library.call("entities", {"query": "LIBRARY", "limit": 3})[1]
    assert found["total"] > 3
    assert len(found["entities"]) == 3
    assert all("Library" in name for name in found["entities"])
    assert library.call("entities", {"query": "no such name"})[1] == {"total": 0, "entities": []}


@pytest.mark.parametrize(
    ("name", "body", "status", "words"),
    [
        ("ask", {"source": "a"}, 400, "target is missing"),
        ("ask", {"source": "a", "target": 7}, 400, "target is 7; expected text"),
        ("ask", {"source": "a", "target": "b", "way": 1}, 400, "there is no field 'way'"),
        ("ask", {"source": "a", "target": "b", "edits": [["*", "a", "b", "c"]]}, 400, "edits is"),
        ("ask", {"source": "nobody", "target": "b", "graph": "test/0"}, 400, "no entity is called 'nobody'"),
        ("ask", {"source": "a", "target": "b", "graph": "/etc/passwd"}, 404, "there is no graph"),
        ("ask", {"source": "a", "target": "b", "graph": "test/99999"}, 404, "there is no 'test/99999'"),
        ("ask", {"source": "a", "target": "b", "graph": "upload:0"}, 404, "upload it again"),
        ("ask", [1], 400, "must be a JSON object"),
        ("ask", b"{", 415, "expected application/json"),
        ("rules", {"limit": 10**9}, 400, "limit is 1000000000; expected a whole number from 1 to 500"),
        ("rules", {"limit": True}, 400, "limit is True"),
        ("nowhere", {}, 404, "Not Found"),
        ("graphs", b"", 415, "of no type"),
    ],
)
def test_invalid_requests_have_a_status_and_a_message(
    kinship: Running, name: str, body: Any, status: int, words: str
) -> None:
    found = kinship.call(name, body)
    assert found[0] == status
    assert words in found[1]["error"]["message"]


def test_uploads_are_checked(kinship: Running) -> None:
    text = {"content-type": "text/csv"}
    status, found = kinship.call("graphs", b"a,b\n", headers=text)
    assert (status, found["error"]["message"].startswith("upload.csv:1: ")) == (400, True)
    assert kinship.call("graphs", b"\xff\xfe", headers=text)[0] == 400
    status, found = kinship.call("graphs", b"a,b,c\n" * 400_000, headers=text)
    assert (status, found["error"]["message"]) == (413, "the body is larger than 2,097,152 bytes")
    status, found = kinship.call("graphs", b"a,b,c\n" * 60_000, headers=text)
    assert (status, "more than 50,000 rows" in found["error"]["message"]) == (413, True)
    found = kinship.call("graphs", b"a,likes,c\n", headers=text)[1]
    assert (found["edges"], found["unknown_relations"]) == (1, ["likes"])
    names = []
    for number in range(12):
        status, found = kinship.call("graphs", f"a,mother,c{number}\nc{number},brother,z\n".encode(), headers=text)
        names.append(found["graph"])
        assert kinship.call("ask", {"graph": names[-1], "source": "a", "target": "z"})[1]["relation"] == "uncle"
    assert kinship.call("ask", {"graph": names[0], "source": "a", "target": "z"})[0] == 404
    assert kinship.call("ask", {"graph": names[-1], "source": "a", "target": "z"})[0] == 200


def test_a_slow_request_does_not_block_others(slow: Running) -> None:
    outcome: list[tuple[int, Any]] = []
    asked = {"source": "sleepy", "target": "c"}
    sleeper = threading.Thread(target=lambda: outcome.append(slow.call("ask", asked)))
    sleeper.start()
    time.sleep(0.2)
    for _ in range(3):
        assert slow.call("rules", {"limit": 1})[0] == 200
        assert slow.call("entities", {"query": "q"})[1]["entities"] == ["quick"]
    assert outcome == []
    sleeper.join()
    assert outcome[0][0] == 503
    assert "took longer than the 5 s" in outcome[0][1]["error"]["message"]
    assert slow.call("ask", {"source": "quick", "target": "c"})[1]["relation"] == "uncle"


def test_a_slow_query_leaves_its_batch(slow: Running) -> None:
    outcomes: dict[int, tuple[int, Any]] = {}

    def ask(number: int) -> None:
        source = "sleepy" if number == 3 else "quick"
        outcomes[number] = slow.call("ask", {"source": source, "target": "c"})

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [outcomes[number][0] for number in range(8)] == [503 if number == 3 else 200 for number in range(8)]


@pytest.mark.parametrize("source", ["greedy", "deadly"])
def test_out_of_memory_ends_only_one_request(slow: Running, source: str) -> None:
    status, found = slow.call("ask", {"source": source, "target": "c"})
    assert (status, "more memory than a request may" in found["error"]["message"]) == (503, True)
    assert slow.call("ask", {"source": "quick", "target": "c"})[0] == 200


def test_a_disconnected_client_frees_its_worker(slow: Running) -> None:
    body = json.dumps({"source": "sleepy", "target": "c"}).encode()
    head = f"POST /api/v1/ask HTTP/1.1\r\nHost: 127.0.0.1:{slow.port}\r\nContent-Type: application/json\r\n"
    for _ in range(4):
        with socket.create_connection(("127.0.0.1", slow.port)) as line:
            line.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
            time.sleep(0.1)
    start = time.monotonic()
    assert slow.call("ask", {"source": "quick", "target": "c"})[0] == 200
    assert time.monotonic() - start < 4


def test_fifty_clients_at_once(kinship: Running) -> None:
    waits = asyncio.run(crowd(kinship.port, clients=50, seconds=2))
    assert len(waits) >= 50


def test_the_openapi_document_lists_every_endpoint(kinship: Running) -> None:
    status, told = kinship.call("openapi.json", method="GET")
    assert (status, told["openapi"]) == (200, "3.1.0")
    assert set(told["paths"]) == {endpoint.path for endpoint in ENDPOINTS}
    ask = told["paths"]["/api/v1/ask"]
    assert ask["post"]["requestBody"]["content"]["application/json"]["schema"]["required"] == ["source", "target"]
    assert {one["name"] for one in ask["get"]["parameters"]} >= {"source", "target", "graph", "edits"}
    assert set(told["paths"]["/api/v1/graphs"]) == {"post"}
