r"""Rules as Cypher for property graphs whose relationships have the relations as types, as in Neo4j and Ladybug.

Each relation of a body is a MATCH of its own: within one MATCH, Cypher does not use a relationship twice, which the
groundings of a rule may do.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from r5.errors import R5Error
from r5.rules.formats.queries.patterns import RulePattern, Term, comment, rule_patterns
from r5.rules.rule import Rule

__all__ = ["cypher_name", "cypher_string", "write_cypher"]

_KEY = "name"
"""Default property with the name of an entity, written without backticks."""


def write_cypher(
    rules: Iterable[Rule], *, label: str = "", key: str = _KEY, merge: bool = False, loops: bool = False
) -> str:
    r"""Write one query per rule.

    Args:
        rules: The rules.
        label: Label of the nodes; empty for any.
        key: Property that holds the name of an entity.
        merge: Add the derived relationships (MERGE) in place of returning them as rows (head, relation, tail).
        loops: Allow facts about an entity and itself.

    Raises:
        R5Error: A name cannot be written.

    >>> print(write_cypher([Rule("aunt", ("father", "sister"), probability=0.98)]).split("\n\n")[1], end="")
    // aunt(X, Y) <= father(X, Z), sister(Z, Y)   p=0.98
    MATCH (X)-[:`father`]->(Z)
    MATCH (Z)-[:`sister`]->(Y)
    WHERE X.name <> Y.name
    RETURN DISTINCT X.name AS head, 'aunt' AS relation, Y.name AS tail;
    """
    if not key:
        raise R5Error("expected the property that holds the names of entities, such as key=name")
    patterns = rule_patterns(rules)
    number = f"{len(patterns)} rule{'s' * (len(patterns) != 1)}"
    nodes = _Nodes(label, key)
    header = comment(
        "//",
        f"{number}; each query {'adds' if merge else 'returns'} the facts that one rule derives. Relationships have "
        f"the relation as type, nodes{f' {cypher_name(label)}' if label else ''} the property {nodes.key}.",
        "Neo4j: cypher-shell -f rules.cypher; Ladybug: connection.execute(text)",
    )
    return "\n".join([header, *(nodes.query(pattern, merge, loops) for pattern in patterns)])


class _Nodes:
    """Label and key of the nodes."""

    def __init__(self, label: str, key: str) -> None:
        self._label = f":{cypher_name(label)}" if label else ""
        self.key = key if key == _KEY else cypher_name(key)

    def query(self, pattern: RulePattern, merge: bool, loops: bool) -> str:
        """Return the query of one rule, after the rule as a comment."""
        lines = [
            f"MATCH {self._node(one.head)}-[:{cypher_name(one.relation)}]->{self._node(one.tail)}"
            for one in pattern.body
        ] or [f"MATCH {self._node(Term('X'))}"]
        head, tail = map(self._name, pattern.ends)
        if not loops:
            lines.append(f"WHERE {head} <> {tail}")
        if merge:
            entity = next((end for end in pattern.ends if end.is_entity), None)
            ends = [end.name if not end.is_entity else "C" for end in pattern.ends]
            if entity is not None:
                lines.append(f"WITH DISTINCT X MATCH (C{self._label} {{{self.key}: {cypher_string(entity.name)}}})")
            else:
                lines.append(f"WITH DISTINCT {', '.join(ends)}")
            lines.append(f"MERGE ({ends[0]})-[:{cypher_name(pattern.head.relation)}]->({ends[1]});")
        else:
            relation = cypher_string(pattern.head.relation)
            lines.append(f"RETURN DISTINCT {head} AS head, {relation} AS relation, {tail} AS tail;")
        return comment("//", pattern.rule.text()) + "\n".join(lines) + "\n"

    def _node(self, term: Term) -> str:
        if term.is_entity:
            return f"({self._label}{' ' * bool(self._label)}{{{self.key}: {cypher_string(term.name)}}})"
        return f"({term.name}{self._label})"

    def _name(self, term: Term) -> str:
        return cypher_string(term.name) if term.is_entity else f"{term.name}.{self.key}"


def cypher_name(name: str) -> str:
    r"""Return the name of a type, label or property in backticks.

    Raises:
        R5Error: The name holds `\u`, which Neo4j reads as the start of an escape everywhere.

    >>> cypher_name("lives in"), cypher_name("a`b")
    ('`lives in`', '`a``b`')
    """
    if re.search(r"\\u", name, re.IGNORECASE):
        raise R5Error(f"Cypher cannot write the name {name[:40]!r}: it holds \\u, which Neo4j reads as an escape")
    return "`" + name.replace("`", "``") + "`"


def cypher_string(text: str) -> str:
    r"""Return text as a Cypher string; of `\u` both characters are escaped, for Neo4j looks for it everywhere.

    >>> print(cypher_string("it's"), cypher_string("C:\\new"), cypher_string("C:\\user"))
    'it\'s' 'C:\\new' 'C:\\\u0075ser'
    """
    escaped = text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n").replace("\r", "\\r")
    return "'" + re.sub(r"\\\\(u|U)", lambda found: f"\\\\\\u{ord(found[1]):04x}", escaped) + "'"
