"""Runs on knowledge graphs: training, ranking of the test facts, and the record."""

from __future__ import annotations

import json
import resource
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from r5._util.files.reading import list_files, parse_json, read_text
from r5._util.files.writing import write_text
from r5.bench.environment import describe
from r5.errors import DataError

__all__ = [
    "GraphJob",
    "GraphRecord",
    "read_graph_records",
    "run_graph_job",
    "run_graph_jobs",
    "write_graph_results",
]

GraphRecord = dict[str, Any]
FORMAT = 1
_NEEDED = ("key", "data", "seed", "mrr", "hits", "seconds", "rules", "calibration_error")


@dataclass(frozen=True, slots=True)
class GraphJob:
    """A data set and a seed."""

    data: str
    folder: str
    seed: int
    title: str = ""
    """Name of the data set in tables; the short name by default."""
    inductive: bool = False
    """Take the queries of the folder of the same name with `_ind` at the end."""

    @property
    def key(self) -> str:
        """File name of the run."""
        return f"{self.data}_{self.seed}"


def run_graph_job(job: GraphJob) -> GraphRecord:
    """Train and rank; the times exclude loading and compilation.

    Queries of inductive data are answered on its inference graph, whose entities are the candidates.
    """
    import r5
    from r5.data.formats.triples import load_triples
    from r5.knowledge.calibration import calibration_by_chance, calibration_error
    from r5.knowledge.top_answers import top_answers

    data = load_triples(job.folder, inductive=job.inductive)
    inference = data.inference or data
    graph = None if data.inference is None else inference.graph
    small = r5.load("library", members=20, books=12)
    r5.rank(r5.ChainReasoner(seed=0).fit(small.train), small.test)
    start, used = time.perf_counter(), time.process_time()
    model = r5.ChainReasoner(seed=job.seed).fit(data.train, data.valid)
    seconds, used = time.perf_counter() - start, time.process_time() - used
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # entities without facts are in most test splits
        found = r5.rank(model, inference.test, (inference.train.pool, inference.valid, inference.test), graph=graph)
    first = top_answers(model, inference, inference.test, graph)
    shares = [one.share for one in first]
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)
    return {
        "key": job.key,
        "data": job.data,
        "title": job.title or job.data,
        "inductive": data.inference is not None,
        "seed": job.seed,
        **{name: value for name, value in found.to_json().items() if name != "seconds"},
        "seconds": seconds,
        "cpu_seconds": used,
        "ranking_seconds": found.seconds,
        "queries_per_second": found.n / found.seconds,
        "rules": model.summary_["rules"],
        "facts": data.train.pool.number_of_edges,
        "calibration_error": calibration_error(shares, [one.right for one in first]),
        "calibration_by_chance": calibration_by_chance(shares),
        "peak_megabytes": round(memory),
        "settings": model.get_params(),
        **describe(),
    }


def run_graph_jobs(jobs: Sequence[GraphJob], out: Path, done: Callable[[GraphJob], None] | None = None) -> None:
    """Run one job after the other, each in a new process, and write its record when it ends.

    Args:
        jobs: The jobs.
        out: Folder of results.
        done: Function that is called after each job.
    """
    context = get_context("spawn")
    for job in jobs:
        with ProcessPoolExecutor(max_workers=1, mp_context=context) as pool:
            record = pool.submit(run_graph_job, job).result()
        write_text(out / "graph-runs" / f"{job.key}.json", json.dumps(record, indent=1) + "\n", force=True)
        if done is not None:
            done(job)


def read_graph_records(out: Path) -> dict[str, GraphRecord]:
    """Return the records in a folder of results by key; the file of a single run overrides `graphs.json`."""
    found: dict[str, GraphRecord] = {}
    combined = out / "graphs.json"
    if combined.is_file():
        content = parse_json(read_text(combined), combined)
        if (
            not isinstance(content, dict)
            or content.get("format") != FORMAT
            or not isinstance(content.get("runs"), list)
        ):
            raise DataError(f"is not a results file of format {FORMAT}", combined)
        found.update((record["key"], record) for record in (_check_record(one, combined) for one in content["runs"]))
    for path in list_files(out / "graph-runs", "*.json"):
        record = _check_record(parse_json(read_text(path), path), path)
        found[record["key"]] = record
    return found


def write_graph_results(out: Path, records: dict[str, GraphRecord]) -> None:
    """Write all records to `graphs.json`."""
    ordered = [records[key] for key in sorted(records)]
    text = json.dumps({"format": FORMAT, "runs": ordered}, indent=1, ensure_ascii=False) + "\n"
    write_text(out / "graphs.json", text, force=True)


def _check_record(record: Any, path: Path) -> GraphRecord:
    if not isinstance(record, dict) or any(key not in record for key in _NEEDED):
        raise DataError(f"is not the record of a run: expected {', '.join(_NEEDED)}", path)
    return record
