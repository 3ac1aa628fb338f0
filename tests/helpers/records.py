"""Synthetic records of runs."""

from __future__ import annotations

from typing import Any

from r5.bench.experiments.experiment import Experiment
from r5.bench.experiments.folder import load_experiments
from r5.bench.experiments.plan import Run, table_cells

EXPERIMENTS = {experiment.name: experiment for experiment in load_experiments()}
HOPS = EXPERIMENTS["clutrr-k23"]
LENGTHS = {str(hop): {"n": 1, "accuracy": 1 - hop / 100} for hop in HOPS.hops}
"""Accuracies that fall with the number of hops."""


def record(run: Run, accuracy: float = 0.5, **more: Any) -> dict[str, Any]:
    """Return a record with fixed figures."""
    return {
        "key": run.key,
        "data": run.data,
        "engine": run.engine,
        "settings": dict(run.settings),
        "seed": run.seed,
        "examples": run.examples,
        "accuracy": accuracy,
        "n": 10,
        "by_length": {},
        "invalid_ratio": 0.1,
        "rule_recall": 0.9,
        "training_seconds": 2.0,
        "protocol": "by hand",
        "version": "0.0",
        "commit": "abc",
        "python": "3.11",
        "libraries": {"numpy": "2.0"},
        "machine": {"cores": 2},
        **more,
    }


def records_of(experiment: str | Experiment, name: str, data: str, accuracies: list[float], **more: Any) -> Any:
    """Return the records of one table cell by key, one per accuracy, with the seeds 0, 1, ..."""
    chosen = EXPERIMENTS[experiment] if isinstance(experiment, str) else experiment
    cell = next(
        cell for cell in table_cells(chosen, range(len(accuracies))) if (cell.row.name, cell.data) == (name, data)
    )
    return {run.key: record(run, share, **more) for run, share in zip(cell.runs, accuracies, strict=True)}


def records_to_draw() -> dict[str, Any]:
    """Return records of each kind of experiment that has a figure."""
    records = records_of(HOPS, "R5", "data_089907f8", [0.5, 0.6], by_length=LENGTHS)
    records |= records_of(HOPS, "grammar", "data_089907f8", [0.5], by_length=LENGTHS)
    points = [{"restart": 0, "epoch": n, "accuracy": n / 4, "rule_recall": n / 2} for n in (1, 2)]
    records |= records_of("epochs", "R5", "re_2", [0.5], epochs=points)
    for cell in table_cells(EXPERIMENTS["invented"], [0]):
        records |= {run.key: record(run, 0.5) for run in cell.runs}
    return records
