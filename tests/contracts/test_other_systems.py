"""On a system without fork, file locks and limits of resources, all but the explorer works."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

WITHOUT = """
import os, sys
for name in ("fcntl", "resource", "pwd", "grp", "termios"):
    sys.modules[name] = None
for name in ("fork", "sched_getaffinity", "getuid", "killpg"):
    if hasattr(os, name):
        delattr(os, name)
from r5.cli.main import main
main(sys.argv[1:])
"""


def _run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", WITHOUT, *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=300)


def test_training_and_answering_need_no_unix(tmp_path: Path) -> None:
    words = ("--seed", "0", "--load", "train=30", "--load", "test=4", "--set", "restarts=[0.5]")
    trained = _run(tmp_path, "train", "kinship", "--out", "model", *words)
    assert trained.returncode == 0, trained.stderr
    (tmp_path / "family.tsv").write_text("Ann\tmother\tEve\nEve\tbrother\tTom\n")
    answered = _run(tmp_path, "predict", "model", "family.tsv", "--source", "Ann", "--target", "Tom")
    assert "Ann -> Tom: " in answered.stdout, answered.stderr
    served = _run(tmp_path, "serve", "model", "kinship")
    assert (served.returncode, served.stdout) == (2, "")
    assert "the explorer needs a system with fork: Linux, macOS, or Windows with WSL" in served.stderr


def test_the_commands_of_benchmarks_import_what_every_system_has(tmp_path: Path) -> None:
    for words in (("bench", "graphs", "--help"), ("bench", "discovery", "--help"), ("report", "--help")):
        assert _run(tmp_path, *words).returncode == 0
