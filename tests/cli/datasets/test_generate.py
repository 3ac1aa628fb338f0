"""`r5 generate` of algebras: data sets read back, wrong arguments are refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

import r5
from r5.cli.main import app

RUN = CliRunner()
FEW = ["--train", "12", "--valid", "0", "--test", "9", "--seed", "0", "--quiet"]


@pytest.mark.parametrize("command", [["rcc8"], ["interval"], ["algebra", "directions"]])
def test_a_generated_data_set_reads_back(tmp_path: Path, command: list[str]) -> None:
    ran = RUN.invoke(app, ["generate", *command, str(tmp_path / "out"), *FEW])
    assert ran.exit_code == 0, ran.output
    data = r5.load(tmp_path / "out")
    assert (len(data.train), len(data.test)) == (12, 9)
    assert set(data.test.hops) == {5, 7, 9}


def test_an_existing_data_set_is_kept(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("mine")
    assert RUN.invoke(app, ["generate", "rcc8", str(tmp_path / "out"), *FEW]).exit_code != 0
    assert (tmp_path / "out" / "mine.txt").read_text() == "mine"


def test_an_unknown_algebra_is_refused(tmp_path: Path) -> None:
    ran = RUN.invoke(app, ["generate", "algebra", "rcc5", str(tmp_path / "out"), *FEW])
    assert ran.exit_code != 0
    assert not (tmp_path / "out").exists()
