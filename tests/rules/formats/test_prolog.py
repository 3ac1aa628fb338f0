"""Rules as a Prolog program: what it says, and that the real SWI-Prolog takes it and derives the same answers."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

import r5
from r5.data.generators.kinship.algebra import RELATIONS, composition_rules
from r5.data.generators.kinship.genealogy import draw_genealogy
from r5.graph import Graph
from r5.rules.formats.prolog import RESERVED, prolog_atom, write_prolog
from r5.rules.ruleset import Rule, RuleSet
from tests.helpers.rule_strategies import NASTY, RULE_SETS
from tests.oracle import rules as oracle

needs_swipl = pytest.mark.skipif(shutil.which("swipl") is None, reason="SWI-Prolog (swipl) is not installed")

ASK = r"""
r5_write(Predicate) :-
    functor(Goal, Predicate, 2), arg(1, Goal, X), arg(2, Goal, Y),
    forall(call(Goal), (writeq([Predicate, X, Y]), nl)).
"""


def run_prolog(folder: Path, goal: str, *programs: str) -> list[str]:
    """The lines that a goal prints after loading programs; a warning or an error of any kind fails."""
    files = []
    for number, program in enumerate((*programs, ASK)):
        files.append(folder / f"program{number}.pl")
        files[-1].write_text(program, encoding="utf-8")
    command = ["swipl", "--on-error=status", "--on-warning=status", "-g", goal, "-t", "halt", *map(str, files)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL, check=False)
    assert ended.stderr == ""
    assert ended.returncode == 0
    return ended.stdout.splitlines()


def spoken(pairs: dict[str, set[tuple[int, int]]], graph: Graph) -> set[str]:
    """Facts as `r5_write` prints them."""
    name = graph.entities
    return {f"[{prolog_atom(r)},{prolog_atom(name[s])},{prolog_atom(name[t])}]" for r in pairs for s, t in pairs[r]}


@needs_swipl
def test_a_generated_family_has_the_same_answers(tmp_path: Path) -> None:
    family = draw_genealogy(np.random.default_rng(3), generations=3, children=3)
    kin, names = family.kinship(), list(RELATIONS)
    told = ("father", "mother", "son", "daughter", "brother", "sister", "husband", "wife")
    triples = [
        (family.names[x], names[kin[x, y]], family.names[y])
        for x, y in zip(*np.nonzero(kin >= 0), strict=True)
        if names[kin[x, y]] in told
    ]
    graph, rules = Graph.from_triples(triples), composition_rules()
    goal = "forall(member(P, [" + ", ".join(map(prolog_atom, names)) + "]), r5_write(P))"
    derived = run_prolog(tmp_path, goal, rules.to_prolog(graph))
    assert len(derived) == len(set(derived))
    assert set(derived) == spoken(oracle.closure(rules, graph), graph)
    true = {names[k]: set(zip(*map(np.ndarray.tolist, np.nonzero(kin == k)), strict=True)) for k in range(len(names))}
    people = Graph.from_triples([(name, "is", name) for name in family.names])
    assert set(derived) == spoken(true, people)


@needs_swipl
def test_stories_get_the_answers_that_are_right(tmp_path: Path) -> None:
    data = r5.load("kinship", train=60, test=1)
    programs, wanted = [data.rules.to_prolog()], []  # type: ignore[union-attr]
    for number, example in enumerate(data.test):
        renamed = [(f"{number}.{s}", name, f"{number}.{t}") for s, name, t in example.graph.triples()]
        programs.append(write_prolog([], Graph.from_triples(renamed)))
        wanted.append((f"{number}.{example.source}", example.answer_name, f"{number}.{example.target}"))
    goals = [
        f"forall(member(P, [{', '.join(map(prolog_atom, RELATIONS))}]), "
        f"(G =.. [P, {prolog_atom(s)}, {prolog_atom(t)}], (call(G) -> writeq(P), nl ; true)))"
        for s, _, t in wanted
    ]
    assert run_prolog(tmp_path, ", ".join(goals), *programs) == [prolog_atom(name or "") for _, name, _ in wanted]


@needs_swipl
def test_every_name_loads_without_a_warning_and_stays_apart(tmp_path: Path) -> None:
    names = sorted(
        {*NASTY, *RESERVED, "table_relation", "mod", ":-", "[]", "{}", "|", "!", "-->", "$set"} - {"mother^-1"}
    )
    rules = RuleSet.of([Rule(name, (name, "mother^-1")) for name in names])
    graph = Graph.from_triples([("a", name, name) for name in names] + [("\u00e9\n'\\", "mother", n) for n in names])
    program = rules.to_prolog(graph)
    heads = [line.split("(X, Y) :- ")[0] for line in program.splitlines() if " :- " in line]
    assert len(set(heads)) == len(names)
    derived = run_prolog(tmp_path, f"forall(member(P, [{', '.join(heads)}]), r5_write(P))", program)
    assert len(derived) == 2 * len(names)


@needs_swipl
def test_facts_can_be_asserted_later_and_loaded_first(tmp_path: Path) -> None:
    program = RuleSet.of([Rule("son", ("son", "brother"))]).to_prolog()
    facts = "son(eve, tom).\nbrother(tom, joe).\n"
    assert run_prolog(tmp_path, "r5_write(son)", facts, program) == ["[son,eve,joe]", "[son,eve,tom]"]
    later = "r5_write(son), nl, assertz(brother(joe, max)), aggregate_all(count, son(eve, _), N), print(N), nl"
    assert run_prolog(tmp_path, later, program, facts)[-1] == "3"


@needs_swipl
def test_the_names_that_prolog_needs_are_known(tmp_path: Path) -> None:
    goal = r"""forall((predicate_property(system:H, iso) ; predicate_property(user:H, multifile)),
        (functor(H, N, 2) -> writeq(N), nl ; true))"""
    needed = {line.strip("'") for line in run_prolog(tmp_path, goal.replace("\n", " "))}
    assert {name for name in needed if name.isidentifier()} <= RESERVED


def test_inverses_swap_and_loops_may_be_allowed() -> None:
    rule = Rule("son^-1", ("mother^-1", "<dummy>", "brother"), score=3, support=2)
    program = RuleSet.of([rule, Rule("a", ("<dummy>",))]).to_prolog(loops=True)
    assert program.splitlines()[-1] == "son(Y, X) :- mother(Z, X), brother(Z, Y).  % score=3 support=2"
    assert program.startswith("% 1 rule\n")
    assert RuleSet().to_prolog() == "% 0 rules\n:- encoding(utf8).\n\n"


@given(RULE_SETS)
def test_a_clause_takes_one_line(rules: RuleSet) -> None:
    lines = rules.to_prolog().splitlines()
    assert sum(" :- " in line for line in lines) == sum(bool(rule.relations) for rule in rules)
    assert all(line.isprintable() for line in lines)
