"""`r5 derive` as a user runs it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet

from r5.rules import materialisation
from r5.rules.formats.files import write_rules
from r5.rules.materialisation import DerivedFacts
from r5.rules.ruleset import Rule, RuleSet
from tests.helpers.commands import run

RULES = RuleSet.of(
    [
        Rule("grandmother", ("mother", "mother"), 0.95, support=20),
        Rule("child", ("mother^-1",), 1.0, support=5),
        Rule("grandchild", ("child", "child"), 0.99, support=9),
        Rule("likes", ("mother",), 0.5, support=30),
    ]
)
HEADER = ["head", "relation", "tail", "confidence", "rule"]
ROWS = [
    ["Eve", "child", "Ann", 1.0, "child(X, Y) <= mother^-1(X, Y)"],
    ["Una", "child", "Eve", 1.0, "child(X, Y) <= mother^-1(X, Y)"],
    ["Ann", "grandmother", "Una", 0.95, "grandmother(X, Y) <= mother(X, Z), mother(Z, Y)"],
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_rules(RULES, tmp_path / "rules.json")
    (tmp_path / "family.tsv").write_text("Ann\tmother\tEve\nEve\tmother\tUna\n")
    return tmp_path


def derive(capsys: pytest.CaptureFixture[str], folder: Path, *options: object) -> tuple[list[str], list[str]]:
    code, shown, log = run(capsys, "derive", folder / "rules.json", folder / "family.tsv", *options)
    assert code == 0
    return shown.splitlines(), log.splitlines()


def test_facts_are_printed_as_a_table_or_as_json(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    shown, log = derive(capsys, folder)
    assert [line.split("\t") for line in shown] == [HEADER, *([*map(str, row)] for row in ROWS)]
    assert log == ["3 facts of 3 rules"]
    shown, _ = derive(capsys, folder, "--json", "--quiet")
    assert [list(json.loads(line).values()) for line in shown] == ROWS


@pytest.mark.parametrize("name", ["facts.parquet", "facts.tsv", "facts.csv", "facts.jsonl"])
def test_facts_are_written_by_suffix(capsys: pytest.CaptureFixture[str], folder: Path, name: str) -> None:
    assert derive(capsys, folder, "--out", folder / name)[0] == [str(folder / name)]
    if name.endswith(".parquet"):
        table = parquet.read_table(folder / name)
        assert table.column_names == HEADER
        assert [[*row.values()] for row in table.to_pylist()] == ROWS
    else:
        assert len((folder / name).read_text().splitlines()) == len(ROWS) + (name != "facts.jsonl")


def test_a_fixpoint_adds_what_follows_from_derived_facts(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    shown, log = derive(capsys, folder, "--fixpoint")
    assert [line.split("\t")[-1] for line in shown] == ["round", "1", "1", "1", "2"]
    assert shown[-1].startswith("Una\tgrandchild\tAnn\t0.99\t")
    assert log == ["4 facts of 3 rules"]


def test_rules_are_chosen_by_confidence_support_and_head(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    for options, count in (
        (("--min-confidence", ".5"), 5),
        (("--min-support", 20), 1),
        (("--head", "child"), 2),
        (("--min-confidence", 1), 2),
    ):
        assert len(derive(capsys, folder, *options)[0]) == 1 + count


def test_a_rule_without_a_confidence_is_counted(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    rules = RuleSet.of([Rule("mother", ("child^-1",), score=3.0)])
    write_rules(rules, folder / "rules.json", force=True)
    (folder / "family.tsv").write_text("Ann\tmother\tEve\nEve\tchild\tAnn\nEve\tchild\tTom\n")
    assert derive(capsys, folder, "--min-confidence", 0.5)[0][1:] == [
        "Tom\tmother\tEve\t0.5\tmother(X, Y) <= child^-1(X, Y)"
    ]


def test_the_limit_is_said(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    shown, log = derive(capsys, folder, "--limit", 2)
    assert len(shown) == 3
    assert log == ["stopped at 2 facts, there are more (--limit)", "2 facts of 3 rules"]
    assert derive(capsys, folder, "--limit", 3)[1] == ["3 facts of 3 rules"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--out", "facts.xml"), "must end in one of .tsv, .csv, .jsonl, .parquet"),
        (("--min-support", 99), "the highest confidence is 1"),
        (("--head", "aunt"), "no rule has the relation 'aunt'"),
        (("--min-confidence", "2"), "min-confidence"),
        (("--limit", "0"), "limit"),
    ],
)
def test_invalid_input_is_an_error_in_one_line(
    capsys: pytest.CaptureFixture[str], folder: Path, arguments: tuple[object, ...], words: str
) -> None:
    code, shown, log = run(capsys, "derive", folder / "rules.json", folder / "family.tsv", *arguments)
    assert (code, shown, len(log.splitlines())) == (2, "", 1)
    assert words in log


def test_without_a_graph_the_model_must_keep_one(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    code, _, log = run(capsys, "derive", folder / "rules.json")
    assert code == 2
    assert "rules.json: keeps no graph; give GRAPH" in log


def test_an_existing_file_stays_until_the_new_one_is_whole(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    out = folder / "facts.tsv"
    out.write_text("old")
    assert run(capsys, "derive", folder / "rules.json", folder / "family.tsv", "--out", out)[0] == 2
    (folder / "family.tsv").write_text("Ann\n")
    assert run(capsys, "derive", folder / "rules.json", folder / "family.tsv", "--out", out, "--force")[0] == 2
    assert out.read_text() == "old"


def test_an_interrupted_run_continues(
    capsys: pytest.CaptureFixture[str], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask = ("--min-confidence", ".5", "--fixpoint", "--quiet", "--out", folder / "facts.tsv")
    derive(capsys, folder, *ask)
    whole = (folder / "facts.tsv").read_bytes()
    (folder / "facts.tsv").unlink()
    applied: list[str] = []
    original = materialisation._apply

    def interrupted(rule: Rule, *rest: Any) -> Iterator[DerivedFacts]:
        if len(applied) == 3:
            raise KeyboardInterrupt
        applied.append(rule.head)
        return original(rule, *rest)

    with monkeypatch.context() as patch:
        patch.setattr(materialisation, "_apply", interrupted)
        code, _, log = run(capsys, "derive", folder / "rules.json", folder / "family.tsv", *ask[:3], *ask[4:])
    checkpoint = folder / "facts.tsv.checkpoint"
    assert (code, applied, (folder / "facts.tsv").exists()) == (130, ["child", "grandchild", "grandmother"], False)
    assert f"the checkpoint is kept in {checkpoint}; continue with the same command and --resume\n" in log
    code, _, log = run(capsys, "derive", folder / "rules.json", folder / "family.tsv", *ask)
    assert (code, "continue with --resume or start again with --force" in log) == (2, True)
    other = (
        "derive",
        folder / "rules.json",
        folder / "family.tsv",
        "--quiet",
        "--out",
        folder / "facts.tsv",
        "--resume",
    )
    code, _, log = run(capsys, *other)
    assert (code, "is a checkpoint of other rules, another graph or other options" in log) == (2, True)
    with monkeypatch.context() as patch:
        patch.setattr(
            materialisation, "_apply", lambda rule, *rest: (applied.append(rule.head), original(rule, *rest))[1]
        )
        derive(capsys, folder, *ask, "--resume")
    assert applied[3] == "likes"
    assert (folder / "facts.tsv").read_bytes() == whole
    assert not checkpoint.exists()
    code, _, log = run(capsys, *other[:-2], folder / "more.tsv", "--resume")
    assert (code, "there is no checkpoint to resume" in log) == (2, True)
    code, _, log = run(capsys, *other[:4], "--resume")
    assert (code, "--resume needs the --out of the interrupted run" in log) == (2, True)


def test_a_failed_run_without_facts_leaves_no_checkpoint(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    write_rules(RuleSet.of([Rule("a", ("mother",), possibility=1.0)]), folder / "rules.json", force=True)
    code, _, log = run(capsys, "derive", folder / "rules.json", folder / "family.tsv", "--out", folder / "facts.tsv")
    assert (code, "rules with alternative heads derive no facts" in log) == (2, True)
    assert not (folder / "facts.tsv.checkpoint").exists()
