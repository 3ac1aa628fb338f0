"""The first compilation is announced in every command, once, and is no part of the time of training."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from r5._util.kernels.compile_events import Compilations
from r5.cli.common import first_run


def r5(folder: Path, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    around = {**os.environ, "R5_CACHE_DIR": str(folder / "cache"), **more}
    command = [sys.executable, "-m", "r5", *words]
    return subprocess.run(command, env=around, cwd=folder, capture_output=True, text=True, check=False, timeout=500)


def test_training_announces_its_kernels_and_reports_its_own_time(tmp_path: Path) -> None:
    words = ("train", "kinship", "--engine", "grammar", "--seed", "0", "--load", "train=20", "--load", "test=4")
    start = time.perf_counter()
    first = r5(tmp_path, *words, "--out", "m", "--json")
    assert first.returncode == 0, first.stderr
    assert re.match(r"compiling kernels, once: about \d+ s\n", first.stderr)
    assert json.loads(first.stdout)["seconds"] < (time.perf_counter() - start) / 2
    second = r5(tmp_path, *words, "--out", "m2")
    assert "compiling" not in second.stderr


@pytest.mark.parametrize(
    ("can_write", "told"),
    [(True, "compiling further kernels, once"), (False, "compiling kernels, in each run: no folder can keep them")],
)
def test_other_compilations_are_announced_once_if_they_take_long(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, can_write: bool, told: str
) -> None:
    events = Compilations()
    monkeypatch.setattr(first_run, "COMPILATIONS", events)
    monkeypatch.setattr("r5._util.kernels.cache_folders.CacheFolders.can_write", lambda _: can_write)
    first_run.announce_compilations(quiet=False)
    for seconds in (0.0, 0.4, 2.0, 3.0):
        events._seconds = seconds
        events.begin()
        events.end()
        assert (told in capsys.readouterr().err) == (seconds == 2.0)
    first_run.announce_compilations(quiet=True)
    events.begin()
    assert capsys.readouterr().err == ""


def test_engines_without_kernels_need_no_preparation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(first_run, "compile_rows", lambda *_: pytest.fail("compiled"))
    first_run.prepare_kernels("lstm", "train")
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    first_run.prepare_kernels("grammar", "train")
