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
        runs = [(one, tuple(r for _, r in sorted(records.items()) if r["data"] == one.name)) for one in published.data]
        self.measured = tuple(MeasuredGraph(one, found) for one, found in runs if found)

    def section(self, name: str) -> str:
        """Return `graphs`, our figures, or `graphs-peers`, all systems; empty if there are no runs."""
        tables = {"graphs": self.our_table, "graphs-peers": self.system_table}
        if name not in tables:
            raise R5Error(f"no table is called {name!r}; expected {', '.join(tables)}")
        return tables[name]() if self.measured else ""

    def our_table(self) -> str:
        """Return one row per data set, with the best published figure of each kind of system."""
        head = ["", "MRR", "seeds", "spread", "Hits@1", "Hits@10", "calibration error of shares", "by chance"]
        head += ["rules", "CPU seconds"]
        head += ["AnyBURL with PyClause, run on this data", "best rules", "best graph network or embedding"]
        rows = []
        for one in self.measured:
            extent = format_share(one.range("mrr")) if len(one.runs) > 1 else ""
            shares = [format_share(one.mean("mrr")), str(len(one.runs)), extent, format_share(one.mean("hits", "1"))]
            shares += [format_share(one.mean("hits", "10")), format_share(one.mean("calibration_error"))]
            timed, drawn = (all(name in run for run in one.runs) for name in ("cpu_seconds", "calibration_by_chance"))
            shares.append(format_share(one.mean("calibration_by_chance")) if drawn else "")
            rest = [f"{one.mean('rules'):,.0f}", f"{one.mean('cpu_seconds'):.0f}" if timed else ""]
            others = [
                self._measured_here(one.data.name),
                self._best(one.data.name, True),
                self._best(one.data.name, False),
            ]
            rows.append([one.data.title, *shares, *rest, *others])
        return markdown_table(head, rows)

    def system_table(self) -> str:
        """Return one row per system, ours first; figures of another split are in brackets."""
        head = ["MRR", "ties", *(one.data.title for one in self.measured)]
        rows = [["engine `chains`", "realistic", *(format_share(one.mean("mrr")) for one in self.measured)]]
        for system in self.published.systems:
            figures = [_format_figure(system, one.data.name) for one in self.measured]
            if any(figures):
                rows.append([f"{system.name}{', run on this data' if system.measured else ''}", system.ties, *figures])
        rows.append(["split", "", *(one.data.split for one in self.measured)])
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
        """Return both tables as a page."""
        parts: Sequence[str] = [self.our_table(), self.system_table()] if self.measured else ["no results"]
        return "\n\n".join([*([title] if title else []), *parts]) + "\n"


def _format_figure(system: PublishedSystem, data: str) -> str:
    figure = format_share(system.mrr.get(data))
    return f"({figure})" if figure and data in system.other_split else figure
