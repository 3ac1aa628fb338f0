"""Rules as SPARQL 1.1: one CONSTRUCT query per rule, or one update request of INSERT operations.

A name that is an IRI (`https://...`, `urn:...`) is written as it is. Any other name becomes an IRI of the base, with
all but letters, digits and `-._~` percent-encoded.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import quote

from r5.errors import R5Error
from r5.rules.formats.queries.patterns import RulePattern, Term, TriplePattern, comment, rule_patterns
from r5.rules.rule import Rule

__all__ = ["BASE", "name_to_iri", "write_sparql"]

BASE = "http://example.org/"
"""Default base of IRIs."""
_LEGAL = r"[^\x00-\x20<>\"{}|^`\\]"
"""Characters of an IRI in SPARQL."""
_ABSOLUTE = re.compile(rf"(?:[A-Za-z][A-Za-z0-9+.-]*://|urn:){_LEGAL}+")


def write_sparql(rules: Iterable[Rule], *, base: str = BASE, insert: bool = False, loops: bool = False) -> str:
    r"""Write one query per rule, separated by blank lines.

    Args:
        rules: The rules.
        base: Start of the IRIs of names that are not IRIs.
        insert: Write INSERT operations, which form one update request, in place of CONSTRUCT queries.
        loops: Allow facts about an entity and itself.

    Raises:
        R5Error: The base is not an IRI.

    >>> rules = [Rule("aunt", ("father", "sister"), probability=0.98)]
    >>> print(write_sparql(rules, base="urn:kin:").split("\n\n")[1], end="")
    # aunt(X, Y) <= father(X, Z), sister(Z, Y)   p=0.98
    CONSTRUCT { ?X <urn:kin:aunt> ?Y }
    WHERE { ?X <urn:kin:father> ?Z . ?Z <urn:kin:sister> ?Y . FILTER (?X != ?Y) }
    """
    if not _ABSOLUTE.fullmatch(base):
        raise R5Error(f"the base {base[:80]!r} is not an IRI; expected one such as {BASE}")
    patterns = rule_patterns(rules)
    number = f"{len(patterns)} rule{'s' * (len(patterns) != 1)}"
    if insert:
        header = comment(
            "#",
            f"{number} as one update request: each operation adds the facts that one rule derives, in this order.",
            "Run it as SPARQL Update, for example: curl --data-binary @rules.ru "
            "-H 'Content-Type: application/sparql-update' ENDPOINT",
        )
    else:
        header = comment(
            "#",
            f"{number}; each query constructs the facts that one rule derives. A blank line separates queries;",
            "run each by itself, for example: curl --data-binary @rule.rq "
            "-H 'Content-Type: application/sparql-query' ENDPOINT",
        )
    return "\n".join([header, *(_query(pattern, base, insert, loops) for pattern in patterns)])


def name_to_iri(name: str, base: str = BASE) -> str:
    """Return the IRI of an entity or a relation.

    >>> name_to_iri("lives in"), name_to_iri("https://schema.org/spouse")
    ('http://example.org/lives%20in', 'https://schema.org/spouse')
    """
    if _ABSOLUTE.fullmatch(name):
        return name
    return base + (name.replace(".", "%2E") if name in (".", "..") else quote(name, safe=""))


def _query(pattern: RulePattern, base: str, insert: bool, loops: bool) -> str:
    """Return the query of one rule, after the rule as a comment."""

    def term(one: Term) -> str:
        return f"<{name_to_iri(one.name, base)}>" if one.is_entity else f"?{one.name}"

    def triple(one: TriplePattern) -> str:
        return f"{term(one.head)} <{name_to_iri(one.relation, base)}> {term(one.tail)}"

    body = [f"{triple(one)} ." for one in pattern.body] or ["{ ?X ?r1 ?e1 } UNION { ?e2 ?r2 ?X }"]
    if not loops:
        first, last = map(term, pattern.ends)
        body.append(f"FILTER ({first} != {last})")
    return (
        f"{comment('#', pattern.rule.text())}"
        f"{'INSERT' if insert else 'CONSTRUCT'} {{ {triple(pattern.head)} }}\n"
        f"WHERE {{ {' '.join(body)} }}{' ;' if insert else ''}\n"
    )
