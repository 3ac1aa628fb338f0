"""`r5 train`: models that can be loaded, and interrupted runs that resume."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import r5
from r5.agent.training.checkpoint import Checkpoint, write_checkpoint
from tests.helpers.commands import run

SMALL = ("--load", "train=300", "--load", "test=5")


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
    assert "already exists" in log
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
        (("--engine", "grammar", "--preset", "paper"), "--preset is for the engine r5; the engine grammar has none"),
        (("--preset", "magic"), "preset"),
    ],
)
def test_train_refuses_unknown_engines_and_settings(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, arguments: tuple[str, ...], words: str
) -> None:
    code, _, log = run(capsys, "train", "kinship", "--out", tmp_path / "m", "--seed", 0, *arguments, *SMALL)
    assert code == 2
    assert words in log
    assert list(tmp_path.iterdir()) == []


QUICK = ("--engine", "r5", "--set", "network=false", "--set", "epochs=3", "--load", "train=60", "--load", "test=6")


def test_a_preset_is_stored_in_the_model(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    quick = ("--set", "epochs=1", "--set", "network=false", "--set", "simulations=8", "--seed", 0)
    found = {}
    for preset in ("paper", "tuned", "auto"):
        arguments = ("--out", tmp_path / preset, "--preset", preset, *quick, *SMALL)
        assert run(capsys, "train", "kinship", *arguments)[0] == 0
        model = r5.load_model(tmp_path / preset)
        assert isinstance(model, r5.R5Reasoner)
        found[preset] = model.settings_
    assert [s.solved_nodes for s in found.values()] == [False, True, True]
    assert [s.combine for s in found.values()] == ["together", "vote", "vote"]
    assert {s.simulations for s in found.values()} == {8}


def test_resume_gives_the_model_of_an_uninterrupted_run(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    assert run(capsys, "train", "world", "--out", whole, "--seed", 5, *QUICK)[0] == 0
    assert [entry.name for entry in tmp_path.iterdir()] == ["whole"]

    def interrupted(path: Path, checkpoint: Checkpoint) -> None:
        write_checkpoint(path, checkpoint)
        raise KeyboardInterrupt

    monkeypatch.setattr("r5.agent.training.fitting.write_checkpoint", interrupted)
    code, _, log = run(capsys, "train", "world", "--out", cut, "--seed", 5, *QUICK)
    assert code == 130
    assert "continue with the same command and --resume" in log
    assert not cut.exists()
    monkeypatch.undo()
    code, _, log = run(capsys, "train", "world", "--out", cut, "--seed", 5, *QUICK)
    assert code == 2
    assert "continue with --resume or start again with --force" in log
    assert "made with the seed 5, not 6" in run(capsys, "train", "world", "--out", cut, "--seed", 6, "--resume")[2]
    assert run(capsys, "train", "world", "--out", cut, "--resume", *QUICK)[0] == 0
    assert (cut / "rules.json").read_bytes() == (whole / "rules.json").read_bytes()
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["cut", "whole"]


def test_resume_needs_a_checkpoint(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = tmp_path / "model"
    assert "no checkpoint to resume" in run(capsys, "train", "world", "--out", out, "--resume")[2]
    r5.GrammarReasoner(restarts=(0.5,)).fit(r5.load("world", train=40).train).save(tmp_path / "model.checkpoint")
    code, _, log = run(capsys, "train", "world", "--out", out, "--engine", "lstm", "--resume")
    assert code == 2
    assert "keeps no checkpoints" in log
