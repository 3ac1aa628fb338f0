"""Independent runs on the workers of a cluster; this process writes their records."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from r5.bench.records.store import write_record
from r5.bench.runs.job import Job, load_data, run_job, warm_up
from r5.bench.runs.process_pool import Failure
from r5.errors import R5Error
from r5.parallel.cluster import Cluster

__all__ = ["run_on_cluster"]


class _JobRunner:
    """Runner of jobs in one worker; keeps the last data set and the names of the compiled engines."""

    def __init__(self) -> None:
        self._compiled: set[str] = set()
        self._read: Callable[..., Any] | None = None

    def __call__(self, job: Job) -> list[dict[str, Any]] | str:
        """Return the records of a job, or the reason of its failure."""
        try:
            self._read = self._read or lru_cache(maxsize=1)(load_data)
            if job.run.engine not in self._compiled:
                warm_up(job.run.engine)
                self._compiled.add(job.run.engine)
            return run_job(job, self._read)
        except R5Error as error:
            return str(error)
        except Exception:  # other jobs continue; the traceback is reported at the end
            return traceback.format_exc()


def run_on_cluster(jobs: Sequence[Job], cluster: Cluster, done: Callable[[Job], None] | None = None) -> list[Failure]:
    """Run all jobs on a cluster; each record is written as soon as it arrives.

    Args:
        jobs: The jobs.
        cluster: The cluster.
        done: Function that is called after each job.

    Returns:
        The runs that failed, in the order of the jobs.
    """
    failures: dict[int, Failure] = {}

    def receive(index: int, found: list[dict[str, Any]] | str) -> None:
        job = jobs[index]
        if isinstance(found, str):
            failures[index] = Failure(job.run.key, found)
        else:
            for record in found:
                write_record(job.out, record)
        if done is not None:
            done(job)

    cluster.map(_JobRunner(), jobs, on_result=receive)
    return [failures[index] for index in sorted(failures)]
