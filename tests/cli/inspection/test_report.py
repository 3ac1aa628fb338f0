"""`r5 report` as a user runs it."""

from __future__ import annotations

from pathlib import Path

import pytest

import r5
from r5.cli.main import main


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of `r5 arguments`."""
    capsys.readouterr()
    with pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    assert isinstance(ended.value.code, int)
    return ended.value.code, out, err


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models") / "my-model"
    r5.GrammarReasoner(seed=0, restarts=(0.5,)).fit(r5.load("world", train=200, test=0).train).save(folder)
    return folder


SMALL = ("world", "--load", "train=200", "--load", "test=20")


def test_a_report_is_written(capsys: pytest.CaptureFixture[str], tmp_path: Path, model: Path) -> None:
    out = tmp_path / "report.html"
    code, shown, log = run(capsys, "report", model, *SMALL, "--out", out, "--examples", 5)
    assert (code, shown) == (0, f"{out}\n")
    assert log.startswith("accuracy ")
    assert "on 20 queries" in log
    page = out.read_text(encoding="utf-8")
    assert "my-model" in page
    assert "5 of 20 questions are here" in page


def test_options_of_a_report(capsys: pytest.CaptureFixture[str], tmp_path: Path, model: Path) -> None:
    out = tmp_path / "report.html"
    out.write_text("mine")
    code, shown, log = run(capsys, "report", model, *SMALL, "--out", out)
    assert (code, shown) == (2, "")
    assert log == f"r5: {out}: already exists; choose another name or force it\n"
    assert out.read_text() == "mine"
    code, _, log = run(capsys, "report", model, *SMALL, "--out", out, "--force", "--quiet", "--split", "train")
    assert (code, log) == (0, "")
    assert "train split" in out.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("nowhere", "world"), "nowhere: no such model folder"),
        (("MODEL", "nothing-here"), "nothing-here"),
        (("MODEL", "world", "--split", "dev"), "dev"),
        (("MODEL", "world", "--load", "test=0"), "has no queries with a known answer"),
        (("MODEL", "world", "--examples", "-1"), "greater than or equal to 0"),
    ],
)
def test_wrong_arguments_are_errors_in_one_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, model: Path, arguments: tuple[str, ...], told: str
) -> None:
    out = tmp_path / "report.html"
    given = [model if word == "MODEL" else word for word in arguments]
    code, shown, log = run(capsys, "report", *given, "--out", out)
    assert (code, shown, log.count("\n")) == (2, "", 1)
    assert told in log
    assert not out.exists()
