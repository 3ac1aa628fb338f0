"""Summaries of table cells: means over seeds and standard deviations."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from r5.bench.experiments.experiment import Experiment, TableRow
from r5.bench.experiments.plan import table_cells
from r5.bench.markdown import format_share
from r5.bench.records.store import Record
from r5.data.stand_ins import STAND_IN

__all__ = ["Mean", "Summary", "summarize"]


@dataclass(frozen=True, slots=True)
class Mean:
    """Mean of some values, and the standard deviation of the sample (None for a single value).

    >>> print(Mean.of([0.9, 0.94]))
    .920 ± .028
    """

    value: float
    deviation: float | None
    count: int

    @classmethod
    def of(cls, values: Iterable[float | None]) -> Mean | None:
        """Return the mean of the values that are not None; None if there are none."""
        known = [value for value in values if value is not None]
        if not known:
            return None
        return cls(statistics.fmean(known), statistics.stdev(known) if len(known) > 1 else None, len(known))

    def __str__(self) -> str:
        text = format_share(self.value)
        return text if self.deviation is None else f"{text} ± {format_share(self.deviation)}"


@dataclass(frozen=True)
class Summary:
    """Means over the seeds of one table cell."""

    row: TableRow
    data: str
    """Name in the catalogue, or the name of a stand-in."""
    value: Any
    """Value of the setting that varies, if one does."""
    seeds: tuple[int, ...]
    accuracy: Mean | None
    recall: Mean | None
    invalid: Mean | None
    seconds: Mean | None
    by_length: Mapping[int, Mean]
    epochs: tuple[tuple[Mean | None, Mean | None], ...]
    """Accuracy and rule recall after each epoch; a run that stopped early keeps its last figures."""
    protocols: tuple[str, ...]
    statistics: Mapping[str, Any]


def summarize(
    experiment: Experiment, records: Mapping[str, Record], stand_ins: bool = False, quick: bool = False
) -> list[Summary]:
    """Return the summary of each cell of an experiment's table that has runs.

    Args:
        experiment: The experiment.
        records: Records by key, of any seeds.
        stand_ins: Whether to summarize the runs on stand-ins.
        quick: Whether to summarize quick runs.
    """
    last_seed = max((int(record["seed"]) for record in records.values()), default=-1)
    found = []
    for cell in table_cells(experiment, range(last_seed + 1), stand_ins, quick):
        runs = [records[run.key] for run in cell.runs if run.key in records]
        if runs:
            found.append(_summarize_cell(cell.row, (STAND_IN if stand_ins else "") + cell.data, cell.value, runs))
    return found


def _summarize_cell(row: TableRow, data: str, value: Any, runs: Sequence[Record]) -> Summary:
    lengths = sorted({int(length) for run in runs for length in run["by_length"]})
    by_length = {
        length: Mean.of(run["by_length"].get(str(length), {}).get("accuracy") for run in runs) for length in lengths
    }
    return Summary(
        row=row,
        data=data,
        value=value,
        seeds=tuple(int(run["seed"]) for run in runs),
        accuracy=Mean.of(run["accuracy"] for run in runs),
        recall=Mean.of(run.get("rule_recall") for run in runs),
        invalid=Mean.of(run.get("invalid_ratio") for run in runs),
        seconds=Mean.of(run.get("training_seconds") for run in runs),
        by_length={length: mean for length, mean in by_length.items() if mean is not None},
        epochs=_mean_curve(runs),
        protocols=tuple(dict.fromkeys(run["protocol"] for run in runs if "protocol" in run)),
        statistics=runs[0].get("statistics", {}),
    )


def _mean_curve(runs: Sequence[Record]) -> tuple[tuple[Mean | None, Mean | None], ...]:
    """Return accuracy and rule recall per epoch, as means over runs; each run shows its selected restart."""
    curves = []
    for run in runs:
        selected = run.get("fitted", {}).get("best_restart", 0)
        points = [point for point in run.get("epochs", ()) if point["restart"] == selected]
        if points:
            curves.append(sorted(points, key=lambda point: int(point["epoch"])))
    longest = max((len(curve) for curve in curves), default=0)
    filled = [[*curve, *[curve[-1]] * (longest - len(curve))] for curve in curves]
    return tuple(
        (Mean.of(point["accuracy"] for point in points), Mean.of(point["rule_recall"] for point in points))
        for points in zip(*filled, strict=True)
    )
