"""Rules and facts as an SWI-Prolog program.

Every predicate is dynamic and multifile, so that facts can be loaded or asserted. Heads are tabled, so that recursion
terminates. An inverse relation becomes the relation itself with swapped arguments.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from r5.rules.disjunction import disjunctions
from r5.rules.formats.text import direct_atom
from r5.rules.rule import Rule

if TYPE_CHECKING:
    from r5.graph import Graph

__all__ = ["RESERVED", "prolog_atom", "write_constraints", "write_prolog"]

RESERVED = frozenset(
    """
    as atom_chars atom_codes atom_length call char_code char_conversion clause close copy_term current_char_conversion
    current_prolog_flag discontiguous div divs dynamic expand_answer file_search_path get_byte get_char get_code
    goal_expansion initialization is keysort length message_property message_queue_create message_queue_property
    meta_predicate mod module_transparent multifile mutex_create mutex_property number_chars number_codes peek_byte
    peek_char peek_code phrase predicate_property prolog_file_type prolog_load_file public put_byte put_char put_code
    rdiv read read_term rem resource set_prolog_flag set_stream_position sort stream_property subsumes_term table tdiv
    term_expansion term_variables thread_get_message thread_initialization thread_local thread_peek_message
    thread_property thread_send_message thread_signal tnot unify_with_occurs_check volatile with_mutex write
    write_canonical write_term writeq xor
    """.split()  # noqa: SIM905  easier to keep than a hundred strings
)
"""Names that SWI-Prolog reserves, as predicates with two arguments or as operators."""
_SUFFIX = "_relation"


def write_prolog(rules: Iterable[Rule], graph: Graph | None = None, loops: bool = False) -> str:
    r"""Write declarations, one clause per rule and, optionally, the facts of a graph.

    A relation with a reserved name gets the suffix `_relation`. Rules without a body are left out.

    Args:
        rules: The rules.
        graph: Graph whose facts are written.
        loops: Allow conclusions about an entity and itself.

    >>> print(write_prolog([Rule("aunt", ("father", "sister"), probability=0.98)]))
    % 1 rule
    :- encoding(utf8).
    :- multifile((aunt/2, father/2, sister/2)).
    :- discontiguous((aunt/2, father/2, sister/2)).
    :- dynamic((aunt/2, father/2, sister/2) as incremental).
    :- table((aunt/2) as incremental).
    <BLANKLINE>
    aunt(X, Y) :- father(X, Z), sister(Z, Y), X \== Y.  % p=0.98
    <BLANKLINE>

    """
    rules = [rule for rule in rules if rule.relations]
    if any(rule.possibility is not None for rule in rules):
        return write_constraints(rules, [] if graph is None else _facts(graph))
    facts = [] if graph is None else _facts(graph)
    used = [direct_atom(name, "", "")[0] for rule in rules for name in (rule.head, *rule.relations)]
    every = sorted({_indicator(name) for name in (*used, *(name for name, _, _ in facts))})
    heads = sorted({_indicator(direct_atom(rule.head, "", "")[0]) for rule in rules})
    lines = [f"% {len(rules)} rule{'' if len(rules) == 1 else 's'}", ":- encoding(utf8)."]
    if every:
        names = ", ".join(every)
        lines += [f":- multifile(({names})).", f":- discontiguous(({names}))."]
        lines.append(f":- dynamic(({names}) as incremental).")
    if heads:
        lines.append(f":- table(({', '.join(heads)}) as incremental).")
    lines += ["", *(_clause(rule, loops) for rule in rules)]
    lines += [f"{_predicate(name)}({prolog_atom(s)}, {prolog_atom(t)})." for name, s, t in facts]
    return "\n".join(lines) + "\n"


_CONSTRAINTS = r"""
composition(A, B, Some) :- allowed(A, B, Some), !.
composition(_, _, All) :- relations(All).
then(start, R, [R]) :- !.
then(Some, R, Left) :- findall(C, (member(A, Some), composition(A, R, Cs), member(C, Cs)), Cs), sort(Cs, Left).
way(X, Y, _, Some, Left) :- holds(X, R, Y), then(Some, R, Left).
way(X, Y, Seen, Some, Left) :-
    holds(X, R, Z), Z \== Y, \+ memberchk(Z, Seen), then(Some, R, More), way(Z, Y, [Z|Seen], More, Left).
