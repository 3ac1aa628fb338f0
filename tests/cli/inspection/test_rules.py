"""`r5 rules` as a user runs it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from r5.data.registry import load
from r5.reasoners.chains import ChainReasoner
from r5.reasoners.registry import load_model
from r5.relations import Vocabulary
from r5.rules.ruleset import Rule, RuleSet
from r5.storage.folder import StoredModel, write_model
from tests.chains.explain.test_rule_lists import films, with_constants
from tests.helpers.commands import run

LEARNED = RuleSet.of(
    [
        Rule("aunt", ("mother", "sister"), score=2.0, support=40),
        Rule("aunt", ("father", "invented_0"), score=4.0, support=4, invented=True),
        Rule("invented_0", ("mother", "daughter"), score=8.0, support=3, invented=True),
        Rule("mother", ("sister", "mother"), score=8.0, support=9),
    ]
)
FAMILY = "Ann\tmother\tEve\nEve\tsister\tZoe\nAnn\taunt\tZoe\nMax\tmother\tEve\nEve\tmother\tUna\nUna\tsister\tIda\n"


@pytest.fixture
def model(tmp_path: Path) -> Path:
    words = Vocabulary.of(["aunt", "daughter", "father", "mother", "sister"]).with_invented(1)
    write_model(tmp_path / "model", StoredModel("r5", {}, words, LEARNED, {"a": np.zeros(1)}, {}))
    (tmp_path / "family.tsv").write_text(FAMILY)
    return tmp_path / "model"


def lines(capsys: pytest.CaptureFixture[str], *arguments: object) -> list[str]:
    code, shown, _ = run(capsys, "rules", *arguments)
    assert code == 0
    return shown.splitlines()


def test_rules_are_sorted_and_filtered(capsys: pytest.CaptureFixture[str], model: Path) -> None:
    assert lines(capsys, model, "--top", 2) == [
        "mother(X, Y) <= sister(X, Z), mother(Z, Y)   score=8 support=9",
        "invented_0(X, Y) <= mother(X, Z), daughter(Z, Y)   score=8 support=3",
    ]
    for options, count in (
        (("--head", "aunt"), 2),
        (("--body", "mother"), 3),
        (("--body", "mother, sister"), 1),
        (("--min-score", 4), 3),
        (("--min-support", 9), 2),
        (("--invented",), 2),
        (("--no-invented", "--head", "mother"), 1),
    ):
        assert len(lines(capsys, model, *options)) == count
    assert lines(capsys, model, "--head", "uncle") == ["no rules"]
    for option, name in (("--head", "ant"), ("--body", "mother, ant^-1")):
        assert f"no rule has the relation '{name[name.find('ant') :]}'" in run(capsys, "rules", model, option, name)[2]
    assert "did you mean 'aunt'" in run(capsys, "rules", model, "--head", "ant")[2]
    assert lines(capsys, model, "--head", "uncle", "--format", "anyburl") == [""]


def test_unfold_and_chains_make_longer_rules(capsys: pytest.CaptureFixture[str], model: Path) -> None:
    assert lines(capsys, model, "--unfold", "--head", "aunt") == [
        "aunt(X, Y) <= father(X, Z), mother(Z, U), daughter(U, Y)   score=4 support=3",
        "aunt(X, Y) <= mother(X, Z), sister(Z, Y)   score=2 support=40",
    ]
    assert "aunt(X, Y) <= sister(X, Z), mother(Z, U), sister(U, Y)   score=2 support=9" in lines(
        capsys, model, "--chains", 3
    )
    code, shown, log = run(capsys, "rules", model, "--chains", 6, "--limit", 2)
    assert (code, len(shown.splitlines())) == (0, 2)
    assert "only the 2 strongest rules" in log
    assert run(capsys, "rules", model, "--chains", 6, "--limit", 2, "--quiet")[2] == ""


def test_rules_are_counted_on_a_graph(capsys: pytest.CaptureFixture[str], model: Path) -> None:
    family = model.parent / "family.tsv"
    code, shown, log = run(capsys, "rules", model, "--graph", family, "--format", "anyburl", "--min-support", 1)
    assert code == 0
    assert shown == "3\t1\t0.3333333333333333\taunt(X,Y) <= mother(X,A), sister(A,Y)\n"
    assert "count them with --unfold" in log
    assert run(capsys, "rules", model, "--graph", family, "--unfold", "--loops")[2] == ""
    assert run(capsys, "rules", model, "--graph", family, "--load", "colour=red")[0] == 2


@pytest.mark.parametrize("style", ["json", "anyburl"])
def test_rules_are_read_from_a_file(capsys: pytest.CaptureFixture[str], model: Path, style: str) -> None:
    out = model.parent / f"rules.{style}"
    assert lines(capsys, model, "--format", style, "--out", out) == [str(out)]
    assert len(lines(capsys, out)) == len(LEARNED)
    found = json.loads("\n".join(lines(capsys, model, "--compare", out, "--json")))
    assert (found["recall"], found["precision"], found["missing"]) == (1.0, 1.0, [])


def test_json_has_the_keys_of_the_contract(capsys: pytest.CaptureFixture[str], model: Path) -> None:
    found = json.loads("\n".join(lines(capsys, model, "--json", "--head", "mother")))
    assert found == [{"head": "mother", "body": ["sister", "mother"], "score": 8.0, "support": 9, "invented": False}]
    assert json.loads("\n".join(lines(capsys, model, "--format", "json", "--head", "x"))) == []


def test_rules_are_compared_with_the_truth_and_another_model(capsys: pytest.CaptureFixture[str], model: Path) -> None:
    shown = lines(capsys, model, "--compare", "kinship", "--load", "train=30", "--load", "test=1")
    assert shown[0] == "recall     0.02   2 of 92 wanted rules found"
    assert shown[1] == "precision  0.50   2 of 4 rules found are wanted"
    assert lines(capsys, model, "--compare", model)[0].startswith("recall     1.00")
    for other, style, words in (
        (model.parent / "family.tsv", "text", "its true rules are not known"),
        ("kinship", "csv", "text or json, not as csv"),
    ):
        code, _, log = run(capsys, "rules", model, "--compare", other, "--format", style)
        assert code == 2
        assert words in log


@pytest.mark.parametrize("name", ["kinship", "world", "rcc8", "interval", "algebra"])
def test_true_rules_are_generated_without_examples(name: str) -> None:
    """So that no examples are made where only the rules are wanted."""
    assert load(name, train=0, valid=0, test=0, seed=2).rules == load(name, train=20, valid=1, test=1, seed=2).rules


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--body", "a b"), "expected a comma"),
        (("--format", "xml"), "xml"),
        (("--chains", "-1"), "chains"),
        (("--graph", "nothing.tsv"), "nothing.tsv: no such file"),
        (("--format", "sql", "--option", "columns=s,p"), "such as s,p,o"),
        (("--format", "sql", "--option", "colour=red"), "the format sql has no option 'colour'; it has: table"),
        (("--format", "sql", "--option", "table=1"), "must be text, not 1"),
        (("--format", "cypher", "--option", "merge=yes"), "must be true or false"),
    ],
)
def test_invalid_input_is_an_error_in_one_line(
    capsys: pytest.CaptureFixture[str], model: Path, arguments: tuple[str, ...], words: str
) -> None:
    code, shown, log = run(capsys, "rules", model, *arguments)
    assert (code, shown) == (2, "")
    assert words in log
    assert len(log.splitlines()) == 1


def test_a_file_without_rules_is_refused(capsys: pytest.CaptureFixture[str], model: Path) -> None:
    code, _, log = run(capsys, "rules", model.parent / "family.tsv")
    assert code == 2
    assert "family.tsv:1: expected predictions, support, confidence and rule" in log
    assert run(capsys, "rules", model.parent)[0] == 2


def test_rules_of_chains_are_sorted_and_filtered(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "films.tsv").write_text("".join("\t".join(fact) + "\n" for fact in films()))
    model = tmp_path / "model"
    code, _, log = run(capsys, "train", tmp_path / "films.tsv", "--engine", "chains", "--seed", 0, "--out", model)
    assert code == 0
    shown = lines(capsys, model)
    assert f"{len(shown)} rules from " in log
    assert shown[0].startswith("citizen_of(X, Y) <= born_in(X, Z), located_in(Z, Y)   weight=")
    learned = load_model(model)
    assert isinstance(learned, ChainReasoner)
    assert [rule.text() for rule in learned.rules_] == shown
    with_constants(learned).save(model, force=True)
    shown = lines(capsys, model)
    chains = lines(capsys, model, "--no-constants")
    assert chains + lines(capsys, model, "--constants") == shown
    assert 0 < len(chains) < len(shown)
    for sort in ("weight", "confidence", "support", "pca"):
        found = json.loads("\n".join(lines(capsys, model, "--sort", sort, "--json")))
        figures = [abs(rule["probability" if sort == "confidence" else sort]) for rule in found]
        assert figures == pytest.approx(sorted(figures, reverse=True))
        assert lines(capsys, model, "--sort", sort, "--top", 3) == lines(capsys, model, "--sort", sort)[:3]


def test_unlisted_rules_are_counted(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "films.tsv").write_text("".join("\t".join(fact) + "\n" for fact in films()))
    options = ("--engine", "chains", "--seed", 0, "--set", "listed_rules=10", "--json")
    code, shown, log = run(capsys, "train", tmp_path / "films.tsv", "--out", tmp_path / "model", *options)
    told = json.loads(shown)
    assert (code, told["listed_rules"]) == (0, 10)
    assert told["rules"] == load_model(tmp_path / "model").summary_["rules"] > 10
    assert f"{told['rules']} rules (10 listed) from" in log
    code, shown, log = run(capsys, "rules", tmp_path / "model")
    assert (code, len(shown.splitlines())) == (0, 10)
    assert f"{told['rules']} rules (10 listed)" in log


def test_sorting_by_a_missing_figure_is_an_error(capsys: pytest.CaptureFixture[str], model: Path) -> None:
    for sort, hint in (("weight", "only rules of the engine chains"), ("pca", "count it with --graph")):
        code, shown, log = run(capsys, "rules", model, "--sort", sort)
        assert (code, shown) == (2, "")
        assert f"the rules have no {sort} to sort by: {hint}" in log
    assert lines(capsys, model, "--sort", "support", "--top", 1) == [
        "aunt(X, Y) <= mother(X, Z), sister(Z, Y)   score=2 support=40"
    ]


def test_queries_are_written_with_the_options_of_their_format(capsys: pytest.CaptureFixture[str], model: Path) -> None:
    options = ("--no-invented", "--head", "aunt", "--option")
    assert lines(capsys, model, "--format", "sql", *options, "table=kg.facts")[-2] == (
        'FROM "kg"."facts" AS t1, "kg"."facts" AS t2'
    )
    assert lines(capsys, model, "--format", "sparql", *options, "insert=true")[-2].startswith("INSERT {")
    code, _, log = run(capsys, "rules", model, "--format", "sql")
    assert (code, log) == (
        0,
        "rules with invented relations derive nothing from a database; replace them with --unfold\n",
    )


@pytest.mark.parametrize("style", ["prolog", "datalog"])
def test_facts_are_written_with_the_rules(capsys: pytest.CaptureFixture[str], model: Path, style: str) -> None:
    family = model.parent / "family.tsv"
    shown = lines(capsys, model, "--format", style, "--graph", family, "--facts", "--unfold")
    facts = [line for line in shown if re.fullmatch(r"\w+\(('\w+'|\"\w+\")(, ['\"]?\w+['\"]?)+\)\.", line)]
    assert len(facts) == len(FAMILY.splitlines())
    code, _, log = run(capsys, "rules", model, "--format", "sql", "--graph", family, "--facts", "--unfold")
    assert code == 2
    assert "the format sql has no facts; formats that have: prolog, datalog" in log
    lines(capsys, model, "--format", "json", "--out", model.parent / "rules.json")
    code, _, log = run(capsys, "rules", model.parent / "rules.json", "--format", style, "--facts")
    assert code == 2
    assert "rules.json: keeps no graph; give --graph" in log


def test_rules_of_other_miners_are_counted_and_weighed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    people = [(f"p{number}", f"m{number}", f"s{number}") for number in range(30)]
    facts = [
        line
        for child, mother, aunt in people
        for line in (f"{child}\tmother\t{mother}", f"{mother}\tsister\t{aunt}", f"{child}\taunt\t{aunt}")
    ]
    (tmp_path / "family.tsv").write_text("".join(f"{line}\n" for line in facts))
    amie = tmp_path / "amie.tsv"
    amie.write_text(
        "?a  mother  ?c  ?c  sister  ?b   => ?a  aunt  ?b\t1\t0.5\t0.75\t3\t6\t4\t?a\n"
        "?a  mother  ?b  ?a  sister  ?b   => ?a  aunt  ?b\t1\t0.5\t0.75\t3\t6\t4\t?a\n"
        "?a  father  ?b   => ?a  aunt  ?b\t1\t0.5\t0.75\t3\t6\t4\t?a\n"
    )
    code, shown, log = run(capsys, "rules", amie, "--head", "aunt", "--top", 1, "--format", "anyburl")
    assert (code, shown) == (0, "6\t3\t0.5\taunt(X,Y) <= father(X,Y)\n")
    assert log == (
        "left out 1 of 3 rules, neither chains nor about one entity; the first: line 2: the body does not lead from ?a "
        "to ?b in one chain\n"
    )
    graph = ("--graph", tmp_path / "family.tsv")
    counted = lines(capsys, amie, *graph, "--quiet", "--min-support", 1)
    assert counted == ["aunt(X, Y) <= mother(X, Z), sister(Z, Y)   confidence=1 support=30 coverage=1 pca=1"]
    code, shown, log = run(capsys, "rules", amie, *graph, "--weigh", "--format", "json")
    (rule,) = json.loads(shown)
    assert (code, rule["body"], rule["weight"] > 0, rule["support"]) == (0, ["mother", "sister"], True, 30)
    assert "1 of 2 rules have a weight" in log
    code, _, log = run(capsys, "rules", amie, "--weigh")
    assert (code, "--weigh needs --graph" in log) == (2, True)
