"""Runs side by side in processes of their own: all are done, failures are told, results are on the disk."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from r5.bench import pool
from r5.bench.plan import Run
from r5.bench.pool import run_all
from r5.bench.store import read_records
from r5.bench.work import Job
from r5.data.formats.graphlog import write_graphlog
from r5.data.generators.world.dataset import generate_world


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder of all data, with a small world in the place of Re 0."""
    data = generate_world(train=40, valid=5, test=6, train_lengths=(2, 3), test_lengths=(3,))
    write_graphlog(data, tmp_path / "data" / "graphlog" / "re_0")
    return tmp_path / "data"


def test_all_are_done_and_one_that_fails_does_not_stop_the_others(root: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    facts = {"version": "1"}
    good = [Run("re_0", "grammar", {"restarts": [0.5]}, seed) for seed in range(3)]
    bad = [Run("re_0", "grammar", {"no_such": 1}, 0), Run("re_1", "grammar", {}, 0), Run("re_0", "r6", {}, 0)]
    told = []
    before = dict(os.environ)
    failures = run_all([Job(run, root, out, facts=facts) for run in (*bad, *good)], 2, told.append)
    assert dict(os.environ) == before
    assert sorted(read_records(out)) == sorted(run.key for run in good)
    assert len(told) == 6
    reasons = {failure.key: failure.reason for failure in failures}
    assert "no setting 'no_such'" in reasons[bad[0].key]
    assert "no such file or folder" in reasons[bad[1].key]
    assert "no engine is called 'r6'" in reasons[bad[2].key]


def test_a_worker_that_dies_is_told_and_another_goes_on(root: Path, tmp_path: Path) -> None:
    # A job that ends the process which unpacks it stands for a worker that the system kills.
    good = Run("re_0", "grammar", {"restarts": [0.5]}, 0)
    deadly = Job(good, root, tmp_path / "out", facts={"bomb": _Deadly()})
    fine = Job(Run("re_0", "grammar", {"restarts": [0.5]}, 1), root, tmp_path / "out", facts={"version": "1"})
    (failure,) = run_all([deadly, fine], 1)
    assert (failure.key, failure.reason) == (good.key, "the worker ended with the code 7")
    assert list(read_records(tmp_path / "out")) == [fine.run.key]


class _Deadly:
    """Ends the process that unpacks it."""

    def __reduce__(self) -> tuple[object, tuple[int]]:
        return os._exit, (7,)


def test_an_interrupt_ends_the_workers(root: Path, tmp_path: Path) -> None:
    runs = [Run("re_0", "grammar", {"restarts": [0.5]}, seed) for seed in range(9)]

    def interrupt(job: Job) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_all([Job(run, root, tmp_path / "out", facts={"version": "1"}) for run in runs], 1, interrupt)
    assert 1 <= len(read_records(tmp_path / "out")) <= 2


class Script:
    """A pipe that hands out these jobs and then closes, and keeps what is said."""

    def __init__(self, *jobs: Job, deaf: bool = False) -> None:
        self.jobs = list(jobs)
        self.said: list[object] = []
        self.deaf = deaf

    def recv(self) -> Job:
        if not self.jobs:
            raise EOFError
        return self.jobs.pop(0)

    def send(self, reason: object) -> None:
        if self.deaf:
            raise BrokenPipeError
        self.said.append(reason)


@pytest.fixture
def restored_interrupt() -> Iterator[None]:
    before = signal.getsignal(signal.SIGINT)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("restored_interrupt")
def test_a_worker_does_one_job_after_another(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    good = Job(Run("re_0", "grammar", {"restarts": [0.5]}, 0), root, tmp_path, facts={"version": "1"})
    wrong = Job(Run("re_0", "grammar", {"restarts": "x"}, 0), root, tmp_path)
    script = Script(good, wrong)
    pool._serve(script)  # type: ignore[arg-type]
    assert script.said[0] is None
    assert "restarts" in str(script.said[1])
    assert list(read_records(tmp_path)) == [good.run.key]
    assert signal.getsignal(signal.SIGINT) == signal.SIG_IGN

    monkeypatch.setattr(pool, "perform", lambda job, read: 1 / 0)
    broken = Script(good)
    pool._serve(broken)  # type: ignore[arg-type]
    assert "ZeroDivisionError" in str(broken.said[0])
    assert "Traceback" in str(broken.said[0])
    pool._serve(Script(good, good, deaf=True))  # type: ignore[arg-type]


def test_thread_counts_are_restored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "5")
    monkeypatch.delenv("MKL_NUM_THREADS", raising=False)
    with pool._single_threaded():
        assert (os.environ["OMP_NUM_THREADS"], os.environ["MKL_NUM_THREADS"]) == ("1", "1")
    assert os.environ["OMP_NUM_THREADS"] == "5"
    assert "MKL_NUM_THREADS" not in os.environ
