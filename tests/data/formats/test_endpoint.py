"""SPARQL endpoints, asked on this machine only."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from urllib.parse import parse_qs

import pyoxigraph as ox
import pytest

import r5
from r5.data.registry import option_names, recognised_name
from r5.errors import DataError, R5Error

TURTLE = """
@prefix ex: <http://ex.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
ex:ann ex:mother ex:eve ; a ex:Person ; ex:age 3 ; rdfs:label "Anna"@de, "Ann"@en .
ex:eve ex:sister ex:zoe ; ex:says "a \\"b\\""@en .
"""


@contextmanager
def endpoint(body: bytes | None = None) -> Iterator[str]:
    """A server that answers queries about the graph, or always the same."""
    store = ox.Store()
    store.load(TURTLE.encode(), format=ox.RdfFormat.TURTLE)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            query = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())["query"][0]
            status, content = 200, body
            if content is None:
                try:
                    content = store.query(query).serialize(format=ox.QueryResultsFormat.JSON)
                except SyntaxError as error:
                    status, content = 400, str(error).encode()
            self.send_response(status)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/sparql"
        server.shutdown()


def test_an_endpoint_is_asked_only_with_the_format() -> None:
    with endpoint() as url:
        with pytest.raises(R5Error, match="files are not fetched; format='sparql' asks an address as"):
            r5.load(url)
        data = r5.load(url, format="sparql", short=True)
    assert set(data.train.pool.triples()) == {
        ("ann", "mother", "eve"),
        ("ann", "type", "Person"),
        ("eve", "sister", "zoe"),
    }
    assert data.source == (
        f"{url}: 3 triples (SPARQL endpoint; dropped: 4 statements about literals (literals=true keeps them))"
    )
    assert (recognised_name(url), "query" in option_names(url)) == ("sparql", True)


def test_a_query_and_the_options_of_rdf_choose_the_triples() -> None:
    with endpoint() as url:
        some = r5.load(url, format="sparql", query="SELECT ?o ?p ?s { ?s ?p ?o . FILTER(?p = <http://ex.org/sister>) }")
        named = r5.load(url, format="sparql", names="label", language="de", types=False)
        all_of_it = r5.load(url, format="sparql", literals=True)
    assert some.train.pool.triples() == [("http://ex.org/zoe", "http://ex.org/sister", "http://ex.org/eve")]
    assert ("Anna", "http://ex.org/mother", "http://ex.org/eve") in named.train.pool.triples()
    assert len(named.train) == 2
    assert len(all_of_it.train) == 7
    assert '"a \\"b\\""@en' in all_of_it.train.pool.entities


@pytest.mark.parametrize(
    ("query", "complaint"),
    [
        ("SELECT ?s { ?s ?p ?o }", r"expected a SELECT query of three variables, .*; the result has \['s'\]"),
        ("ASK { ?s ?p ?o }", "expected a SELECT query of three variables"),
        ("nonsense", r"refuses the query \(400 Bad Request\): "),
        ("SELECT ?s ?p ?o { ?s ?p ?o . FILTER(false) }", "finds no triples"),
        ("SELECT ?s ?p ?o { ?s ?p ?x . OPTIONAL { ?s <http://ex.org/none> ?o } }", "row 1 of the result has no value"),
    ],
)
def test_a_query_that_does_not_fit_is_refused(query: str, complaint: str) -> None:
    with endpoint() as url, pytest.raises(DataError, match=complaint):
        r5.load(url, format="sparql", query=query)


@pytest.mark.parametrize("body", [b"<html>", b"\xff", b"[]", b'{"head": {"vars": ["a", "b", "c"]}}', b'{"head": 3}'])
def test_another_answer_is_refused(body: bytes) -> None:
    with endpoint(body) as url, pytest.raises(DataError) as error:
        r5.load(url, format="sparql")
    assert str(error.value).startswith(url)
    assert "\n" not in str(error.value)


def test_an_address_without_a_server_is_refused() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(DataError, match="cannot be asked: "):
        r5.load(f"http://127.0.0.1:{port}/sparql", format="sparql")
