"""Rules as SPARQL: queries one by one, and one update request."""

from __future__ import annotations

import pyoxigraph as ox
import pytest

from r5.errors import R5Error
from r5.rules.formats.queries.sparql import name_to_iri
from r5.rules.ruleset import Rule, RuleSet

RULES = RuleSet.of(
    [
        Rule("grandchild", ("https://kin.org/child", "https://kin.org/child"), 0.5, support=3),
        Rule("https://kin.org/ancestor", ("grandchild",), 1.0),
        Rule("speaks", ("https://kin.org/ancestor",), target="English; {", ending="_:eve"),
    ]
)
KIN = "urn:kin:"


@pytest.fixture
def store() -> ox.Store:
    store = ox.Store()
    for head, tail in (("Ann Lee", "Bob"), ("Bob", "_:eve")):
        nodes = [ox.NamedNode(name_to_iri(name, KIN)) for name in (head, "https://kin.org/child", tail)]
        store.add(ox.Quad(*nodes))
    return store


def test_insert_makes_one_update_request_in_which_rules_build_on_each_other(store: ox.Store) -> None:
    store.update(RULES.to_sparql(base=KIN, insert=True))
    facts = {(quad.subject.value, quad.predicate.value, quad.object.value) for quad in store}
    assert facts == {
        ("urn:kin:Ann%20Lee", "https://kin.org/child", "urn:kin:Bob"),
        ("urn:kin:Bob", "https://kin.org/child", "urn:kin:_%3Aeve"),
        ("urn:kin:Ann%20Lee", "urn:kin:grandchild", "urn:kin:_%3Aeve"),
        ("urn:kin:Ann%20Lee", "https://kin.org/ancestor", "urn:kin:_%3Aeve"),
        ("urn:kin:Ann%20Lee", "urn:kin:speaks", "urn:kin:English%3B%20%7B"),
    }


def test_queries_are_separated_by_blank_lines(store: ox.Store) -> None:
    header, *queries = RULES.to_sparql(base=KIN).split("\n\n")
    assert header.startswith("# 3 rules; each query constructs the facts that one rule derives.")
    assert queries[0].startswith(
        "# grandchild(X, Y) <= https://kin.org/child(X, Z), https://kin.org/child(Z, Y)   p=0.5 support=3\nCONSTRUCT {"
    )
    assert [len(list(store.query(query))) for query in queries] == [1, 0, 0]


def test_a_base_must_be_an_iri() -> None:
    with pytest.raises(R5Error, match="is not an IRI"):
        RULES.to_sparql(base="http://kin.org/> } ; DROP ALL #")


@pytest.mark.parametrize("name", ["..", ".", "a b", "é", "<>", "a/../b", "^-1", "%20", "http://a b", "urn:"])
def test_names_become_different_iris_of_the_base(name: str) -> None:
    iri = name_to_iri(name, "http://e.org/")
    assert iri.startswith("http://e.org/") and len(iri) > len("http://e.org/")
    assert ox.NamedNode(iri).value == iri
    assert next(iter(ox.parse(f"<{iri}> <{iri}> <{iri}> .", ox.RdfFormat.TURTLE))).subject.value == iri
