"""Tables of graph completion: our means and ranges over seeds, beside published figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from r5.bench.graphs.published import GraphData, PublishedGraphResults, PublishedSystem
from r5.bench.graphs.runs import GraphRecord
from r5.bench.markdown import format_share, markdown_table
from r5.errors import R5Error

__all__ = ["GraphTables", "MeasuredGraph"]


@dataclass(frozen=True, slots=True)
class MeasuredGraph:
    """Our runs on one data set."""

    data: GraphData
    runs: tuple[GraphRecord, ...]

    def mean(self, *path: str) -> float:
        """Return the mean over seeds of a field of the records, given by its nested keys."""
        return fmean(self._values(*path))

    def range(self, *path: str) -> float:
        """Return the largest value minus the smallest one."""
        values = self._values(*path)
        return max(values) - min(values)

    def has(self, name: str) -> bool:
        """Return whether all records have a field."""
        return all(name in run for run in self.runs)

    def _values(self, *path: str) -> list[float]:
        values = []
        for run in self.runs:
            value: object = run
            for key in path:
                value = value[key]  # type: ignore[index]
            values.append(float(value))  # type: ignore[arg-type]
        return values


class GraphTables:
    """Tables filled from records; `section` returns one by name."""

    def __init__(self, published: PublishedGraphResults, records: Mapping[str, GraphRecord]) -> None:
        self.published = published
        known = {one.name for one in published.data}
        others = {one["data"]: _describe(one) for _, one in sorted(records.items()) if one["data"] not in known}
        data = [*published.data, *others.values()]
        runs = [(one, tuple(r for _, r in sorted(records.items()) if r["data"] == one.name)) for one in data]
        self.measured = tuple(MeasuredGraph(one, found) for one, found in runs if found)

    def of_kind(self, inductive: bool) -> tuple[MeasuredGraph, ...]:
        """Return the runs on inductive data, or those on all other data."""
        return tuple(one for one in self.measured if one.data.inductive == inductive)

    def section(self, name: str) -> str:
        """Return a table by name; empty if there are no runs.

        `graphs` has our figures, `graphs-peers` all systems, `graphs-summary` MRR beside the best other systems. Names
        that begin with `graphs-inductive` are the same for inductive data.
        """
        tables = {"": self.our_table, "-peers": self.system_table, "-summary": self.summary_table}
        kinds = ("graphs", "graphs-inductive")
        found = {kind + part: (kind == kinds[1], table) for kind in kinds for part, table in tables.items()}
        if name not in found:
            raise R5Error(f"no table is called {name!r}; expected {', '.join(found)}")
        inductive, table = found[name]
        measured = self.of_kind(inductive)
        return table(measured) if measured else ""

    def summary_table(self, measured: Sequence[MeasuredGraph]) -> str:
        """Return one row per data set: our MRR, and that of the best other systems."""
        head = ["MRR", "`chains`", "AnyBURL, run here", "best rules, published", "best other, published"]
        rows = []
        for one in measured:
            name = one.data.name
            others = [self._measured_here(name), self._best(name, True), self._best(name, False)]
            rows.append([one.data.title, format_share(one.mean("mrr")), *others])
        return markdown_table(head, rows)

    def our_table(self, measured: Sequence[MeasuredGraph]) -> str:
        """Return one row per data set, with the best published figure of each kind of system."""
        head = ["", "MRR", "seeds", "spread", "Hits@1", "Hits@3", "Hits@10"]
        head += ["calibration error of shares", "by chance", "rules", "training seconds", "CPU seconds"]
        head += ["queries a second", "AnyBURL with PyClause, run on this data", "best rules"]
        head += ["best graph network or embedding"]
        rows = []
        for one in measured:
            extent = format_share(one.range("mrr")) if len(one.runs) > 1 else ""
            shares = [format_share(one.mean("mrr")), str(len(one.runs)), extent]
            shares += [format_share(one.mean("hits", k)) for k in ("1", "3", "10")]
            shares.append(format_share(one.mean("calibration_error")))
            shares.append(format_share(one.mean("calibration_by_chance")) if one.has("calibration_by_chance") else "")
            rest = [f"{one.mean('rules'):,.0f}", f"{one.mean('seconds'):,.0f}"]
            rest += [f"{one.mean(key):,.0f}" if one.has(key) else "" for key in ("cpu_seconds", "queries_per_second")]
            others = [
                self._measured_here(one.data.name),
                self._best(one.data.name, True),
                self._best(one.data.name, False),
            ]
            rows.append([one.data.title, *shares, *rest, *others])
        return markdown_table(head, rows)

    def system_table(self, measured: Sequence[MeasuredGraph]) -> str:
        """Return one row per system, ours first, with MRR and Hits@10; figures of another split are in brackets."""
        head = ["MRR / Hits@10", "ties", *(one.data.title for one in measured), "source"]
        ours = [f"{format_share(one.mean('mrr'))} / {format_share(one.mean('hits', '10'))}" for one in measured]
        rows = [["engine `chains`", "realistic", *ours, "`r5 bench graphs`"]]
        for system in self.published.systems:
            figures = [_format_figure(system, one.data.name) for one in measured]
            if any(figures):
                rows.append([system.name, system.ties, *figures, system.source])
        rows.append(["split", "", *(one.data.split for one in measured), ""])
        return markdown_table(head, rows)

    def _measured_here(self, data: str) -> str:
        return next((format_share(system.mrr.get(data)) for system in self.published.systems if system.measured), "")

    def _best(self, data: str, rules: bool) -> str:
        """Return the best published figure on this split, among rule learners or among other systems."""
        found = [
            (system.mrr[data], system.name)
            for system in self.published.systems
            if data in system.mrr and data not in system.other_split and not system.measured
            if system.kind.startswith("rules") == rules
        ]
        if not found:
            return ""
        figure, name = max(found)
        return f"{format_share(figure)} {name}"

    def text(self, title: str = "") -> str:
        """Return all tables as a page."""
        parts = [title] if title else []
        for inductive, heading in ((False, ""), (True, "Queries about new entities, on a graph of their own:")):
            measured = self.of_kind(inductive)
            if measured:
                parts += [*([heading] if heading else []), self.our_table(measured), self.system_table(measured)]
        return "\n\n".join(parts if self.measured else [*parts, "no results"]) + "\n"


def _describe(record: GraphRecord) -> GraphData:
    """Return the data set of a record that the published figures do not name."""
    return GraphData(record["data"], str(record.get("title", record["data"])), "", "", bool(record.get("inductive")))


def _format_figure(system: PublishedSystem, data: str) -> str:
    """Return MRR / Hits@10, in brackets if they are of another split."""
    shares = [format_share(figure) for figure in (system.mrr.get(data), system.hits.get(data, {}).get(10))]
    figure = " / ".join(share or "-" for share in shares) if shares[1] else shares[0]
    return f"({figure})" if figure and data in system.other_split else figure
