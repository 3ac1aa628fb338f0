from __future__ import annotations

import logging
import socket
import sys
from pathlib import Path

import pytest

from r5.data.formats.rdf import read_rdf, shorten
from r5.data.formats.triples import load_triples, read_triples
from r5.errors import DataError, MissingExtraError, R5Error

N_TRIPLES = """# people
<http://x/ann> <http://x/mother> <http://x/eve> .

<http://x/zoe> <http://x/mother> _:somebody .
_:somebody <http://x/age> "old"^^<http://www.w3.org/2001/XMLSchema#integer> .
<http://x/ann> <http://x/name> "Ann"@en .
"""
TURTLE = """@prefix : <http://x/> .
:zoe :mother :ann ; :name "Zoe" .
:ann :mother [ :mother <eve> ] .
"""
XML = """<?xml version="1.0"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:x="http://x/">
  <rdf:Description rdf:about="http://x/ann"><x:mother rdf:resource="http://x/eve"/></rdf:Description>
</rdf:RDF>
"""


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_n_triples(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = written(tmp_path, "people.nt", N_TRIPLES)
    resources = [
        ("http://x/ann", "http://x/mother", "http://x/eve"),
        ("http://x/zoe", "http://x/mother", "_:people.1"),
    ]
    assert read_rdf(path) == resources
    assert read_rdf(path, literals=True) == [
        *resources,
        ("_:people.1", "http://x/age", '"old"^^<http://www.w3.org/2001/XMLSchema#integer>'),
        ("http://x/ann", "http://x/name", '"Ann"@en'),
    ]
    assert not caplog.records
    assert not logging.getLogger("rdflib.term").disabled


def test_turtle_in_the_order_of_the_file(tmp_path: Path) -> None:
    rows = read_rdf(written(tmp_path, "people.ttl", TURTLE))
    assert rows[0] == ("http://x/zoe", "http://x/mother", "http://x/ann")
    assert sorted(rows[1:]) == [
        ("_:people.1", "http://x/mother", "file:///eve"),
        ("http://x/ann", "http://x/mother", "_:people.1"),
    ]


def test_xml(tmp_path: Path) -> None:
    path = written(tmp_path, "people.rdf", XML)
    assert read_rdf(path) == [("http://x/ann", "http://x/mother", "http://x/eve")]
    assert read_triples(path, short=True, inverse=True).triples() == [
        ("ann", "mother", "eve"),
        ("eve", "mother^-1", "ann"),
    ]


def test_folder(tmp_path: Path) -> None:
    written(tmp_path, "train.nt", N_TRIPLES)
    written(tmp_path, "test.ttl", "@prefix : <http://x/> . :eve :mother [] .")
    data = load_triples(tmp_path, short=True)
    assert data.train.pool.entities == ("ann", "eve", "zoe", "_:train.1", "_:test.1")
    assert data.test[0].source == "eve"


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        (
            "x.nt",
            "<http://a> <http://r> <http://b> .\n<http://a> <http://r>\n",
            r"x\.nt:2: expected `<source> <relation>",
        ),
        ("x.nt", "a r b\n", r"x\.nt:1: expected `<source> <relation> <target> \.`, found 'a r b'"),
        ("x.nt", "<http://a> <http://r> <http://b>", r"x\.nt:1: expected"),
        ("x.ttl", "@prefix : <http://x/> .\n:a :r ", r"x\.ttl:2: is not Turtle: objectList expected"),
        ("x.ttl", "@prefix : <http://x/> .\n:a p:r :b .", r'x\.ttl:2: is not Turtle: Prefix "p:" not bound'),
        ("x.ttl", "(" * 50_000, r"x\.ttl: is not Turtle: maximum recursion"),
        ("x.rdf", "<a>\n<b></a>", r"x\.rdf:2: is not RDF/XML: .*mismatched tag"),
        ("x.rdf", "rubbish", r"x\.rdf:1: is not RDF/XML"),
        ("x.ttl", '@prefix : <http://x/> . :a :r "text" .', "holds no triples between resources; literals=True keeps"),
        ("x.ttl", "@prefix : <http://x/> .", r"x\.ttl: holds no triples$"),
        ("x.nt", "# nothing\n", r"x\.nt: holds no triples$"),
        ("x.nt", "", r"x\.nt: is empty"),
        ("x.nt", r"<http://x/\uD800> <http://r> <http://b> .", r"x\.nt: is not valid Unicode: a name holds half"),
        ("x.ttl", r"<http://x/\uD800> <http://r> <http://b> .", r"x\.ttl: is not valid Unicode"),
    ],
)
def test_bad_files(tmp_path: Path, name: str, text: str, complaint: str) -> None:
    with pytest.raises(DataError, match=complaint):
        read_rdf(written(tmp_path, name, text))


def test_nothing_is_fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object) -> None:
        raise AssertionError(f"tried to connect: {arguments}")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    secret = written(tmp_path, "secret.txt", "secret")
    dtd = f'<!DOCTYPE r SYSTEM "http://x/r.dtd" [<!ENTITY e SYSTEM "{secret.as_uri()}">]>'
    text = XML.replace("<rdf:RDF", f"{dtd}<rdf:RDF", 1).replace("</rdf:Desc", "<x:note>&e;</x:note></rdf:Desc")
    rows = read_rdf(written(tmp_path, "x.rdf", text), literals=True)
    assert rows[0] == ("http://x/ann", "http://x/mother", "http://x/eve")
    assert "secret" not in str(rows)
    assert (
        len(
            read_rdf(
                written(tmp_path, "x.ttl", "@base <http://x/> . <a> <http://www.w3.org/2002/07/owl#imports> <b> .")
            )
        )
        == 1
    )


def test_short_names() -> None:
    rows = [
        ("http://x/people#ann", "urn:mother", "_:t.1"),
        ("http://x/eve/", "http://x/ann", '"text: #1"@en'),
        ("#", "/", "a"),
    ]
    assert shorten(rows) == [("ann", "mother", "_:t.1"), ("eve", "ann", '"text: #1"@en'), ("#", "/", "a")]
    with pytest.raises(R5Error, match="'http://x/ann' and 'http://y/ann' are both 'ann' when shortened"):
        shorten([("http://x/ann", "r", "http://y/ann")])


@pytest.mark.parametrize("name", ["x.nt", "x.ttl", "x.rdf"])
def test_without_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setitem(sys.modules, "rdflib", None)
    with pytest.raises(MissingExtraError, match=r'^rdflib is not installed: pip install "r5-reasoning\[rdf\]"$'):
        load_triples(written(tmp_path, name, N_TRIPLES))
