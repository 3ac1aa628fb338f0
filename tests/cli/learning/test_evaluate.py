"""`r5 evaluate`: output, and errors of invalid models and data."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import r5
from tests.helpers.commands import run

SMALL = ("--load", "train=300", "--load", "test=5")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models") / "model"
    data = r5.load("kinship", train=300, test=5)
    r5.GrammarReasoner(seed=0, restarts=(0.5,)).fit(data.train).save(folder)
    return folder


def test_json_has_the_keys_of_the_contract(capsys: pytest.CaptureFixture[str], model: Path) -> None:
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


def test_wrong_edges_are_estimated_and_logged(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    kind = {"relations": 12, "rules": 20, "systematic": False, "test": 300}
    r5.GrammarReasoner(seed=0).fit(r5.load("world", **kind, train=400).train).save(tmp_path / "model")
    options = [text for key, value in kind.items() for text in ("--load", f"{key}={json.dumps(value)}")]
    ask = ("evaluate", tmp_path / "model", "world", *options, "--load", "train=400", "--load", "wrong_edges=0.15")
    code, _, log = run(capsys, *ask, "--wrong-edges", "estimate")
    assert code == 0
    assert log in {
        f"--wrong-edges {share}, estimated from the paths of the queries\n" for share in ("0.12", "0.15", "0.2")
    }
    assert run(capsys, *ask, "--wrong-edges", "0.15")[2] == ""


def test_rules_as_text_and_json(capsys: pytest.CaptureFixture[str], model: Path) -> None:
    lines = run(capsys, "rules", model, "--top", 3)[1].splitlines()
    assert len(lines) == 3
    assert all(" <= " in line and "p=" in line for line in lines)
    rules = json.loads(run(capsys, "rules", model, "--format", "json", "--min-score", 0.5)[1])
    assert {"head", "body", "probability", "support", "invented"} <= rules[0].keys()
    assert all(rule["probability"] >= 0.5 for rule in rules)
    assert run(capsys, "rules", model, "--min-score", 2)[1] == "no rules\n"
    assert run(capsys, "rules", model, "--format", "xml")[0] == 2


def test_an_empty_split_is_refused(capsys: pytest.CaptureFixture[str], model: Path, tmp_path: Path) -> None:
    (tmp_path / "family.tsv").write_text("Ann\tmother\tEve\nEve\tbrother\tTom\n")
    code, _, log = run(capsys, "evaluate", model, tmp_path / "family.tsv")
    assert (code, log) == (
        2,
        "r5: the test split has no examples to evaluate on; give a folder with a file test beside train\n",
    )


def test_a_folder_without_a_model_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for command in (("evaluate", tmp_path, "kinship"), ("rules", tmp_path), ("rules", tmp_path / "nothing")):
        code, shown, log = run(capsys, *command)
        assert (code, shown) == (2, "")
        assert log.startswith("r5: ")
