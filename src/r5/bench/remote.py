"""Independent runs on the workers of a cluster; their records come back and are written here, as by the pool."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from r5.bench.pool import Failure
from r5.bench.store import write_record
from r5.bench.work import Job, load_data, perform, warm_up
from r5.errors import R5Error
from r5.parallel.cluster import Cluster

__all__ = ["run_there"]


class _Performer:
    """Does one run after the other in a worker; keeps the last data and the engines that are compiled."""

    def __init__(self) -> None:
        self._warm: set[str] = set()
        self._read: Callable[..., Any] | None = None

    def __call__(self, job: Job) -> list[dict[str, Any]] | str:
        """The records, or what went wrong."""
        try:
            self._read = self._read or lru_cache(maxsize=1)(load_data)
            if job.run.engine not in self._warm:
                warm_up(job.run.engine)
                self._warm.add(job.run.engine)
            return perform(job, self._read)
        except R5Error as error:
            return str(error)
        except Exception:  # the others go on; this one is told at the end, with where it went wrong
            return traceback.format_exc()


def run_there(jobs: Sequence[Job], cluster: Cluster, done: Callable[[Job], None] | None = None) -> list[Failure]:
    """Do all jobs; each record is written as it comes, so that nothing that is done is done again."""
    failures: dict[int, Failure] = {}

    def heard(place: int, found: list[dict[str, Any]] | str) -> None:
        job = jobs[place]
        if isinstance(found, str):
            failures[place] = Failure(job.run.key, found)
        else:
            for record in found:
                write_record(job.out, record)
        if done is not None:
            done(job)

    cluster.map(_Performer(), jobs, on_result=heard)
    return [failures[place] for place in sorted(failures)]
