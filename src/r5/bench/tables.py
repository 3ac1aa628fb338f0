"""Markdown tables of the experiments: the published figure beside ours, mean and spread over seeds, and seconds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from r5.bench.experiments import Experiment, Published
from r5.bench.markdown import label, printed, share, table
from r5.bench.spreads import spreads
from r5.bench.store import Record
from r5.bench.summary import Mean, Summary, summaries
from r5.bench.table_kinds import directions, likeness, protocol_line, seeds_line, table_of
from r5.data.stand_ins import STAND_IN
from r5.errors import R5Error

__all__ = ["Tables"]

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
"""Rows of the experiments that the summary shows, each in a column."""


@dataclass(frozen=True)
class Tables:
    """The tables that these records fill."""

    experiments: tuple[Experiment, ...]
    records: Mapping[str, Record]
    quick: bool = False

    def page(self) -> str:
        """All tables with what is to be known about them."""
        parts = ["# The paper's experiments", _QUICK if self.quick else _ABOUT, self.environment()]
        for experiment in self.experiments:
            if text := self.section(experiment.name):
                parts += [f"## {experiment.title} ({experiment.table})", text]
        if generated := self.stand_ins():
            parts += ["## Stand-ins", _STAND_INS, generated]
        return "\n\n".join(parts) + "\n"

    def section(self, name: str) -> str:
        """One table by name: of an experiment, or one of `_special`; empty without runs."""
        if name in self._special:
            return self._special[name]()
        experiment = self._experiment(name)
        found = summaries(experiment, self.records, quick=self.quick)
        if not found:
            return ""
        lines = [table_of(experiment, found, published=True)]
        lines += [text for text in (seeds_line(found), protocol_line(found), *directions(experiment, found)) if text]
        lines += [experiment.note] if experiment.note else []
        seen = {one.data for one in found}
        absent = ", ".join(label(data) for data in experiment.data if data not in seen)
        lines += [f"Not run here: {absent}; published figures are in the experiment's file."] if absent else []
        return "\n\n".join(lines)

    def summary(self) -> str:
        """Accuracy on each data set, published and ours, as one small table."""
        rows = []
        for name in ("graphlog", "re"):
            rows += self._by_data(name, "", lambda found: found.accuracy, lambda known: known.accuracy)
        rows += self._worst_hops("clutrr-k23", "CLUTRR, 2 and 3 hops -> 4..10, the worst")
        rows += self._worst_hops("clutrr-k234", "CLUTRR, 2 to 4 hops -> 5..10, the worst")
        for name in ("graphlog", "re"):
            rows += self._by_data(name, ", rule recall", lambda found: found.recall, lambda known: known.recall, 2)
        header = ["", "R5 as published", "`r5`, paper preset", "`r5`, tuned", "`grammar`"]
        return table(header, rows, keep=5) if rows else ""

    def environment(self) -> str:
        """Which version, commit and libraries the runs were made with."""
        records = [record for record in self.records.values() if (record.get("examples") is not None) == self.quick]
        if not records:
            return ""
        versions = _all(f"r5 {record['version']}" for record in records)
        commits = _all(f"commit `{record['commit']}`" for record in records if record.get("commit"))
        libraries = _all(f"{name} {version}" for record in records for name, version in record["libraries"].items())
        pythons = _all(f"Python {record['python']}" for record in records)
        cores = _all(f"{record['machine']['cores']} cores" for record in records)
        return f"{len(records)} runs: " + ", ".join([*versions, *commits, *pythons, *libraries, *cores]) + "."

    def stand_ins(self) -> str:
        """The tables over generated data, and how near that comes to what it stands in for."""
        parts: list[str] = []
        seen: dict[str, Mapping[str, Any]] = {}
        for experiment in self.experiments:
            found = summaries(experiment, self.records, stand_ins=True, quick=self.quick)
            if found:
                parts += [f"### {experiment.title}, on stand-ins", table_of(experiment, found, published=False)]
                parts += [text for text in (seeds_line(found), protocol_line(found)) if text]
                seen |= {one.data: one.statistics for one in found}
        return "\n\n".join([likeness(seen), *parts]) if parts else ""

    def as_json(self) -> list[dict[str, Any]]:
        """Our figures of all tables, for scripts."""
        return [
            {"experiment": experiment.name, "table": experiment.table, "title": experiment.title, **_plain(one)}
            for experiment in self.experiments
            for generated in (False, True)
            for one in summaries(experiment, self.records, generated, self.quick)
        ]

    @property
    def _special(self) -> dict[str, Callable[[], str]]:
        """Sections that are not the table of one experiment."""
        return {
            "summary": self.summary,
            "environment": self.environment,
            "stand-ins": self.stand_ins,
            "spreads": lambda: spreads(self.experiments, self.records),
        }

    def _experiment(self, name: str) -> Experiment:
        found = next((experiment for experiment in self.experiments if experiment.name == name), None)
        if found is None:
            known = ", ".join([*self._special, *(one.name for one in self.experiments)])
            raise R5Error(f"no table is called {name!r}; expected {known}")
        return found

    def _found(self, name: str) -> tuple[Experiment | None, list[Summary]]:
        experiment = next((one for one in self.experiments if one.name == name), None)
        return experiment, [] if experiment is None else summaries(experiment, self.records, quick=self.quick)

    def _by_data(
        self,
        name: str,
        what: str,
        ours: Callable[[Summary], Mean | None],
        theirs: Callable[[Published], float | None],
        decimals: int = 3,
    ) -> list[list[str]]:
        experiment, found = self._found(name)
        rows = []
        for data in dict.fromkeys(one.data for one in found):
            known = experiment.figure("R5", data) if experiment else None
            means = {one.row.name: ours(one) for one in found if one.data == data}
            cells = [_short(means.get(system)) for system in _SYSTEMS]
            rows.append([label(data) + what, printed(theirs(known), decimals=decimals) if known else "", *cells])
        return rows

    def _worst_hops(self, name: str, title: str) -> list[list[str]]:
        experiment, found = self._found(name)
        if experiment is None or not found:
            return []
        known = next((one for one in experiment.published if one.system == "R5"), None)
        worst = {
            one.row.name: min((one.by_length[hop] for hop in experiment.hops if hop in one.by_length), key=_value)
            for one in found
            if any(hop in one.by_length for hop in experiment.hops)
        }
        cells = [_short(worst.get(system)) for system in _SYSTEMS]
        return [[title, printed(min(known.by_length.values()), decimals=2) if known else "", *cells]]


def _short(mean: Mean | None) -> str:
    return "" if mean is None else share(mean.value)


def _value(mean: Mean) -> float:
    return mean.value


def _all(values: Iterable[str]) -> list[str]:
    return sorted(set(values))


def _plain(one: Summary) -> dict[str, Any]:
    def figure(mean: Mean | None) -> dict[str, Any] | None:
        return None if mean is None else {"mean": mean.value, "spread": mean.spread, "runs": mean.count}

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
