"""Databases and a Datalog engine that hold a graph and run exported rules, each behind the same two calls."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Sequence
from typing import Protocol

import clingo
import duckdb
import ladybug
import pyoxigraph as ox

from r5.rules.formats.queries.cypher import cypher_name, write_cypher
from r5.rules.formats.queries.datalog import datalog_string, write_datalog
from r5.rules.formats.queries.sparql import name_to_iri, write_sparql
from r5.rules.formats.queries.sql import write_sql
from r5.rules.rule import Rule

__all__ = ["ENGINES", "Engine", "Triple"]

Triple = tuple[str, str, str]


class Engine(Protocol):
    """Engine that holds triples in stored direction."""

    def __init__(self, triples: Iterable[Triple], names: Iterable[str]) -> None:
        """Load distinct triples; `names` are all relations that rules use."""

    def derive(self, rules: Sequence[Rule]) -> list[list[Triple]]:
        """Return the rows (head, relation, tail) that each rule derives."""


class Sqlite:
    """The SQLite of the standard library."""

    def __init__(self, triples: Iterable[Triple], names: Iterable[str]) -> None:
        self.connection = sqlite3.connect(":memory:")
        self.connection.execute("CREATE TABLE triples (head TEXT, relation TEXT, tail TEXT)")
        self.connection.executemany("INSERT INTO triples VALUES (?, ?, ?)", list(triples))
        self.connection.execute("CREATE INDEX by_relation ON triples (relation, head, tail)")
        self.connection.execute("CREATE INDEX by_tail ON triples (relation, tail, head)")
        self.connection.execute("ANALYZE")

    def derive(self, rules: Sequence[Rule]) -> list[list[Triple]]:
        return [self.connection.execute(write_sql([rule])).fetchall() for rule in rules]


class DuckDB:
    def __init__(self, triples: Iterable[Triple], names: Iterable[str]) -> None:
        self.connection = duckdb.connect(config={"threads": 1})
        self.connection.execute("CREATE TABLE triples (head TEXT, relation TEXT, tail TEXT)")
        heads, relations, tails = zip(*triples, strict=True)
        self.connection.execute(
            "INSERT INTO triples SELECT unnest(?), unnest(?), unnest(?)", [list(heads), list(relations), list(tails)]
        )

    def derive(self, rules: Sequence[Rule]) -> list[list[Triple]]:
        return [self.connection.execute(write_sql([rule])).fetchall() for rule in rules]


class Oxigraph:
    def __init__(self, triples: Iterable[Triple], names: Iterable[str]) -> None:
        self.store = ox.Store()
        iris = [[ox.NamedNode(name_to_iri(name)) for name in triple] for triple in triples]
        self.store.extend([ox.Quad(*nodes) for nodes in iris])
        self.names = {name_to_iri(name): name for triple in triples for name in triple}
        self.names |= {name_to_iri(name): name for name in names}

    def derive(self, rules: Sequence[Rule]) -> list[list[Triple]]:
        return [self._derive(rule) for rule in rules]

    def _derive(self, rule: Rule) -> list[Triple]:
        found = self.store.query(write_sparql([rule]))
        assert isinstance(found, ox.QueryTriples)
        rows = {(row.subject.value, row.predicate.value, row.object.value) for row in found}
        return [(self.names[head], self.names[relation], self.names[tail]) for head, relation, tail in rows]


class Ladybug:
    """An embedded engine of Cypher, in which each relation is a table."""

    def __init__(self, triples: Iterable[Triple], names: Iterable[str]) -> None:
        # By default each database reserves 8 TB of addresses, of which a process has 128.
        database = ladybug.Database(":memory:", buffer_pool_size=1 << 28, max_db_size=1 << 30)
        self.connection = ladybug.Connection(database, num_threads=1)
        run = self.connection.execute
        run("CREATE NODE TABLE Entity (name STRING PRIMARY KEY)")
        entities = dict.fromkeys(name for head, _, tail in triples for name in (head, tail))
        run("UNWIND $names AS name CREATE (:Entity {name: name})", {"names": list(entities)})
        pairs: dict[str, list[list[str]]] = {name: [] for name in names}
        for head, relation, tail in triples:
            pairs.setdefault(relation, []).append([head, tail])
        for relation, ends in pairs.items():
            run(f"CREATE REL TABLE {cypher_name(relation)} (FROM Entity TO Entity)")
            if ends:
                run(
                    "UNWIND $pairs AS pair MATCH (x:Entity {name: pair[1]}) MATCH (y:Entity {name: pair[2]}) "
                    f"CREATE (x)-[:{cypher_name(relation)}]->(y)",
                    {"pairs": ends},
                )

    def derive(self, rules: Sequence[Rule]) -> list[list[Triple]]:
        return [[tuple(row) for row in self.connection.execute(write_cypher([rule])).get_all()] for rule in rules]


class Clingo:
    """A Datalog engine without Soufflé's declarations, comments and escapes of tabs and carriage returns."""

    def __init__(self, triples: Iterable[Triple], names: Iterable[str]) -> None:
        self.facts = "".join(
            f"triples({', '.join(map(datalog_string, (head, relation, tail)))}).\n" for head, relation, tail in triples
        )

    def derive(self, rules: Sequence[Rule], fixpoint: bool = False) -> list[list[Triple]]:
        control = clingo.Control(["--warn=none"])
        control.add("base", [], as_clingo(self.facts + write_datalog(rules, fixpoint=fixpoint)))
        control.ground([("base", [])])
        rows: list[list[Triple]] = [[] for _ in rules]
        for atom in control.symbolic_atoms.by_signature("derived", 4):
            number, *names = atom.symbol.arguments
            head, relation, tail = (name.string for name in names)
            rows[number.number - 1].append((head, relation, tail))
        return rows


def as_clingo(program: str) -> str:
    """Return a program in the dialect of clingo, whose strings have fewer escapes."""
    clauses = [line for line in program.split("\n") if not line.startswith(("//", ".decl", ".input", ".output"))]
    plain = {r"\t": "\t", r"\r": "\r"}
    return re.sub(r"\\.", lambda found: plain.get(found[0], found[0]), "\n".join(clauses))


ENGINES: tuple[type[Engine], ...] = (Sqlite, DuckDB, Oxigraph, Ladybug, Clingo)
