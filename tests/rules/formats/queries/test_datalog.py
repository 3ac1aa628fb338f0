"""Rules as Datalog: declarations for Soufflé, facts, and a fixpoint."""

from __future__ import annotations

import re

import clingo
import pytest

from r5.errors import R5Error
from r5.graph import Graph
from r5.rules.ruleset import Rule, RuleSet
from tests.helpers.rule_engines import as_clingo

RULES = RuleSet.of([Rule("ancestor", ("mother",), 0.5, support=3), Rule("ancestor", ("mother", "ancestor"))])
FAMILY = Graph.from_triples([("Ann", "mother", "Eve"), ("Eve", "mother", 'Una "U."'), ("Eve", "mother^-1", "Ann")])
_STRING = r'"(?:\\["\\nrt]|[^"\\\n\r\t\0])*"'
_TERM = rf"(?:{_STRING}|[A-Z][0-9]*|_|[0-9]+)"
_ATOM = rf"[a-z]+\({_TERM}(?:, {_TERM})*\)"
_DECLARATION = r"\.(?:input|output) \w+|\.decl \w+\(\w+: \w+(?:, \w+: \w+)*\)"
_CLAUSE = rf"{_ATOM}(?: :- {_ATOM}(?:, {_ATOM})*(?:, {_TERM} != {_TERM})?)?\."
_LINE = rf"//.*|{_DECLARATION}|{_CLAUSE}"


def derived(program: str) -> set[str]:
    control = clingo.Control()
    control.add("base", [], as_clingo(program))
    control.ground([("base", [])])
    return {str(atom.symbol) for atom in control.symbolic_atoms.by_signature("derived", 4)}


def test_facts_are_written_in_stored_direction_and_rules_are_applied_once_or_to_a_fixpoint() -> None:
    text = RULES.to_datalog(FAMILY)
    assert text.count("mother") == 6
    once = {'derived(1,"Ann","ancestor","Eve")', 'derived(1,"Eve","ancestor","Una \\"U.\\"")'}
    assert derived(text) == once
    assert derived(RULES.to_datalog(FAMILY, fixpoint=True)) == {*once, 'derived(2,"Ann","ancestor","Una \\"U.\\"")'}


def test_without_a_graph_facts_are_read_from_a_file() -> None:
    assert ".input triples" in RULES.to_datalog().splitlines()
    assert ".input" not in RULES.to_datalog(FAMILY)


def test_every_line_is_of_the_dialect_of_souffle() -> None:
    odd = Rule('a"\\\n\r\t', ("b^-1",), target="c\u2028", ending="'")
    text = RuleSet.of([*RULES, odd, Rule("h", (), target="c")]).to_datalog(FAMILY, fixpoint=True)
    assert [line for line in text.split("\n") if line and not re.fullmatch(_LINE, line)] == []


def test_a_name_that_souffle_would_cut_is_refused() -> None:
    with pytest.raises(R5Error, match="Datalog cannot write"):
        RuleSet.of([Rule("a\0b", ("c",))]).to_datalog()
