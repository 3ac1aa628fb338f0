"""Rules as SQL over one table of triples, valid in SQLite, DuckDB and PostgreSQL.

Each rule is one SELECT that returns the distinct facts it derives as rows (head, relation, tail). Entities and
relations are text; backslashes are plain characters, as in standard SQL.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from r5.errors import R5Error
from r5.rules.formats.queries.patterns import RulePattern, Term, comment, refuse_characters, rule_patterns
from r5.rules.rule import Rule

__all__ = ["write_sql"]

_PLAIN = ("triples", "head", "relation", "tail")
"""Names that no engine reserves, written without quotation marks."""


def write_sql(
    rules: Iterable[Rule],
    *,
    table: str = "triples",
    columns: str | Sequence[str] = ("head", "relation", "tail"),
    loops: bool = False,
) -> str:
    r"""Write one query per rule.

    Args:
        rules: The rules.
        table: Table of the facts; a dot separates schema and table.
        columns: Columns of head, relation and tail, as a sequence or as text with commas.
        loops: Allow facts about an entity and itself.

    Raises:
        R5Error: The columns are not three names, or a name cannot be written.

    >>> print(write_sql([Rule("aunt", ("father", "sister"), probability=0.98)]).split("\n\n")[1], end="")
    -- aunt(X, Y) <= father(X, Z), sister(Z, Y)   p=0.98
    SELECT DISTINCT t1.head AS head, 'aunt' AS relation, t2.tail AS tail
    FROM triples AS t1, triples AS t2
    WHERE t1.relation = 'father' AND t2.relation = 'sister' AND t1.tail = t2.head AND t1.head <> t2.tail;
    """
    names = [name.strip() for name in columns.split(",")] if isinstance(columns, str) else list(columns)
    if len(names) != 3 or not all(names) or not table:
        raise R5Error("expected a table and its columns of head, relation and tail, such as s,p,o")
    place = ".".join(map(_identifier, table.split(".")))
    source = _Table(place, *map(_identifier, names))
    patterns = rule_patterns(rules)
    header = comment(
        "--",
        f"{len(patterns)} rule{'s' * (len(patterns) != 1)}; each query returns the facts that one rule derives "
        f"from {place}({', '.join(source.columns)}).",
        "SQLite: sqlite3 FILE < rules.sql; DuckDB: duckdb FILE < rules.sql; PostgreSQL: psql -f rules.sql DATABASE",
        f"Faster with an index: CREATE INDEX by_relation ON {place} ({source.relation}, {source.head}, {source.tail}); "
        "ANALYZE;",
    )
    return "\n".join([header, *(source.query(pattern, loops) for pattern in patterns)])


class _Table:
    """Table of triples, with quoted names."""

    def __init__(self, name: str, head: str, relation: str, tail: str) -> None:
        self.name, self.head, self.relation, self.tail = name, head, relation, tail
        self.columns = (head, relation, tail)

    def query(self, pattern: RulePattern, loops: bool) -> str:
        """Return the query of one rule, after the rule as a comment."""
        sources, conditions = [], []
        places: dict[Term, str] = {}
        joins = []
        for number, atom in enumerate(pattern.body, start=1):
            sources.append(f"{self.name} AS t{number}")
            conditions.append(f"t{number}.{self.relation} = {_literal(atom.relation)}")
            for term, column in ((atom.head, self.head), (atom.tail, self.tail)):
                place = f"t{number}.{column}"
                if term.is_entity:
                    joins.append(f"{place} = {_literal(term.name)}")
                elif places.setdefault(term, place) != place:
                    joins.append(f"{places[term]} = {place}")
        if not pattern.body:
            ends = [f"SELECT {column} AS name FROM {self.name}" for column in (self.head, self.tail)]  # noqa: S608  quoted
            sources.append(f"({' UNION '.join(ends)}) AS entities")
            places[Term("X")] = "entities.name"
        head, tail = (_literal(end.name) if end.is_entity else places[end] for end in pattern.ends)
        conditions += [*joins, *([] if loops else [f"{head} <> {tail}"])]
        where = f"\nWHERE {' AND '.join(conditions)}" if conditions else ""
        relation = _literal(pattern.head.relation)
        return (
            f"{comment('--', pattern.rule.text())}"
            f"SELECT DISTINCT {head} AS head, {relation} AS relation, {tail} AS tail\n"
            f"FROM {', '.join(sources)}{where};\n"
        )


def _identifier(name: str) -> str:
    """Return the name of a table or column, in double quotes unless it is plain."""
    refuse_characters(name, "\0", "SQL")
    return name if name in _PLAIN else '"' + name.replace('"', '""') + '"'


def _literal(text: str) -> str:
    """Return text as an SQL string.

    >>> print(_literal("it's"))
    'it''s'
    """
    refuse_characters(text, "\0", "SQL")
    return "'" + text.replace("'", "''") + "'"
