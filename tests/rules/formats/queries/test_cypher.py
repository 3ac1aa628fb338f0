"""Rules as Cypher: labels and keys, new relationships, and names that Cypher cannot write."""

from __future__ import annotations

import ladybug
import pytest

from r5.errors import R5Error
from r5.rules.ruleset import Rule, RuleSet


def people() -> ladybug.Connection:
    connection = ladybug.Connection(ladybug.Database(":memory:", buffer_pool_size=1 << 28, max_db_size=1 << 30))
    connection.execute("CREATE NODE TABLE `A person` (`full name` STRING PRIMARY KEY)")
    connection.execute("UNWIND ['Ann', 'Eve', 'Zoe'] AS name CREATE (:`A person` {`full name`: name})")
    for relation in ("child", "sister", "aunt", "niece", "likes"):
        connection.execute(f"CREATE REL TABLE {relation} (FROM `A person` TO `A person`)")
    for head, relation, tail in (("Eve", "child", "Ann"), ("Eve", "sister", "Zoe")):
        connection.execute(
            f"MATCH (x {{`full name`: '{head}'}}) MATCH (y {{`full name`: '{tail}'}}) CREATE (x)-[:{relation}]->(y)"
        )
    return connection


def test_labels_and_keys_have_any_names_and_relationships_are_added() -> None:
    connection = people()
    rules = [
        Rule("aunt", ("child^-1", "sister"), 0.5, support=3),
        Rule("niece", ("aunt^-1",)),
        Rule("likes", ("sister^-1",), target="Ann", ending="Eve"),
        Rule("likes^-1", ("sister",), target="Ann"),
    ]
    for rule in rules * 2:
        text = RuleSet.of([rule]).to_cypher(label="A person", key="full name", merge=True)
        connection.execute(text.partition("\n\n")[2])
    found = connection.execute("MATCH (x)-[r]->(y) RETURN x.`full name`, label(r), y.`full name`").get_all()
    assert sorted(map(tuple, found)) == [
        ("Ann", "aunt", "Zoe"),
        ("Ann", "likes", "Eve"),
        ("Eve", "child", "Ann"),
        ("Eve", "sister", "Zoe"),
        ("Zoe", "likes", "Ann"),
        ("Zoe", "niece", "Ann"),
    ]


def test_a_relationship_may_be_used_twice_by_one_grounding() -> None:
    """Within one MATCH, Neo4j would use each relationship once; each relation has a MATCH of its own."""
    text = RuleSet.of([Rule("h", ("a", "a^-1", "a"))]).to_cypher()
    assert text.count("MATCH (") == 3
    assert "MATCH (X)-[:`a`]->(Z)\nMATCH (U)-[:`a`]->(Z)\nMATCH (U)-[:`a`]->(Y)\n" in text


@pytest.mark.parametrize("name", ["a\\u0060b", "\\U"])
def test_relations_that_neo4j_would_read_otherwise_are_refused(name: str) -> None:
    with pytest.raises(R5Error, match="Neo4j reads as an escape"):
        RuleSet.of([Rule("a", (name,))]).to_cypher()


def test_the_key_must_have_a_name() -> None:
    with pytest.raises(R5Error, match="property that holds the names"):
        RuleSet.of([Rule("a", ("b",))]).to_cypher(key="")


def test_an_entity_with_an_escape_is_found() -> None:
    connection = people()
    connection.execute("CREATE (:`A person` {`full name`: $name})", {"name": "C:\\user\\u0041\\\\u'"})
    rule = Rule("likes", ("child",), target="C:\\user\\u0041\\\\u'")
    text = RuleSet.of([rule]).to_cypher(key="full name").partition("\n\n")[2]
    assert connection.execute(text).get_all() == [["Eve", "likes", "C:\\user\\u0041\\\\u'"]]
