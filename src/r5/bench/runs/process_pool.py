"""Independent runs in parallel processes with one thread each; each record is written when its run ends."""

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

from r5.bench.records.store import write_record
from r5.bench.runs.job import Job, load_data, run_job, warm_up
from r5.errors import R5Error

__all__ = ["Failure", "run_in_processes"]

_THREAD_VARIABLES = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")


@dataclass(frozen=True)
class Failure:
    """A run that failed, and the reason."""

    key: str
    reason: str


@dataclass
class _Worker:
    """A process, the pipe to it, and its job."""

    process: SpawnProcess
    pipe: Connection
    job: Job | None = None


def run_in_processes(jobs: Sequence[Job], workers: int, done: Callable[[Job], None] | None = None) -> list[Failure]:
    """Run all jobs; each writes its record to its own file, and a failure does not stop the others.

    Any exception, an interrupt included, ends the workers.

    Args:
        jobs: The jobs, in the order of their start.
        workers: Number of processes.
        done: Function that is called after each job.

    Returns:
        The runs that failed.
    """
    waiting = list(reversed(jobs))
    failures: list[Failure] = []
    pool: list[_Worker] = []
    with _single_threaded():
        try:
            while waiting or pool:
                while waiting and len(pool) < workers:
                    pool.append(_start())
                for worker in [worker for worker in pool if worker.job is None]:
                    if waiting:
                        worker.job = waiting.pop()
                        worker.pipe.send(worker.job)
                    else:
                        _stop(worker)
                        pool.remove(worker)
                for worker in _ready_workers(pool):
                    failure = _receive(worker)
                    if failure is not None:
                        failures.append(failure)
                    if not worker.process.is_alive():
                        _stop(worker)
                        pool.remove(worker)
                    if done is not None and worker.job is not None:
                        done(worker.job)
                    worker.job = None
        finally:
            for worker in pool:
                worker.process.kill()
                _stop(worker)
    return failures


def _start() -> _Worker:
    context = get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs,), daemon=True)
    process.start()
    theirs.close()
    return _Worker(process, ours)


def _stop(worker: _Worker) -> None:
    """Close the pipe, which ends the worker, and wait for its end."""
    worker.pipe.close()
    worker.process.join()


def _ready_workers(pool: Sequence[_Worker]) -> list[_Worker]:
    """Return the workers that have sent a message or have died."""
    if not pool:
        return []
    found = wait([worker.pipe for worker in pool])
    return [worker for worker in pool if worker.pipe in found]


def _receive(worker: _Worker) -> Failure | None:
    """Return the failure of a worker's job, None if it succeeded."""
    key = "" if worker.job is None else worker.job.run.key
    try:
        reason = worker.pipe.recv()
    except (EOFError, OSError):
        worker.process.join()
        return Failure(key, f"the worker ended with the code {worker.process.exitcode}")
    return None if reason is None else Failure(key, reason)


def _serve(pipe: Connection) -> None:
    """Run the jobs that the pipe sends, and send the result of each, until the pipe closes."""
    # Ctrl-C reaches all processes of a terminal; only the parent handles it.
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
            for record in run_job(job, read):
                write_record(job.out, record)
        except R5Error as error:
            reason = str(error)
        except Exception:  # other jobs continue; the traceback is reported at the end
            reason = traceback.format_exc()
        try:
            pipe.send(reason)
        except OSError:
            return


@contextmanager
def _single_threaded() -> Iterator[None]:
    """Limit numeric libraries in processes that start in this context to one thread each."""
    saved = {name: os.environ.get(name) for name in _THREAD_VARIABLES}
    os.environ.update(dict.fromkeys(_THREAD_VARIABLES, "1"))
    try:
        yield
    finally:
        for name, value in saved.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
