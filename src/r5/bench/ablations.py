"""Ablation studies: one engine with each of its mechanisms switched off alone, on data sets and generated worlds."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from r5._util.files.reading import parse_json, read_text
from r5._util.files.writing import write_text
from r5.bench.markdown import dataset_label, format_share, markdown_table
from r5.bench.worlds import draw_shifted_world, draw_world
from r5.data.catalogue import known
from r5.data.registry import load
from r5.dataset import Dataset
from r5.errors import DataError
from r5.evaluation import evaluate
from r5.knowledge.calibration import calibration_error
from r5.reasoners.grammar import GrammarReasoner
from r5.reasoners.registry import make_reasoner

__all__ = ["Ablation", "AblationJob", "ablation_tables", "jobs_of", "read_ablation", "read_records", "run_all"]

FORMAT = 1
_BINS = 15
_KEYS = {"title", "engine", "settings", "data", "worlds", "shifted", "rows"}


@dataclass(frozen=True, slots=True)
class AblationRow:
    """Settings of one row; `answering` changes the fitted model of the first row."""

    name: str
    settings: Mapping[str, Any]
    answering: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Ablation:
    """One study: the first row has every mechanism, each other row lacks one."""

    title: str
    engine: str
    settings: Mapping[str, Any]
    data: tuple[str, ...]
    worlds: Mapping[str, int]
    """Number of the first generated world, their count, and limits of their options."""
    shifted: Mapping[str, int]
    """The same for worlds with another share of wrong edges in test than in training."""
    rows: tuple[AblationRow, ...]


@dataclass(frozen=True, slots=True)
class AblationJob:
    """One data set, on which all rows are run."""

    study: Ablation
    data: str
    root: Path

    def load(self) -> tuple[Dataset, dict[str, Any]]:
        """Return the data set, and the options of a generated world."""
        kind, _, number = self.data.partition("-")
        if kind not in ("world", "shifted"):
            return load(known(self.data).place(self.root)), {}
        limits = self.study.worlds if kind == "world" else self.study.shifted
        draw = draw_world if kind == "world" else draw_shifted_world
        world = draw(int(number), **{name: value for name, value in limits.items() if name not in ("first", "count")})
        return world.data, world.options


def read_ablation(path: Path) -> Ablation:
    """Return the study of a YAML file.

    Raises:
        DataError: The file lacks a key, or has an unknown one.
    """
    content = yaml.safe_load(read_text(path))
    if not isinstance(content, dict) or set(content) - _KEYS or {"engine", "rows"} - set(content):
        raise DataError(f"expected the keys {', '.join(sorted(_KEYS))}", path)
    rows = tuple(AblationRow(row["name"], row.get("settings", {}), row.get("answering")) for row in content["rows"])
    return Ablation(
        title=content.get("title", path.stem),
        engine=content["engine"],
        settings=content.get("settings", {}),
        data=tuple(content.get("data", ())),
        worlds=content.get("worlds", {}),
        shifted=content.get("shifted", {}),
        rows=rows,
    )


def jobs_of(study: Ablation, root: Path, wanted: Sequence[str] = ()) -> list[AblationJob]:
    """Return one job for each data set that is there and each world, or for those of them that are wanted."""
    there = [name for name in study.data if known(name).state(root) != "missing"]
    generated = (("world", study.worlds), ("shifted", study.shifted))
    worlds = [f"{kind}-{one['first'] + n}" for kind, one in generated if one for n in range(one["count"])]
    names = [*there, *worlds]
    return [AblationJob(study, name, root) for name in names if not wanted or name in wanted]


def run_all(jobs: Sequence[AblationJob], out: Path, done: Callable[[AblationJob], None] | None = None) -> None:
    """Run each job, and write its records as soon as they are there; rows that have a record are skipped."""
    records = read_records(out)
    for job in jobs:
        for record in _run(job, {row for data, row in records if data == job.data}):
            records[job.data, record["row"]] = record
        ordered = [records[key] for key in sorted(records)]
        text = json.dumps({"format": FORMAT, "runs": ordered}, indent=1) + "\n"
        write_text(out / "ablations.json", text, force=True)
        if done is not None:
            done(job)


def read_records(out: Path) -> dict[tuple[str, str], dict[str, Any]]:
    """Return the records of a folder by data set and row."""
    path = out / "ablations.json"
    if not path.is_file():
        return {}
    content = parse_json(read_text(path), path)
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise DataError(f"is not a file of results of the format {FORMAT}", path)
    return {(record["data"], record["row"]): record for record in content["runs"]}


def _run(job: AblationJob, finished: set[str]) -> Iterator[dict[str, Any]]:
    """Yield a record of each row that is not finished."""
    study = job.study
    if all(row.name in finished for row in study.rows):
        return
    data, options = job.load()
    whole, whole_seconds = None, 0.0
    for row in study.rows:
        if row.name in finished:
            continue
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


def ablation_tables(study: Ablation, records: Mapping[tuple[str, str], Mapping[str, Any]]) -> str:
    """Return the tables as Markdown: figures of each data set, and mean changes over worlds with standard errors."""
    base = study.rows[0].name
    sets = [name for name in study.data if (name, base) in records]
    worlds = [data for data, row in records if row == base and data.startswith("world-")]
    shifted = [data for data, row in records if row == base and data.startswith("shifted-")]
    kinds = {"all worlds": worlds} | {
        name: [world for world in worlds if matches(records[world, base]["options"])]
        for name, matches in _KINDS.items()
    }
    groups = {f"{name} ({len(some)})": some for name, some in {**kinds, "shifted": shifted}.items() if some}
    parts = []
    for title, measure in (("Accuracy", "accuracy"), ("Calibration error", "calibration_error")):
        lines = []
        for row in study.rows:
            cells = [format_share(records.get((name, row.name), {}).get(measure)) for name in sets]
            changes = [_change(records, some, (base, row.name), measure) for some in groups.values()]
            lines.append([row.name, *cells, *changes])
        parts.append(markdown_table([title, *map(dataset_label, sets), *groups], lines, keep=1))
    header = ["Seconds", *map(dataset_label, sets), "worlds, training", "worlds, answering"]
    lines = []
    for row in study.rows:
        cells = [_number(records.get((name, row.name), {}).get("training_seconds")) for name in sets]
        found = [records[name, row.name] for name in worlds if (name, row.name) in records]
        means = [[one[key] for one in found] for key in ("training_seconds", "answering_seconds")]
        lines.append([row.name, *cells, *(_number(float(np.mean(some))) if some else "" for some in means)])
    parts.append(markdown_table(header, lines, keep=1))
    return "\n\n".join(parts) + "\n"


_KINDS: dict[str, Callable[[Mapping[str, Any]], bool]] = {
    "no wrong edges": lambda options: options["wrong_edges"] == 0,
    "wrong edges": lambda options: options["wrong_edges"] > 0,
    "at most 500 examples": lambda options: options["train"] <= 500,
    "no path of two": lambda options: options["train_lengths"][0] > 2,
}
"""Kinds of worlds, by their options."""


def _change(
    records: Mapping[tuple[str, str], Mapping[str, Any]], worlds: Sequence[str], rows: tuple[str, str], measure: str
) -> str:
    """Return the mean of the first row, or the mean change to another row with its standard error."""
    base, row = rows
    if row == base:
        return format_share(float(np.mean([records[name, base][measure] for name in worlds])))
    both = [name for name in worlds if (name, row) in records]
    if not both:
        return ""
    changes = np.array([records[name, row][measure] - records[name, base][measure] for name in both])
    error = changes.std(ddof=1) / np.sqrt(changes.size) if changes.size > 1 else 0.0
    return f"{changes.mean():+.4f} ± {error:.4f}"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.1f}" if value >= 1.0 else f"{value:.2f}"
