"""One run: learn on a graph's training facts, rank its test facts, and keep what came out."""

from __future__ import annotations

import json
import resource
import sys
import time
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

__all__ = ["GraphJob", "GraphRecord", "read_graph_records", "run_all", "run_one", "write_graph_results"]

GraphRecord = dict[str, Any]
FORMAT = 1
_NEEDED = ("key", "data", "seed", "mrr", "hits", "seconds", "rules", "calibration_error")


@dataclass(frozen=True, slots=True)
class GraphJob:
    """A data set to be completed with one seed."""

    data: str
    folder: str
    seed: int

    @property
    def key(self) -> str:
        return f"{self.data}_{self.seed}"


def run_one(job: GraphJob) -> GraphRecord:
    """Train and rank; loading and compiling are not timed."""
    import r5
    from r5.data.formats.triples import load_triples
    from r5.knowledge.calibration import calibration_by_chance, calibration_error
    from r5.knowledge.first_answers import first_answers

    data = load_triples(job.folder)
    small = r5.load("library", members=20, books=12)
    r5.rank(r5.ChainReasoner(seed=0).fit(small.train), small.test)
    start, used = time.perf_counter(), time.process_time()
    model = r5.ChainReasoner(seed=job.seed).fit(data.train, data.valid)
    seconds, used = time.perf_counter() - start, time.process_time() - used
    found = r5.rank(model, data.test, (data.train.pool, data.valid, data.test))
    first = first_answers(model, data, data.test)
    said = [one.share for one in first]
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)
    return {
        "key": job.key,
        "data": job.data,
        "seed": job.seed,
        **{name: value for name, value in found.to_json().items() if name != "seconds"},
        "seconds": seconds,
        "cpu_seconds": used,
        "ranking_seconds": found.seconds,
        "rules": model.summary_["rules"],
        "facts": data.train.pool.number_of_edges,
        "calibration_error": calibration_error(said, [one.right for one in first]),
        "calibration_by_chance": calibration_by_chance(said),
        "peak_megabytes": round(memory),
        "settings": model.get_params(),
        **describe(),
    }


def run_all(jobs: Sequence[GraphJob], out: Path, done: Callable[[GraphJob], None] | None = None) -> None:
    """Each run in a process of its own, one after the other, kept as soon as it is done."""
    context = get_context("spawn")
    for job in jobs:
        with ProcessPoolExecutor(max_workers=1, mp_context=context) as pool:
            record = pool.submit(run_one, job).result()
        write_text(out / "graph-runs" / f"{job.key}.json", json.dumps(record, indent=1) + "\n", force=True)
        if done is not None:
            done(job)


def read_graph_records(out: Path) -> dict[str, GraphRecord]:
    """What is known in a folder of results, by key: all together in `graphs.json`, and runs by themselves."""
    found: dict[str, GraphRecord] = {}
    together = out / "graphs.json"
    if together.is_file():
        content = parse_json(read_text(together), together)
        if (
            not isinstance(content, dict)
            or content.get("format") != FORMAT
            or not isinstance(content.get("runs"), list)
        ):
            raise DataError(f"is not a file of results of the format {FORMAT}", together)
        found.update((record["key"], record) for record in (_checked(one, together) for one in content["runs"]))
    for path in list_files(out / "graph-runs", "*.json"):
        record = _checked(parse_json(read_text(path), path), path)
        found[record["key"]] = record
    return found


def write_graph_results(out: Path, records: dict[str, GraphRecord]) -> None:
    """All runs in `graphs.json`."""
    ordered = [records[key] for key in sorted(records)]
    text = json.dumps({"format": FORMAT, "runs": ordered}, indent=1, ensure_ascii=False) + "\n"
    write_text(out / "graphs.json", text, force=True)


def _checked(record: Any, path: Path) -> GraphRecord:
    if not isinstance(record, dict) or any(key not in record for key in _NEEDED):
        raise DataError(f"is not the record of a run: expected {', '.join(_NEEDED)}", path)
    return record
