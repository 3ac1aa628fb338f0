"""Train, evaluate, ask and explain from the command line, with the engine that needs no extra."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import r5
from r5.agent.checkpoint import Checkpoint, write_checkpoint
from tests.cli.test_cli import run

SMALL = ("--load", "train=300", "--load", "test=5")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models") / "model"
    data = r5.load("kinship", train=300, test=5)
    r5.GrammarReasoner(seed=0, restarts=(0.5,)).fit(data.train).save(folder)
    return folder


def test_train_writes_a_model_that_load_model_reads(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = tmp_path / "model"
    arguments = ("train", "kinship", "--engine", "grammar", "--out", out, "--set", "restarts=[0.5]", *SMALL)
    code, shown, log = run(capsys, *arguments)
    assert (code, shown) == (0, f"{out}\n")
    assert log.startswith("seed ")
    assert "rules from 300 examples" in log
    assert len(r5.load_model(out).rules_) > 50
    code, _, log = run(capsys, *arguments)
    assert code == 2
    assert "there already" in log
    assert run(capsys, *arguments, "--force", "--quiet")[1:] == (f"{out}\n", "")
    found = json.loads(run(capsys, *arguments, "--force", "--quiet", "--seed", 7, "--json")[1])
    assert (found["model"], found["engine"], found["seed"], found["examples"]) == (str(out), "grammar", 7, 300)
    assert found["rules"] == len(r5.load_model(out).rules_)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--engine", "magic"), "no engine is called 'magic'; expected r5"),
        (("--engine", "grammar", "--set", "restart=1"), "restart"),
        (("--engine", "grammar", "--set", "restarts=often"), "restarts"),
    ],
)
def test_train_refuses_what_it_does_not_know(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, arguments: tuple[str, ...], words: str
) -> None:
    code, _, log = run(capsys, "train", "kinship", "--out", tmp_path / "m", "--seed", 0, *arguments, *SMALL)
    assert code == 2
    assert words in log
    assert list(tmp_path.iterdir()) == []


QUICK = ("--set", "network=false", "--set", "epochs=3", "--load", "train=60", "--load", "test=6")


def test_an_interrupted_run_goes_on_where_it_was(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    assert run(capsys, "train", "world", "--out", whole, "--seed", 5, *QUICK)[0] == 0
    assert [entry.name for entry in tmp_path.iterdir()] == ["whole"]

    def interrupted(path: Path, checkpoint: Checkpoint) -> None:
        write_checkpoint(path, checkpoint)
        raise KeyboardInterrupt

    monkeypatch.setattr("r5.agent.fitting.write_checkpoint", interrupted)
    code, _, log = run(capsys, "train", "world", "--out", cut, "--seed", 5, *QUICK)
    assert code == 130
    assert "go on with the same command and --resume" in log
    assert not cut.exists()
    monkeypatch.undo()
    code, _, log = run(capsys, "train", "world", "--out", cut, "--seed", 5, *QUICK)
    assert code == 2
    assert "go on with --resume or start over with --force" in log
    assert "made with the seed 5, not 6" in run(capsys, "train", "world", "--out", cut, "--seed", 6, "--resume")[2]
    assert run(capsys, "train", "world", "--out", cut, "--resume", *QUICK)[0] == 0
    assert (cut / "rules.json").read_bytes() == (whole / "rules.json").read_bytes()
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["cut", "whole"]


def test_resume_needs_a_checkpoint_and_an_engine_that_keeps_one(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    out = tmp_path / "model"
    assert "no checkpoint to go on from" in run(capsys, "train", "world", "--out", out, "--resume")[2]
    r5.GrammarReasoner(restarts=(0.5,)).fit(r5.load("world", train=40).train).save(tmp_path / "model.checkpoint")
    code, _, log = run(capsys, "train", "world", "--out", out, "--engine", "grammar", "--resume")
    assert code == 2
    assert "keeps no checkpoints" in log


def test_evaluate_prints_the_contract(capsys: pytest.CaptureFixture[str], model: Path) -> None:
    code, shown, _ = run(capsys, "evaluate", model, "kinship", *SMALL, "--json")
    assert code == 0
    found = json.loads(shown)
    assert list(found) == ["accuracy", "n", "by_length", "invalid_ratio", "rule_recall", "seconds"]
    assert found["n"] == 35
    assert list(found["by_length"]) == ["4", "5", "6", "7", "8", "9", "10"]
    assert found["accuracy"] > 0.8
    table = run(capsys, "evaluate", model, "kinship", *SMALL)[1]
    assert "rule recall" in table
    assert f"{found['accuracy']:.3f}" in table


def test_rules_as_text_and_json(capsys: pytest.CaptureFixture[str], model: Path) -> None:
    lines = run(capsys, "rules", model, "--top", 3)[1].splitlines()
    assert len(lines) == 3
    assert all(" <= " in line and "p=" in line for line in lines)
    rules = json.loads(run(capsys, "rules", model, "--format", "json", "--min-score", 0.5)[1])
    assert {"head", "body", "probability", "support", "invented"} <= rules[0].keys()
    assert all(rule["probability"] >= 0.5 for rule in rules)
    assert run(capsys, "rules", model, "--min-score", 2)[1] == "no rules\n"
    assert run(capsys, "rules", model, "--format", "xml")[0] == 2


def test_evaluating_on_nothing_is_refused(capsys: pytest.CaptureFixture[str], model: Path, tmp_path: Path) -> None:
    (tmp_path / "family.tsv").write_text("Ann\tmother\tEve\nEve\tbrother\tTom\n")
    code, _, log = run(capsys, "evaluate", model, tmp_path / "family.tsv")
    assert (code, log) == (2, "r5: the test split has no examples: there is nothing to evaluate on\n")


def test_a_model_that_is_none_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for command in (("evaluate", tmp_path, "kinship"), ("rules", tmp_path), ("rules", tmp_path / "nothing")):
        code, shown, log = run(capsys, *command)
        assert (code, shown) == (2, "")
        assert log.startswith("r5: ")
