"""Runs of an ablation study and their records; rows that have a record are not run again."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from r5._util.files.reading import parse_json, read_text
from r5._util.files.writing import write_text
from r5.bench.ablations.study import AblationJob, AblationRow
from r5.dataset import Dataset
from r5.errors import DataError
from r5.evaluation import evaluate
from r5.knowledge.calibration import calibration_error
from r5.knowledge.top_answers import top_answers
from r5.ranking import rank
from r5.reasoners.grammar import GrammarReasoner
from r5.reasoners.registry import make_reasoner

__all__ = ["Record", "read_records", "run_all"]

Record = dict[str, Any]
FORMAT = 1
_BINS = 15


def run_all(jobs: Sequence[AblationJob], out: Path, done: Callable[[AblationJob], None] | None = None) -> None:
    """Run each job, and write each record as soon as it is there; rows that have a record are skipped."""
    records = read_records(out)
    for job in jobs:
        for record in _run(job, {row for data, row in records if data == job.data}):
            records[job.data, record["row"]] = record
            ordered = [records[key] for key in sorted(records)]
            text = json.dumps({"format": FORMAT, "runs": ordered}, indent=1) + "\n"
            write_text(out / "ablations.json", text, force=True)
        if done is not None:
            done(job)


def read_records(out: Path) -> dict[tuple[str, str], Record]:
    """Return the records of a folder by data set and row."""
    path = out / "ablations.json"
    if not path.is_file():
        return {}
    content = parse_json(read_text(path), path)
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise DataError(f"is not a file of results of the format {FORMAT}", path)
    return {(record["data"], record["row"]): record for record in content["runs"]}


def _run(job: AblationJob, finished: set[str]) -> Iterator[Record]:
    """Yield a record of each row that is not finished."""
    rows = [row for row in job.study.rows if row.name not in finished]
    if not rows:
        return
    if job.data in job.study.graphs:
        yield from _run_graph(job, rows)
    else:
        yield from _run_examples(job, rows)


def _run_graph(job: AblationJob, rows: Sequence[AblationRow]) -> Iterator[Record]:
    """Yield a record of each row on a knowledge graph, the mean over seeds; ranked is `valid`, which trains nothing."""
    data, new = job.load()[0], job.load_new_graph()
    for row in rows:
        runs = []
        for seed in range(job.study.graphs[job.data]):
            settings = {**job.study.settings, "seed": seed, **row.settings}
            start = time.perf_counter()
            model: Any = make_reasoner(job.study.engine, **settings).fit(data.train)
            seconds = time.perf_counter() - start
            ranking = rank(model, data.valid, (data.train.pool, data.test))
            answers = top_answers(model, data, data.valid)
            run = {
                "mrr": ranking.mrr,
                "calibration_error": calibration_error([one.share for one in answers], [one.right for one in answers]),
                "training_seconds": seconds,
                "answering_seconds": ranking.seconds,
            }
            if new is not None:
                run["new_mrr"] = rank(model, new.valid, (new.train.pool, new.test), graph=new.train.pool).mrr
            runs.append(run)
        means = {key: float(np.mean([run[key] for run in runs])) for key in runs[0]}
        yield {"data": job.data, "row": row.name, "options": {}, **means, "seeds": runs}


def _run_examples(job: AblationJob, rows: Sequence[AblationRow]) -> Iterator[Record]:
    """Yield a record of each row on a set of examples."""
    study = job.study
    data, options = job.load()
    whole, whole_seconds = None, 0.0
    for row in rows:
        start = time.perf_counter()
        if row.answering is None:
            model = make_reasoner(study.engine, **{**study.settings, **row.settings}).fit(data.train, data.valid)
            seconds = time.perf_counter() - start
            if whole is None:
                whole, whole_seconds = model, seconds
        else:
            if whole is None:
                whole = make_reasoner(study.engine, **study.settings).fit(data.train, data.valid)
                whole_seconds = time.perf_counter() - start
            model, seconds = whole, whole_seconds
        changes = dict(row.answering or {})
        kept = {name: model.get_params()[name] for name in changes}
        if isinstance(model, GrammarReasoner) and changes.get("wrong_edges") == "estimate":
            changes["wrong_edges"] = model.estimate_wrong_edges(data.test)
        model.set_params(**changes)
        yield {
            "data": job.data,
            "row": row.name,
            "options": options,
            "training_seconds": seconds,
            **_measure(model, data),
        }
        model.set_params(**kept)


def _measure(model: Any, data: Dataset) -> dict[str, Any]:
    """Return accuracy, calibration error and seconds on the test examples."""
    start = time.perf_counter()
    probabilities = model.predict_proba(data.test)
    seconds = time.perf_counter() - start
    right = probabilities.argmax(axis=1) == data.test.answers
    return {
        "accuracy": evaluate(model, data.test).accuracy,
        "calibration_error": calibration_error(probabilities.max(axis=1), right, _BINS),
        "answering_seconds": seconds,
    }