left(X, Y, Left) :-
    relations(All), findall(Some, way(X, Y, [X], start, Some), Ways),
    foldl([W, A, B]>>intersection(A, W, B), Ways, All, Left).
"""


def write_constraints(rules: Iterable[Rule], facts: Collection[tuple[str, str, str]] = ()) -> str:
    """Write rules with alternative heads as a constraint program.

    `left(X, Y, Relations)` returns the relations that all paths from X to Y allow; an empty list is a contradiction.
    The facts `holds(X, Relation, Y)` are dynamic.

    >>> rules = [Rule("DC", ("EC", "TPPI"), possibility=1.0), Rule("EC", ("EC", "TPPI"), possibility=0.9)]
    >>> print(write_constraints(rules).splitlines()[-1])
    allowed('EC', 'TPPI', ['DC', 'EC']).
    """
    tables = disjunctions(rules)
    names = sorted({name for one in tables for name in (*one.heads, *one.body)})
    lines = [
        f"% {len(tables)} compositions of {len(names)} relations",
        ":- encoding(utf8).",
        *(f":- use_module(library({library}))." for library in ("lists", "apply", "yall")),
        ":- dynamic(holds/3).",
        f"relations([{', '.join(map(prolog_atom, names))}]).",
        _CONSTRAINTS.strip(),
        "",
        *(f"holds({prolog_atom(s)}, {prolog_atom(name)}, {prolog_atom(t)})." for name, s, t in facts),
    ]
    for one in tables:
        body = ", ".join(map(prolog_atom, one.body))
        lines.append(f"allowed({body}, [{', '.join(map(prolog_atom, sorted(one.heads)))}]).")
    return "\n".join(lines) + "\n"


def prolog_atom(name: str) -> str:
    r"""Return a name as a Prolog atom, quoted if necessary.

    >>> print(prolog_atom("aunt"), prolog_atom("Ann"), prolog_atom("it's"), prolog_atom("a\nb"))
    aunt 'Ann' 'it\'s' 'a\xa\b'
    """
    if re.fullmatch(r"[a-z][a-zA-Z0-9_]*", name):
        return name
    escaped = name.replace("\\", "\\\\").replace("'", "\\'")
    return "'" + "".join(c if c.isprintable() else f"\\x{ord(c):x}\\" for c in escaped) + "'"


def _predicate(name: str) -> str:
    """Return the predicate of a relation, an injective mapping that avoids reserved names."""
    base = name
    while base.endswith(_SUFFIX):
        base = base.removesuffix(_SUFFIX)
    reserved = base in RESERVED or base.startswith("$") or not any(map(str.isalnum, base))
    return prolog_atom(name + _SUFFIX if reserved else name)


def _indicator(name: str) -> str:
    return f"{_predicate(name)}/2"


def _clause(rule: Rule, loops: bool) -> str:
    rule = replace(rule, body=rule.relations)
    args = [prolog_atom(rule.ending or "") if arg is None else arg for arg in rule.arguments()]
    last = "Y" if rule.target is None else prolog_atom(rule.target)
    atoms = [direct_atom(rule.head, "X", last)]
    atoms += [direct_atom(name, args[i], args[i + 1]) for i, name in enumerate(rule.body)]
    head, *body = (f"{_predicate(name)}({first}, {second})" for name, first, second in atoms)
    body += [] if loops else [rf"X \== {last}"]
    clause = f"{head} :- {', '.join(body)}."
    return f"{clause}  % {rule.figures()}" if rule.figures() else clause


def _facts(graph: Graph) -> Collection[tuple[str, str, str]]:
    """Return the distinct facts of a graph, sorted by relation."""
    facts = dict.fromkeys(direct_atom(name, s, t) for s, name, t in graph.triples())
    return sorted(facts, key=lambda fact: fact[0])
