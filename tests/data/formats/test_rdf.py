from __future__ import annotations

import socket
import sys
from pathlib import Path

import pytest

from r5.data.formats.names import shorten
from r5.data.formats.rdf import read_rdf
from r5.data.formats.triples import load_triples, read_triples
from r5.data.registry import load
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


def test_n_triples_are_read_with_and_without_literals(tmp_path: Path) -> None:
    path = written(tmp_path, "people.nt", N_TRIPLES)
    resources = [
        ("http://x/ann", "http://x/mother", "http://x/eve"),
        ("http://x/zoe", "http://x/mother", "_:people.1"),
    ]
    assert read_rdf(path).triples == resources
    assert read_rdf(path, literals=True).triples == [
        *resources,
        ("_:people.1", "http://x/age", '"old"^^<http://www.w3.org/2001/XMLSchema#integer>'),
        ("http://x/ann", "http://x/name", '"Ann"@en'),
    ]


def test_turtle_in_the_order_of_the_file(tmp_path: Path) -> None:
    rows = read_rdf(written(tmp_path, "people.ttl", TURTLE)).triples
    assert rows[0] == ("http://x/zoe", "http://x/mother", "http://x/ann")
    assert sorted(rows[1:]) == [
        ("_:people.1", "http://x/mother", "file:///eve"),
        ("http://x/ann", "http://x/mother", "_:people.1"),
    ]


def test_rdf_xml_is_read(tmp_path: Path) -> None:
    path = written(tmp_path, "people.rdf", XML)
    assert read_rdf(path).triples == [("http://x/ann", "http://x/mother", "http://x/eve")]
    assert read_triples(path, short=True, inverse=True).triples() == [
        ("ann", "mother", "eve"),
        ("eve", "mother^-1", "ann"),
    ]


def test_folder_of_rdf_files_has_splits_and_blank_nodes_of_their_own(tmp_path: Path) -> None:
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
            r"x\.nt:3: is not N-Triples: .*line jumps",
        ),
        ("x.nt", "a r b\n", r"x\.nt:1: is not N-Triples: .*The subject of a triple must be an IRI"),
        ("x.nt", "<http://a> <http://r> <http://b>", r"x\.nt:1: is not N-Triples: .*followed by a dot"),
        ("x.nq", "<http://a> <http://r>\n", r"x\.nq:2: is not N-Quads"),
        ("x.ttl", "@prefix : <http://x/> .\n:a :r ", r"x\.ttl:2: is not Turtle: .*Unexpected end"),
        (
            "x.ttl",
            "@prefix : <http://x/> .\n:a p:r :b .",
            r"x\.ttl:2: is not Turtle: .*prefix p: has not been declared",
        ),
        ("x.trig", "{ <http://a> }", r"x\.trig:1: is not TriG"),
        ("x.ttl", "(" * 50_000, r"x\.ttl:1: is not Turtle"),
        ("x.rdf", "<a>\n<b></a>", r"x\.rdf: is not RDF/XML: "),
        ("x.rdf", "rubbish", r"x\.rdf: is not RDF/XML: Unexpected text"),
        (
            "x.ttl",
            '@prefix : <http://x/> . :a :r "text" .',
            "holds no triples between resources; 1 statement about lit",
        ),
        ("x.ttl", "@prefix : <http://x/> .", r"x\.ttl: holds no triples$"),
        ("x.nt", "# nothing\n", r"x\.nt: holds no triples$"),
        ("x.nt", "", r"x\.nt: is empty"),
        ("x.nt", r"<http://x/\uD800> <http://r> <http://b> .", r"x\.nt:1: is not N-Triples: .*not a valid unicode"),
        ("x.ttl", r"<http://x/\uD800> <http://r> <http://b> .", r"x\.ttl:1: is not Turtle: .*not a valid unicode"),
    ],
)
def test_invalid_rdf_is_refused_with_its_line(tmp_path: Path, name: str, text: str, complaint: str) -> None:
    with pytest.raises(DataError, match=complaint):
        read_rdf(written(tmp_path, name, text))


def test_reading_rdf_opens_no_connection_and_no_other_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object) -> None:
        raise AssertionError(f"tried to connect: {arguments}")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    secret = written(tmp_path, "secret.txt", "secret")
    dtd = f'<!DOCTYPE r SYSTEM "http://x/r.dtd" [<!ENTITY e SYSTEM "{secret.as_uri()}">]>'
    text = XML.replace("<rdf:RDF", f"{dtd}<rdf:RDF", 1).replace("</rdf:Desc", "<x:note>&e;</x:note></rdf:Desc")
    with pytest.raises(DataError, match=r"x\.rdf: is not RDF/XML: <!ENTITY"):
        read_rdf(written(tmp_path, "x.rdf", text), literals=True)
    imports = "@base <http://x/> . <a> <http://www.w3.org/2002/07/owl#imports> <b> ."
    assert len(read_rdf(written(tmp_path, "x.ttl", imports)).triples) == 1


