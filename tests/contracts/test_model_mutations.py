"""Damaged and malicious model folders end in an answer or an `R5Error`, in little memory.

A few hundred are tried each time; `R5_FUZZ=10000` tries as many as it says.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers.documentation import ROOT
from tests.helpers.model_mutations import NAMES, mutate, sign, write_models

COUNT = int(os.environ.get("R5_FUZZ", "300"))


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    write_models(folder)
    return folder


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited in the way of Linux")
def test_mutated_models_answer_or_are_refused(models: Path) -> None:
    """In a program of its own, so that a crash, too much memory or a loop without end are told from a refusal."""
    command = [sys.executable, "-m", "tests.helpers.model_mutations", str(models), "0", str(COUNT)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"ended with {done.returncode} at {done.stderr.splitlines()[-1:]}"
    found = json.loads(done.stdout)
    assert found["failures"] == []
    assert sum(found["outcomes"].values()) == COUNT
    for engine in ("grammar", "r5"):
        ends = {name.split()[-1] for name in found["outcomes"] if name.startswith(engine)}
        assert ends >= {"refused", "answers"}


def test_mutations_change_something_and_are_the_same_each_time(models: Path) -> None:
    files = {name: (models / "grammar" / name).read_bytes() for name in NAMES}
    kinds = set()
    same = 0
    for number in range(200):
        kind, changed = mutate(files, number)
        assert mutate(files, number) == (kind, changed)
        kinds.add(kind)
        same += changed in (files, sign(files))
    assert kinds == {"arrays", "bytes", "setting", "shape", "text", "value"}
    assert same < 20
