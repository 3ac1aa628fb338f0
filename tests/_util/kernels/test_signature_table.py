"""The table of kernels fits the kernels; processes compile its rows ahead of their use."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from r5._util.kernels import signature_table
from r5._util.kernels.precompilation import choose_processes, precompile
from r5._util.kernels.signature_table import KernelSignature, read_table, select_missing

SMALL = "r5._util.kernels.elementary_kernels:_exp_all"


def test_most_rows_name_a_kernel_and_its_types() -> None:
    """If this fails, kernels have changed: run `python -m tools.kernel_table`."""
    rows = read_table()
    assert len(rows) > 30
    lost = []
    for row in rows:
        try:
            row.dispatcher()
            row.signature()
        except (ImportError, AttributeError, ValueError) as error:
            lost.append((row.kernel, str(error)))
    assert len(lost) <= 0.2 * len(rows), lost


def test_each_engine_has_rows_for_training_and_answers() -> None:
    tasks = {task for row in read_table() for task in row.tasks}
    engines = ("grammar", "chains", "r5")
    assert {f"{engine} {command}" for engine in engines for command in ("train", "predict")} <= tasks
    assert {"chains complete", "chains rank", "chains audit", "grammar evaluate"} <= tasks


@pytest.mark.parametrize("text", ["", "[", "{}", '[{"kernel": 1}]', "[1]"])
def test_a_damaged_table_is_empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    (tmp_path / "table.json").write_text(text)
    monkeypatch.setattr(signature_table, "TABLE", tmp_path / "table.json")
    assert read_table.__wrapped__() == ()


def test_rows_of_other_versions_are_left_out() -> None:
    gone = KernelSignature("r5.nowhere:kernel", ("int64",), 1.0, ("grammar train",))
    assert not gone.is_missing()
    wrong = KernelSignature(SMALL, ("int64",), 1.0, ("grammar train",))
    wrong.compile()  # fails in silence: a call would compile what it needs


def test_several_processes_compile_what_is_missing(tmp_path: Path) -> None:
    code = f"""
import json
from r5._util.kernels.precompilation import precompile
from r5._util.kernels.signature_table import read_table, select_missing
names = [{SMALL!r}, {SMALL.replace("_exp_all", "_log_all")!r}]
rows = [row for row in select_missing() if read_table()[row].kernel in names]
seen = []
precompile(rows, 2, seen.append)
left = [row for row in select_missing() if read_table()[row].kernel in names]
print(json.dumps([len(rows), sorted(seen)[-1], left]))
"""
    around = {**os.environ, "R5_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], env=around, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [2, 1.0, []]


def test_a_helper_that_fails_leaves_its_row_to_the_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    precompile([], 3, lambda _: None)
    rows = [place for place, row in enumerate(read_table()) if row.kernel == SMALL]
    assert rows
    precompile(rows, 2, lambda _: None)  # no wait for an answer that never comes


def test_few_seconds_are_not_worth_a_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("r5._util.kernels.precompilation.usable_threads", lambda: 4)
    assert [choose_processes(seconds) for seconds in (0.0, 2.0, 6.0, 100.0)] == [1, 1, 3, 4]
    assert select_missing([]) == []
