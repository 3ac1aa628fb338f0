"""`r5 bench paper` on small worlds."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import r5.cli.benchmarks.paper as command
from r5.bench import paper
from r5.bench.runs.process_pool import Failure
from r5.data.formats.examples.graphlog import write_graphlog
from r5.data.generators.world.dataset import generate_world
from r5.errors import need
from tests.helpers.commands import run


@pytest.fixture
def root(tmp_path: Path) -> Path:
    data = generate_world(train=40, valid=5, test=6, train_lengths=(2, 3), test_lengths=(3,))
    write_graphlog(data, tmp_path / "data" / "graphlog" / "re_0")
    return tmp_path / "data"


def words(root: Path, out: Path, *more: object) -> tuple[object, ...]:
    small = ("--experiments", "re", "--engines", "grammar", "--data", root, "--out", out)
    return ("bench", "paper", *small, *more)


def test_tables_figures_and_results_are_written(capsys: pytest.CaptureFixture[str], tmp_path: Path, root: Path) -> None:
    out = tmp_path / "out"
    code, shown, log = run(capsys, *words(root, out, "--seeds", 2, "--jobs", 1))
    assert code == 0
    assert "| Re 0 | R5 | .665 ± .06 |" in shown
    assert "| Re 0 | grammar |  | 1.000 ± .000 |" in shown
    assert f"not in {root}: re_1, re_2, from R5, https://github.com/sluxsr/r5_graph_reasoning" in log
    assert "re_0: the files in" in log
    assert "2 runs, 0 of them done before; 1 at a time" in log
    assert (out / "tables.md").read_text().rstrip() == shown.rstrip()
    records = json.loads((out / "results.json").read_text())["runs"]
    assert [record["seed"] for record in records] == [0, 1]
    assert {"version", "commit", "libraries", "hyperparameters", "data_sha256", "protocol"} <= set(records[0])

    code, again, log = run(capsys, *words(root, out, "--seeds", 2, "--json", "--quiet"))
    assert (code, log) == (0, "")
    found = json.loads(again)
    assert (found["runs"], found["missing"], found["failed"]) == (2, ["re_1", "re_2"], {})
    assert found["figures"][0]["accuracy"] == {"mean": 1.0, "spread": 0.0, "runs": 2}


def test_a_killed_benchmark_repeats_no_finished_run(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, root: Path
) -> None:
    out = tmp_path / "out"
    call = [str(word) for word in words(root, out, "--seeds", 6, "--jobs", 1, "--quiet")]
    process = subprocess.Popen([sys.executable, "-m", "r5", *call], stdout=subprocess.DEVNULL)
    finished: list[Path] = []
    for _ in range(600):
        time.sleep(0.05)
        finished = sorted((out / "runs").glob("*.json"))
        if len(finished) >= 2 or process.poll() is not None:
            break
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert 2 <= len(finished) < 6
    before = {path: (path.stat().st_ino, path.stat().st_mtime_ns) for path in finished}
    time.sleep(0.5)  # its worker may write what it was at, and ends then
    code, _, log = run(capsys, *words(root, out, "--seeds", 6, "--jobs", 1))
    assert code == 0
    done_before = int(log.split(" runs, ")[1].split()[0])
    assert len(finished) <= done_before < 6
    assert {path: (path.stat().st_ino, path.stat().st_mtime_ns) for path in finished} == before
    assert len(list((out / "runs").glob("*.json"))) == 6


def test_an_interruption_logs_how_to_continue(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*arguments: object) -> list[Failure]:
        raise KeyboardInterrupt

    monkeypatch.setattr(paper, "run_in_processes", interrupted)
    code, shown, log = run(capsys, *words(root, tmp_path / "out"))
    assert (code, shown) == (130, "")
    assert f"finished runs are kept in {tmp_path / 'out'}; the same command continues with the rest" in log


def test_runs_that_share_a_training_are_counted_each(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paper, "run_in_processes", lambda jobs, workers, done: [])
    both = ("--experiments", "clutrr-k23,clutrr-k23-long", "--engines", "story-gru", "--seeds", 1, "--stand-ins")
    code, _, log = run(capsys, "bench", "paper", *both, "--data", tmp_path / "none", "--out", tmp_path / "out")
    assert code == 0
    assert "2 runs, 0 of them done before; 1 at a time" in log


def test_a_failed_run_is_named_and_the_exit_code_is_1(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paper, "run_in_processes", lambda jobs, workers, done: [Failure(jobs[0].run.key, "no luck")])
    monkeypatch.setattr(paper, "write_figures", lambda *arguments: (_ for _ in ()).throw(need("matplotlib", "plots")))
    code, shown, log = run(capsys, *words(root, tmp_path / "out", "--json"))
    assert code == 1
    assert "failed: no luck" in log
    assert "no figures: matplotlib is not installed" in log
    assert list(json.loads(shown)["failed"].values()) == ["no luck"]


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--engines", "r6"), "no engine of these experiments is called 'r6'; expected r5, grammar"),
        (("--datasets", "re_9"), "no data set of the experiments is called 're_9'"),
        (("--experiments", "table-4"), "no experiment is called 'table-4'; expected clutrr-k23"),
        (("--datasets", "re_1"), "there is no data to run on: not in"),
        (("--seeds", "0"), "--seeds"),
    ],
)
def test_wrong_arguments_are_errors_in_one_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, root: Path, more: tuple[str, ...], message: str
) -> None:
    code, shown, log = run(capsys, *words(root, tmp_path / "out", *more))
    assert (code, shown) == (2, "")
    assert message in log
    assert len(log.splitlines()) == 1


def test_progress_counts_the_runs() -> None:
    assert command._count_runs(None, 3) is None
    told = []
    count = command._count_runs(told.append, 3)
    assert count is not None
    job = paper.Job(paper.Run("re_0", "grammar", {}, 0), Path(), Path())
    count(job)
    assert [(one.done, one.total) for one in told] == [(0, 3), (1, 3)]
    assert told[1].message == job.run.key


def test_a_quick_run_needs_no_data(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    call = ("bench", "paper", "--quick", "--experiments", "re", "--engines", "grammar", "--data", tmp_path / "none")
    code, shown, _ = run(capsys, *call, "--out", tmp_path / "out", "--jobs", 1)
    assert code == 0
    assert "The figures mean nothing" in shown
    assert "| stand-in for Re 0 | grammar |" in shown
