"""Runs in parallel processes: records, failures, interrupts, and thread counts."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from r5.bench.experiments.plan import Run
from r5.bench.records.store import read_records
from r5.bench.runs import process_pool
from r5.bench.runs.job import Job
from r5.bench.runs.process_pool import run_in_processes
from r5.data.formats.examples.graphlog import write_graphlog
from r5.data.generators.world.dataset import generate_world


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Data folder with a small world in the folder of Re 0."""
    data = generate_world(train=40, valid=5, test=6, train_lengths=(2, 3), test_lengths=(3,))
    write_graphlog(data, tmp_path / "data" / "graphlog" / "re_0")
    return tmp_path / "data"


def test_a_failed_run_does_not_stop_the_others(root: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    facts = {"version": "1"}
    good = [Run("re_0", "grammar", {"restarts": [0.5]}, seed) for seed in range(3)]
    bad = [Run("re_0", "grammar", {"no_such": 1}, 0), Run("re_1", "grammar", {}, 0), Run("re_0", "r6", {}, 0)]
    done = []
    before = dict(os.environ)
    failures = run_in_processes([Job(run, root, out, provenance=facts) for run in (*bad, *good)], 2, done.append)
    assert dict(os.environ) == before
    assert sorted(read_records(out)) == sorted(run.key for run in good)
    assert len(done) == 6
    reasons = {failure.key: failure.reason for failure in failures}
    assert "no setting 'no_such'" in reasons[bad[0].key]
    assert "no such file or folder" in reasons[bad[1].key]
    assert "no engine is called 'r6'" in reasons[bad[2].key]


def test_a_dead_worker_is_reported_and_replaced(root: Path, tmp_path: Path) -> None:
    # A job that ends the process that unpickles it simulates a worker that the system kills.
    good = Run("re_0", "grammar", {"restarts": [0.5]}, 0)
    deadly = Job(good, root, tmp_path / "out", provenance={"bomb": _Deadly()})
    fine = Job(Run("re_0", "grammar", {"restarts": [0.5]}, 1), root, tmp_path / "out", provenance={"version": "1"})
    (failure,) = run_in_processes([deadly, fine], 1)
    assert (failure.key, failure.reason) == (good.key, "the worker ended with the code 7")
    assert list(read_records(tmp_path / "out")) == [fine.run.key]


class _Deadly:
    """Object that ends the process that unpickles it."""

    def __reduce__(self) -> tuple[object, tuple[int]]:
        return os._exit, (7,)


def test_an_interrupt_ends_the_workers(root: Path, tmp_path: Path) -> None:
    runs = [Run("re_0", "grammar", {"restarts": [0.5]}, seed) for seed in range(9)]

    def interrupt(job: Job) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_in_processes([Job(run, root, tmp_path / "out", provenance={"version": "1"}) for run in runs], 1, interrupt)
    assert 1 <= len(read_records(tmp_path / "out")) <= 2


class FakePipe:
    """Pipe that sends these jobs, then closes, and keeps the replies."""

    def __init__(self, *jobs: Job, broken: bool = False) -> None:
        self.jobs = list(jobs)
        self.replies: list[object] = []
        self.broken = broken

    def recv(self) -> Job:
        if not self.jobs:
            raise EOFError
        return self.jobs.pop(0)

    def send(self, reason: object) -> None:
        if self.broken:
            raise BrokenPipeError
        self.replies.append(reason)


@pytest.fixture
def restored_interrupt() -> Iterator[None]:
    before = signal.getsignal(signal.SIGINT)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("restored_interrupt")
def test_a_worker_runs_jobs_until_the_pipe_closes(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    good = Job(Run("re_0", "grammar", {"restarts": [0.5]}, 0), root, tmp_path, provenance={"version": "1"})
    wrong = Job(Run("re_0", "grammar", {"restarts": "x"}, 0), root, tmp_path)
    script = FakePipe(good, wrong)
    process_pool._serve(script)  # type: ignore[arg-type]
    assert script.replies[0] is None
    assert "restarts" in str(script.replies[1])
    assert list(read_records(tmp_path)) == [good.run.key]
    assert signal.getsignal(signal.SIGINT) == signal.SIG_IGN

    monkeypatch.setattr(process_pool, "run_job", lambda job, read: 1 / 0)
    broken = FakePipe(good)
    process_pool._serve(broken)  # type: ignore[arg-type]
    assert "ZeroDivisionError" in str(broken.replies[0])
    assert "Traceback" in str(broken.replies[0])
    process_pool._serve(FakePipe(good, good, broken=True))  # type: ignore[arg-type]


def test_thread_counts_are_restored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "5")
    monkeypatch.delenv("MKL_NUM_THREADS", raising=False)
    with process_pool._single_threaded():
        assert (os.environ["OMP_NUM_THREADS"], os.environ["MKL_NUM_THREADS"]) == ("1", "1")
    assert os.environ["OMP_NUM_THREADS"] == "5"
    assert "MKL_NUM_THREADS" not in os.environ
