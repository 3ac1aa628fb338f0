"""Independent runs side by side, each worker with one thread; what is finished is on the disk and stays there."""

from __future__ import annotations

import os
import signal
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess

from r5.bench.store import write_record
from r5.bench.work import Job, load_data, perform, warm_up
from r5.errors import R5Error

__all__ = ["Failure", "run_all"]

_THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")


@dataclass(frozen=True)
class Failure:
    """A run that came to nothing, and why."""

    key: str
    reason: str


@dataclass
class _Worker:
    process: SpawnProcess
    pipe: Connection
    job: Job | None = None


def run_all(jobs: Sequence[Job], workers: int, done: Callable[[Job], None] | None = None) -> list[Failure]:
    """Do all jobs, each of which writes its record to its own file; failures do not stop the others.

    Whatever ends this early, an interrupt too, ends the workers.
    """
    waiting = list(reversed(jobs))
    failures: list[Failure] = []
    crew: list[_Worker] = []
    with _single_threaded():
        try:
            while waiting or crew:
                while waiting and len(crew) < workers:
                    crew.append(_start())
                for worker in [worker for worker in crew if worker.job is None]:
                    if waiting:
                        worker.job = waiting.pop()
                        worker.pipe.send(worker.job)
                    else:
                        _end(worker)
                        crew.remove(worker)
                for worker in _ready(crew):
                    failure = _outcome(worker)
                    if failure is not None:
                        failures.append(failure)
                    if not worker.process.is_alive():
                        _end(worker)
                        crew.remove(worker)
                    if done is not None and worker.job is not None:
                        done(worker.job)
                    worker.job = None
        finally:
            for worker in crew:
                worker.process.kill()
                _end(worker)
    return failures


def _start() -> _Worker:
    context = get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs,), daemon=True)
    process.start()
    theirs.close()
    return _Worker(process, ours)


def _end(worker: _Worker) -> None:
    """Without its pipe a worker has nothing more to do."""
    worker.pipe.close()
    worker.process.join()


def _ready(crew: Sequence[_Worker]) -> list[_Worker]:
    """The workers that have something to say, or have died."""
    if not crew:
        return []
    found = wait([worker.pipe for worker in crew])
    return [worker for worker in crew if worker.pipe in found]


def _outcome(worker: _Worker) -> Failure | None:
    key = "" if worker.job is None else worker.job.run.key
    try:
        reason = worker.pipe.recv()
    except (EOFError, OSError):
        worker.process.join()
        return Failure(key, f"the worker ended with the code {worker.process.exitcode}")
    return None if reason is None else Failure(key, reason)


def _serve(pipe: Connection) -> None:
    """A worker: take a job, do it, say how it went; until the pipe closes."""
    # Ctrl-C reaches all processes of a terminal; the parent decides what becomes of the workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    read = lru_cache(maxsize=1)(load_data)
    warm: set[str] = set()
    while True:
        try:
            job: Job = pipe.recv()
        except (EOFError, OSError):
            return
        reason = None
        try:
            if job.run.engine not in warm:
                warm_up(job.run.engine)
                warm.add(job.run.engine)
            for record in perform(job, read):
                write_record(job.out, record)
        except R5Error as error:
            reason = str(error)
        except Exception:  # the others go on; this one is told at the end, with where it went wrong
            reason = traceback.format_exc()
        try:
            pipe.send(reason)
        except OSError:
            return


@contextmanager
def _single_threaded() -> Iterator[None]:
    """Workers started in here compute with one thread each, so that as many as there are cores do not crowd."""
    before = {name: os.environ.get(name) for name in _THREADS}
    os.environ.update(dict.fromkeys(_THREADS, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
