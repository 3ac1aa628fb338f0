"""Rules whose heads are alternatives: shown, stored, loaded into Prolog."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from r5.data.generators.algebra.algebras import regions
from r5.data.generators.algebra.dataset import true_rules
from r5.graph import Graph
from r5.rules.disjunction import compare_tables, disjunctions
from r5.rules.formats.files import read_rules, write_rules
from r5.rules.formats.prolog import write_prolog
from r5.rules.rule import Rule
from r5.rules.ruleset import RuleSet

TRUE = [replace(rule, possibility=1.0, support=3.0) for rule in true_rules(regions())]


def test_rules_of_a_body_are_one_disjunction() -> None:
    every = disjunctions(TRUE)
    assert len(every) == 64
    one = next(one for one in every if one.body == ("EC", "TPPI"))
    assert one.heads == ("DC", "EC") and one.support == 6.0
    assert disjunctions([Rule("aunt", ("father", "sister"), probability=1.0)]) == []


def test_possibilities_survive_json(tmp_path: Path) -> None:
    write_rules(RuleSet.of(TRUE), tmp_path / "rules.json")
    assert tuple(read_rules(tmp_path / "rules.json")) == tuple(TRUE)


def test_tables_are_compared_pair_by_pair() -> None:
    assert compare_tables(TRUE, TRUE).exact == 64
    without = [rule for rule in TRUE if rule.key != TRUE[0].key]
    result = compare_tables([*without, Rule("PO", ("DC", "NTPPI"))], TRUE)
    assert (result.exact, result.wide, result.narrow) == (62, 1, 1)


@pytest.mark.skipif(shutil.which("swipl") is None, reason="SWI-Prolog is not here")
def test_prolog_excludes_what_it_should(tmp_path: Path) -> None:
    facts = [("kitchen", "EC", "hall"), ("hall", "TPPI", "desk"), ("kitchen", "NTPP", "flat"), ("flat", "EC", "desk")]
    for count, left in ((2, "['DC','EC']"), (4, "['DC']")):
        program = tmp_path / "rules.pl"
        program.write_text(write_prolog(TRUE, Graph.from_triples(facts[:count])))
        goal = "left(kitchen, desk, L), print(L), nl, halt"
        command = ["swipl", "-q", "-g", goal, str(program)]
        ran = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
        assert (ran.stdout.strip(), ran.stderr) == (left, "")
