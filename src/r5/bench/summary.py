"""The runs of one place in a table, taken together: means over seeds, and how far they spread."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from r5.bench.experiments import Experiment, Row
from r5.bench.markdown import share
from r5.bench.plan import cells
from r5.bench.store import Record
from r5.data.stand_ins import STAND_IN

__all__ = ["Mean", "Summary", "summaries"]


@dataclass(frozen=True, slots=True)
class Mean:
    """The mean of so many values, and their standard deviation (of the sample; None for a single value).

    >>> print(Mean.of([0.9, 0.94]))
    .920 ± .028
    """

    value: float
    spread: float | None
    count: int

    @classmethod
    def of(cls, values: Iterable[float | None]) -> Mean | None:
        """Of the values that are known; None where none is."""
        known = [value for value in values if value is not None]
        if not known:
            return None
        return cls(statistics.fmean(known), statistics.stdev(known) if len(known) > 1 else None, len(known))

    def __str__(self) -> str:
        text = share(self.value)
        return text if self.spread is None else f"{text} ± {share(self.spread)}"


@dataclass(frozen=True)
class Summary:
    """Our figures for one row of a table on one data set."""

    row: Row
    data: str
    """As in the catalogue, or with the mark of a stand-in."""
    value: Any
    """Of the setting that varies."""
    seeds: tuple[int, ...]
    accuracy: Mean | None
    recall: Mean | None
    invalid: Mean | None
    seconds: Mean | None
    by_length: Mapping[int, Mean]
    epochs: tuple[tuple[Mean | None, Mean | None], ...]
    """Accuracy and rule recall after each epoch; a run that stopped early stays as it was."""
    protocols: tuple[str, ...]
    statistics: Mapping[str, Any]


def summaries(
    experiment: Experiment, records: Mapping[str, Record], stand_ins: bool = False, quick: bool = False
) -> list[Summary]:
    """One for each place of an experiment's table of which there are runs, whatever their seeds."""
    most = max((int(record["seed"]) for record in records.values()), default=-1)
    found = []
    for cell in cells(experiment, range(most + 1), stand_ins, quick):
        runs = [records[run.key] for run in cell.runs if run.key in records]
        if runs:
            found.append(_together(cell.row, (STAND_IN if stand_ins else "") + cell.data, cell.value, runs))
    return found


def _together(row: Row, data: str, value: Any, runs: Sequence[Record]) -> Summary:
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
        epochs=_curve(runs),
        protocols=tuple(dict.fromkeys(run["protocol"] for run in runs if "protocol" in run)),
        statistics=runs[0].get("statistics", {}),
    )


def _curve(runs: Sequence[Record]) -> tuple[tuple[Mean | None, Mean | None], ...]:
    """Means over the runs epoch by epoch, of the restart that was chosen in each."""
    curves = []
    for run in runs:
        chosen = run.get("fitted", {}).get("best_restart", 0)
        points = [point for point in run.get("epochs", ()) if point["restart"] == chosen]
        if points:
            curves.append(sorted(points, key=lambda point: int(point["epoch"])))
    longest = max((len(curve) for curve in curves), default=0)
    filled = [[*curve, *[curve[-1]] * (longest - len(curve))] for curve in curves]
    return tuple(
        (Mean.of(point["accuracy"] for point in points), Mean.of(point["rule_recall"] for point in points))
        for points in zip(*filled, strict=True)
    )
