r"""Rules as Datalog in the dialect of Soufflé, over one relation `triples(head, relation, tail)`.

Names of relations and entities are strings, so that none of them can clash with a word of the language. The clauses
are plain Datalog; only the declarations and comments are Soufflé's own.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from r5.rules.formats.queries.patterns import (
    RulePattern,
    Term,
    TriplePattern,
    comment,
    refuse_characters,
    rule_patterns,
)
from r5.rules.formats.text import direct_atom
from r5.rules.rule import Rule

if TYPE_CHECKING:
    from r5.graph import Graph

__all__ = ["datalog_string", "write_datalog"]

_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def write_datalog(
    rules: Iterable[Rule], graph: Graph | None = None, *, fixpoint: bool = False, loops: bool = False
) -> str:
    r"""Write declarations and one clause per rule; `derived(number, head, relation, tail)` holds the derived facts.

    Args:
        rules: The rules, numbered from 1.
        graph: Graph whose facts are written; without one they are read from `triples.facts`.
        fixpoint: Apply the rules to derived facts as well.
        loops: Allow facts about an entity and itself.

    Raises:
        R5Error: A name cannot be written.

    >>> print(write_datalog([Rule("aunt", ("father", "sister"), probability=0.98)]).split("\n\n")[1], end="")
    // aunt(X, Y) <= father(X, Z), sister(Z, Y)   p=0.98
    derived(1, X, "aunt", Y) :- triples(X, "father", Z), triples(Z, "sister", Y), X != Y.
    """
    patterns = rule_patterns(rules)
    run = "souffle -D - rules.dl"
    facts: Iterable[tuple[str, str, str]] = ()
    if graph is None:
        run = "souffle -F FOLDER -D - rules.dl; FOLDER/triples.facts has a line per fact: head TAB relation TAB tail"
    else:
        facts = dict.fromkeys(direct_atom(name, head, tail) for head, name, tail in graph.triples())
    lines = [
        comment("//", f"{len(patterns)} rule{'s' * (len(patterns) != 1)}. Soufflé: {run}").strip(),
        ".decl triples(head: symbol, relation: symbol, tail: symbol)",
        *([".input triples"] if graph is None else []),
        ".decl derived(rule: number, head: symbol, relation: symbol, tail: symbol)",
        ".output derived",
        *(["triples(H, R, T) :- derived(_, H, R, T)."] if fixpoint else []),
    ]
    if any(not pattern.body for pattern in patterns):
        lines += [".decl entity(name: symbol)", "entity(X) :- triples(X, _, _).", "entity(X) :- triples(_, _, X)."]
    clauses = [_clause(number, pattern, loops) for number, pattern in enumerate(patterns, start=1)]
    blocks = ["".join(f"{line}\n" for line in lines), *clauses]
    written = "".join(
        f"triples({datalog_string(head)}, {datalog_string(name)}, {datalog_string(tail)}).\n"
        for name, head, tail in facts
    )
    return "\n".join([*blocks, *([written] if written else [])])


def datalog_string(text: str) -> str:
    r"""Return text as a string.

    >>> print(datalog_string('say "hi"'))
    "say \"hi\""
    """
    refuse_characters(text, "\0", "Datalog")
    return '"' + "".join(_ESCAPES.get(character, character) for character in text) + '"'


def _clause(number: int, pattern: RulePattern, loops: bool) -> str:
    """Return the clause of one rule, after the rule as a comment."""

    def term(one: Term) -> str:
        return datalog_string(one.name) if one.is_entity else one.name

    def arguments(one: TriplePattern) -> str:
        return f"{term(one.head)}, {datalog_string(one.relation)}, {term(one.tail)}"

    body = [f"triples({arguments(one)})" for one in pattern.body] or ["entity(X)"]
    if not loops:
        body.append(" != ".join(map(term, pattern.ends)))
    return f"{comment('//', pattern.rule.text())}derived({number}, {arguments(pattern.head)}) :- {', '.join(body)}.\n"
