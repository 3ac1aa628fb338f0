"""`r5 warm-up`: engines, folders, and folders that cannot be written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from r5._util.kernels.cache_folders import CacheFolders
from r5._util.kernels.disk_cache import cache_folders
from r5._util.kernels.signature_table import read_table, select_missing
from tests.helpers.commands import run


def test_the_folder_and_the_number_of_kernels_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [row for row in read_table() if any(task.startswith("grammar ") for task in row.tasks)]
    left = len(select_missing([task for row in rows for task in row.tasks if task.startswith("grammar ")]))
    code, shown, _ = run(capsys, "warm-up", "--engine", "grammar", "--json")
    figures = json.loads(shown)
    assert (code, figures["kernels"], figures["compiled"]) == (0, len(rows), left)
    assert figures["folders"] == [str(folder) for folder in cache_folders().used()] != []
    code, shown, log = run(capsys, "warm-up", "--engine", "grammar")
    assert shown.split("\n")[:-1] == figures["folders"]
    assert log.startswith(f"compiled 0 of {len(rows)} kernels in ")


def test_an_unknown_engine_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, log = run(capsys, "warm-up", "--engine", "lstm")
    assert (code, log) == (2, "r5: lstm has no kernels of its own; expected grammar, chains, r5\n")


def test_a_folder_that_cannot_be_written_is_an_error(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("R5_CACHE_DIR", str(tmp_path / "file"))
    folders = CacheFolders(tmp_path, "d")
    monkeypatch.setattr("r5._util.kernels.disk_cache.cache_folders", lambda: folders)
    monkeypatch.setattr("r5._util.kernels.signature_table.select_missing", lambda _: [0])
    code, _, log = run(capsys, "warm-up")
    assert code == 2
    assert f"no folder can keep the kernels: {tmp_path / 'file'}; name another one in R5_CACHE_DIR" in log
