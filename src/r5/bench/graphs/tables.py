"""The table of completed graphs: ours as mean and spread over seeds, beside the figures of others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from r5.bench.graphs.published import GraphData, Peers, System
from r5.bench.graphs.runs import GraphRecord
from r5.bench.markdown import share, table
from r5.errors import R5Error

__all__ = ["GraphTables", "Outcome"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """Our runs on one data set."""

    data: GraphData
    runs: tuple[GraphRecord, ...]

    def mean(self, *path: str) -> float:
        """The mean over seeds of a figure."""
        return fmean(self._values(*path))

    def spread(self, *path: str) -> float:
        """The largest figure less the smallest."""
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
    """Sections made from the records of runs; `section` gives them by name."""

    def __init__(self, peers: Peers, records: Mapping[str, GraphRecord]) -> None:
        self.peers = peers
        runs = [(one, tuple(r for _, r in sorted(records.items()) if r["data"] == one.name)) for one in peers.data]
        self.outcomes = tuple(Outcome(one, found) for one, found in runs if found)

    def section(self, name: str) -> str:
        """`graphs`: our figures; `graphs-peers`: all systems; empty where there are no runs."""
        makers = {"graphs": self.ours, "graphs-peers": self.beside}
        if name not in makers:
            raise R5Error(f"no table is called {name!r}; there are {', '.join(makers)}")
        return makers[name]() if self.outcomes else ""

    def ours(self) -> str:
        """A line a data set, with the best figure of others of each kind."""
        head = ["", "MRR", "seeds", "spread", "Hits@1", "Hits@10", "calibration error of shares", "by chance"]
        head += ["rules", "CPU seconds"]
        head += ["AnyBURL with PyClause, run on this data", "best rules", "best graph network or embedding"]
        rows = []
        for one in self.outcomes:
            spread = share(one.spread("mrr")) if len(one.runs) > 1 else ""
            shares = [share(one.mean("mrr")), str(len(one.runs)), spread, share(one.mean("hits", "1"))]
            shares += [share(one.mean("hits", "10")), share(one.mean("calibration_error"))]
            timed, drawn = (all(name in run for run in one.runs) for name in ("cpu_seconds", "calibration_by_chance"))
            shares.append(share(one.mean("calibration_by_chance")) if drawn else "")
            rest = [f"{one.mean('rules'):,.0f}", f"{one.mean('cpu_seconds'):.0f}" if timed else ""]
            rivals = [self._measured(one.data.name), self._best(one.data.name, True), self._best(one.data.name, False)]
            rows.append([one.data.title, *shares, *rest, *rivals])
        return table(head, rows)

    def beside(self) -> str:
        """A line a system, ours first; figures of another split stand in brackets."""
        head = ["MRR", "ties", *(one.data.title for one in self.outcomes)]
        rows = [["engine `chains`", "realistic", *(share(one.mean("mrr")) for one in self.outcomes)]]
        for system in self.peers.systems:
            figures = [_printed(system, one.data.name) for one in self.outcomes]
            if any(figures):
                rows.append([f"{system.name}{', run on this data' if system.measured else ''}", system.ties, *figures])
        rows.append(["split", "", *(one.data.split for one in self.outcomes)])
        return table(head, rows)

    def _measured(self, data: str) -> str:
        return next((share(system.mrr.get(data)) for system in self.peers.systems if system.measured), "")

    def _best(self, data: str, rules: bool) -> str:
        """The best published figure on this split among rule learners, or among the others."""
        found = [
            (system.mrr[data], system.name)
            for system in self.peers.systems
            if data in system.mrr and data not in system.other_split and not system.measured
            if system.kind.startswith("rules") == rules
        ]
        if not found:
            return ""
        figure, name = max(found)
        return f"{share(figure)} {name}"

    def text(self, title: str = "") -> str:
        """Both tables, as a file."""
        parts: Sequence[str] = [self.ours(), self.beside()] if self.outcomes else ["no results"]
        return "\n\n".join([*([title] if title else []), *parts]) + "\n"


def _printed(system: System, data: str) -> str:
    figure = share(system.mrr.get(data))
    return f"({figure})" if figure and data in system.other_split else figure