def test_short_names_are_the_ends_of_iris() -> None:
    rows = [
        ("http://x/people#ann", "urn:mother", "_:t.1"),
        ("http://x/eve/", "http://x/ann", '"text: #1"@en'),
        ("#", "/", "a"),
    ]
    assert shorten(rows) == [("ann", "mother", "_:t.1"), ("eve", "ann", '"text: #1"@en'), ("#", "/", "a")]
    with pytest.raises(R5Error, match="'http://x/ann' and 'http://y/ann' are both 'ann' when shortened"):
        shorten([("http://x/ann", "r", "http://y/ann")])


@pytest.mark.parametrize("name", ["x.nt", "x.ttl", "x.rdf"])
def test_missing_pyoxigraph_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setitem(sys.modules, "pyoxigraph", None)
    with pytest.raises(MissingExtraError, match=r'^pyoxigraph is not installed: pip install "r5-reasoning\[rdf\]"$'):
        load_triples(written(tmp_path, name, N_TRIPLES))


LABELLED = """@prefix : <http://x/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:1 :mother :2 ; rdfs:label "Ann"@en, "Anna"@de ; a :Person ; :age 3 .
:2 rdfs:label "Eve"@en-GB . :3 :mother :1 ; rdfs:label "Ann" . :mother rdfs:label "mother of" .
"""


def test_labels_name_entities_and_relations(tmp_path: Path) -> None:
    path = written(tmp_path, "x.ttl", LABELLED)
    named = read_triples(path, names="label", types=False).triples()
    assert named == [("Ann (http://x/1)", "mother of", "Eve"), ("Ann (http://x/3)", "mother of", "Ann (http://x/1)")]
    german = read_triples(path, names="label", language="de", types=False, short=True).triples()
    assert german == [("Anna", "mother of", "2"), ("Ann", "mother of", "Anna")]
    with pytest.raises(R5Error, match="names must be label for RDF, not 'title'"):
        read_triples(path, names="title")


def test_number_of_dropped_statements_is_in_the_source(tmp_path: Path) -> None:
    path = written(tmp_path, "x.ttl", LABELLED)
    assert load_triples(path).source == (
        "x.ttl: 3 triples (Turtle; dropped: 6 statements about literals (literals=true keeps them))"
    )
    assert "1 statement of rdf:type" in load_triples(path, types=False).source
    quads = written(tmp_path, "x.nq", "<x:a> <x:r> <x:b> <x:g> .\n<x:a> <x:r> <x:c> <x:h> .\n")
    assert load_triples(quads).source == "x.nq: 2 triples (N-Quads; dropped: the names of 2 graphs)"


@pytest.mark.filterwarnings("ignore::DeprecationWarning:rdflib.*")
@pytest.mark.parametrize("format", ["turtle", "nt", "xml", "trig", "nquads"])
def test_files_written_by_rdflib_are_read(tmp_path: Path, format: str) -> None:
    rdflib = pytest.importorskip("rdflib")
    suffix = {"turtle": "ttl", "xml": "rdf", "nquads": "nq"}.get(format, format)
    whole = rdflib.Dataset() if suffix in ("trig", "nq") else rdflib.Graph()
    graph = whole.graph(rdflib.URIRef("http://x/g")) if suffix in ("trig", "nq") else whole
    names = ["http://x/ann", "http://x/Zo%C3%AB", "urn:李", "http://x/q?a=1&b=2#c"]
    relation = rdflib.URIRef("http://x/ns#knows")
    facts = {(source, str(relation), target) for source in names for target in names}
    for source, _, target in sorted(facts):
        graph.add((rdflib.URIRef(source), relation, rdflib.URIRef(target)))
    whole.serialize(str(tmp_path / f"x.{suffix}"), format=format, encoding="utf-8")
    assert set(read_triples(tmp_path / f"x.{suffix}").triples()) == facts
    assert set(load(whole).graph.triples()) == facts


def test_graphs_of_rdflib_are_read(tmp_path: Path) -> None:
    rdflib, pyoxigraph = pytest.importorskip("rdflib"), pytest.importorskip("pyoxigraph")
    path = written(tmp_path, "x.ttl", LABELLED)
    wanted = sorted(read_triples(path, short=True).triples())
    for graph in (rdflib.Graph().parse(path), pyoxigraph.Dataset(pyoxigraph.parse(path=str(path)))):
        data = load(graph, short=True)
        assert sorted(data.graph.triples()) == wanted
        assert "dropped: 6 statements about literals" in data.source
        assert len(load(graph, literals=True).train) == 9
        assert ("Anna", "mother of", "http://x/2") in load(graph, names="label", language="de").graph.triples()
