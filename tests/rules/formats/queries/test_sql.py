"""Rules as SQL: the text for tables with other names, and names that SQL cannot write."""

from __future__ import annotations

import sqlite3

import duckdb
import pytest

from r5.errors import R5Error
from r5.rules.ruleset import Rule, RuleSet

AUNT = RuleSet.of([Rule("aunt", ("child^-1", "sister"), 0.5, support=3)])
FAMILY = [("Eve", "child", "Ann"), ("Eve", "sister", "Zoe")]
NAMES = {"table": 'kg.my "facts"', "columns": "from, group, back\\slash"}


def test_a_query_says_its_rule_and_its_figures() -> None:
    assert AUNT.to_sql().splitlines()[-4:] == [
        "-- aunt(X, Y) <= child^-1(X, Z), sister(Z, Y)   p=0.5 support=3",
        "SELECT DISTINCT t1.tail AS head, 'aunt' AS relation, t2.tail AS tail",
        "FROM triples AS t1, triples AS t2",
        "WHERE t1.relation = 'child' AND t2.relation = 'sister' AND t1.head = t2.head AND t1.tail <> t2.tail;",
    ]


def test_tables_and_columns_have_any_names() -> None:
    create = 'CREATE TABLE kg."my ""facts""" ("from" TEXT, "group" TEXT, "back\\slash" TEXT)'
    insert = 'INSERT INTO kg."my ""facts""" VALUES (?, ?, ?)'
    lite = sqlite3.connect(":memory:")
    lite.execute("ATTACH ':memory:' AS kg")
    duck = duckdb.connect()
    duck.execute("CREATE SCHEMA kg")
    for connection in (lite, duck):
        connection.execute(create)
        connection.executemany(insert, FAMILY)
        assert connection.execute(AUNT.to_sql(**NAMES)).fetchall() == [("Ann", "aunt", "Zoe")]


def test_all_queries_run_as_one_script() -> None:
    rules = RuleSet.of([*AUNT, Rule("it's; --", ("a\nb",), target="c", ending="d'"), Rule("h", (), target="c")])
    statements: list[str] = []
    connection = sqlite3.connect(":memory:")
    connection.set_trace_callback(statements.append)
    connection.executescript("CREATE TABLE triples (head, relation, tail);" + rules.to_sql())
    assert sum("SELECT" in statement for statement in statements) == len(rules)


def test_pairs_of_an_entity_with_itself_are_an_option() -> None:
    rule = RuleSet.of([Rule("sibling", ("child^-1", "child"))])
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE triples (head, relation, tail)")
    connection.executemany("INSERT INTO triples VALUES (?, ?, ?)", FAMILY)
    assert connection.execute(rule.to_sql()).fetchall() == []
    assert connection.execute(rule.to_sql(loops=True)).fetchall() == [("Ann", "sibling", "Ann")]


@pytest.mark.parametrize(
    ("rule", "options", "words"),
    [
        (Rule("a\0", ("b",)), {}, "SQL cannot write the name 'a\\x00'"),
        (Rule("a", ("b",)), {"columns": "s, p"}, "such as s,p,o"),
        (Rule("a", ("b",)), {"table": ""}, "expected a table"),
        (Rule("a", ("b", "c"), possibility=1.0), {}, "alternative heads derive no facts"),
    ],
)
def test_what_cannot_be_written_is_refused(rule: Rule, options: dict[str, str], words: str) -> None:
    with pytest.raises(R5Error) as error:
        RuleSet.of([rule]).to_sql(**options)
    assert words in str(error.value)
