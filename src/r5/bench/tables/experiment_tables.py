"""Experiment tables as Markdown: published figures beside ours, with mean and deviation over seeds, and seconds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from r5.bench.experiments.experiment import Experiment, PublishedFigures
from r5.bench.markdown import dataset_label, format_published, format_share, markdown_table
from r5.bench.records.store import Record
from r5.bench.records.summary import Mean, Summary, summarize
from r5.bench.tables.deviations import deviation_tables
from r5.bench.tables.layouts import experiment_table
from r5.bench.tables.notes import comparison_notes, seeds_note, selection_note
from r5.bench.tables.stand_in_statistics import stand_in_table
from r5.data.stand_ins import STAND_IN
from r5.errors import R5Error

__all__ = ["ExperimentTables"]

_ABOUT = (
    "Published figures are as printed in the R5 paper, whose own are of the best epoch on test data. Ours are means "
    "over seeds with the standard deviation of the sample; seconds are of training, one thread. Test data is looked at "
    "once, when the model has been chosen."
)
_QUICK = "**A quick run: few examples and little training, to see that all works. The figures mean nothing.**"
_STAND_INS = (
    "Generated data in place of sets that were not there, with like statistics: **not the published data**, and not to "
    "be compared with published figures."
)
_SYSTEMS = ("R5", "R5 tuned", "grammar")
"""Table rows that are columns of the summary."""


@dataclass(frozen=True)
class ExperimentTables:
    """Tables of experiments, filled from records."""

    experiments: tuple[Experiment, ...]
    records: Mapping[str, Record]
    quick: bool = False

    def page(self) -> str:
        """Return all tables with their explanations as one page."""
        parts = ["# The paper's experiments", _QUICK if self.quick else _ABOUT, self.environment()]
        for experiment in self.experiments:
            if text := self.section(experiment.name):
                parts += [f"## {experiment.title} ({experiment.table})", text]
        if generated := self.stand_ins():
            parts += ["## Stand-ins", _STAND_INS, generated]
        return "\n\n".join(parts) + "\n"

    def section(self, name: str) -> str:
        """Return a section by the name of its experiment or its name in `_special`; empty if there are no runs."""
        if name in self._special:
            return self._special[name]()
        experiment = self._find_experiment(name)
        found = summarize(experiment, self.records, quick=self.quick)
        if not found:
            return ""
        lines = [experiment_table(experiment, found, published=True)]
        lines += [
            text for text in (seeds_note(found), selection_note(found), *comparison_notes(experiment, found)) if text
        ]
        lines += [experiment.note] if experiment.note else []
        seen = {one.data for one in found}
        absent = ", ".join(dataset_label(data) for data in experiment.data if data not in seen)
        lines += [f"Not run here: {absent}; published figures are in the experiment's file."] if absent else []
        return "\n\n".join(lines)

    def summary(self) -> str:
        """Return accuracy on each data set, published and ours, as one small table."""
        rows = []
        for name in ("graphlog", "re"):
            rows += self._dataset_rows(name, "", lambda found: found.accuracy, lambda published: published.accuracy)
        rows += self._worst_hop_row("clutrr-k23", "CLUTRR, 2 and 3 hops -> 4..10, the worst")
        rows += self._worst_hop_row("clutrr-k234", "CLUTRR, 2 to 4 hops -> 5..10, the worst")
        for name in ("graphlog", "re"):
            rows += self._dataset_rows(
                name, ", rule recall", lambda found: found.recall, lambda published: published.recall, 2
            )
        header = ["", "R5 as published", "`r5`, paper preset", "`r5`, tuned", "`grammar`"]
        return markdown_table(header, rows, keep=5) if rows else ""

    def environment(self) -> str:
        """Return the versions, commits, libraries and core counts of the runs."""
        records = [record for record in self.records.values() if (record.get("examples") is not None) == self.quick]
        if not records:
            return ""
        versions = _distinct(f"r5 {record['version']}" for record in records)
        commits = _distinct(f"commit `{record['commit']}`" for record in records if record.get("commit"))
        libraries = _distinct(
            f"{name} {version}" for record in records for name, version in record["libraries"].items()
        )
        pythons = _distinct(f"Python {record['python']}" for record in records)
        cores = _distinct(f"{record['machine']['cores']} cores" for record in records)
        return f"{len(records)} runs: " + ", ".join([*versions, *commits, *pythons, *libraries, *cores]) + "."

    def stand_ins(self) -> str:
        """Return the tables on stand-ins, below the statistics of the stand-ins."""
        parts: list[str] = []
        seen: dict[str, Mapping[str, Any]] = {}
        for experiment in self.experiments:
            found = summarize(experiment, self.records, stand_ins=True, quick=self.quick)
            if found:
                parts += [f"### {experiment.title}, on stand-ins", experiment_table(experiment, found, published=False)]
                parts += [text for text in (seeds_note(found), selection_note(found)) if text]
                seen |= {one.data: one.statistics for one in found}
        return "\n\n".join([stand_in_table(seen), *parts]) if parts else ""

    def as_json(self) -> list[dict[str, Any]]:
        """Return our figures of all tables, for scripts."""
        return [
            {
                "experiment": experiment.name,
                "table": experiment.table,
                "title": experiment.title,
                **_summary_to_json(one),
            }
            for experiment in self.experiments
            for generated in (False, True)
            for one in summarize(experiment, self.records, generated, self.quick)
        ]

    @property
    def _special(self) -> dict[str, Callable[[], str]]:
        """Sections that are not the table of a single experiment."""
        return {
            "summary": self.summary,
            "environment": self.environment,
            "stand-ins": self.stand_ins,
            "spreads": lambda: deviation_tables(self.experiments, self.records),
        }

    def _find_experiment(self, name: str) -> Experiment:
        found = next((experiment for experiment in self.experiments if experiment.name == name), None)
        if found is None:
            names = ", ".join([*self._special, *(one.name for one in self.experiments)])
            raise R5Error(f"no table is called {name!r}; expected {names}")
        return found

    def _summaries(self, name: str) -> tuple[Experiment | None, list[Summary]]:
        experiment = next((one for one in self.experiments if one.name == name), None)
        return experiment, [] if experiment is None else summarize(experiment, self.records, quick=self.quick)

    def _dataset_rows(
        self,
        name: str,
        suffix: str,
        ours: Callable[[Summary], Mean | None],
        theirs: Callable[[PublishedFigures], float | None],
        decimals: int = 3,
    ) -> list[list[str]]:
        experiment, found = self._summaries(name)
        rows = []
        for data in dict.fromkeys(one.data for one in found):
            known = experiment.published_figures("R5", data) if experiment else None
            means = {one.row.name: ours(one) for one in found if one.data == data}
            cells = [_short(means.get(system)) for system in _SYSTEMS]
            rows.append(
                [
                    dataset_label(data) + suffix,
                    format_published(theirs(known), decimals=decimals) if known else "",
                    *cells,
                ]
            )
        return rows

    def _worst_hop_row(self, name: str, title: str) -> list[list[str]]:
        experiment, found = self._summaries(name)
        if experiment is None or not found:
            return []
        known = next((one for one in experiment.published if one.system == "R5"), None)
        worst = {
            one.row.name: min((one.by_length[hop] for hop in experiment.hops if hop in one.by_length), key=_value)
            for one in found
            if any(hop in one.by_length for hop in experiment.hops)
        }
        cells = [_short(worst.get(system)) for system in _SYSTEMS]
        return [[title, format_published(min(known.by_length.values()), decimals=2) if known else "", *cells]]


def _short(mean: Mean | None) -> str:
    return "" if mean is None else format_share(mean.value)


def _value(mean: Mean) -> float:
    return mean.value


def _distinct(values: Iterable[str]) -> list[str]:
    return sorted(set(values))


def _summary_to_json(one: Summary) -> dict[str, Any]:
    def figure(mean: Mean | None) -> dict[str, Any] | None:
        return None if mean is None else {"mean": mean.value, "spread": mean.deviation, "runs": mean.count}

    return {
        "system": one.row.name,
        "engine": one.row.engine,
        "data": one.data,
        "stand_in": one.data.startswith(STAND_IN),
        "value": one.value,
        "accuracy": figure(one.accuracy),
        "rule_recall": figure(one.recall),
        "invalid_ratio": figure(one.invalid),
        "seconds": figure(one.seconds),
        "by_length": {str(length): figure(mean) for length, mean in one.by_length.items()},
        "protocol": "; ".join(one.protocols),
    }
