"""Published experiments as data: rows, data sets, settings and the published figures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["SHOWS", "Experiment", "PublishedFigures", "TableRow"]

SHOWS = ("accuracy", "hops", "values", "epochs")
"""Kinds of tables: by data set, by hops, by the value of a setting, by epoch."""


@dataclass(frozen=True, slots=True)
class PublishedFigures:
    """Published figures of one system on one data set."""

    system: str
    table: str
    """Source of the figures in the R5 paper, such as `Table 4`."""
    accuracy: float | None = None
    recall: float | None = None
    by_length: Mapping[int, float] = field(default_factory=dict)
    data: str = ""
    invalid: float | None = None
    """Share of queries without a valid answer."""
    deviations: Mapping[str, float] = field(default_factory=dict)
    """Figures after the plus-minus sign, by `accuracy`, `recall` or the length."""


@dataclass(frozen=True, slots=True)
class TableRow:
    """A system that is run here; it has the name of the published system that it reproduces, if there is one."""

    name: str
    engine: str
    """An engine, or two joined by a plus; the second one answers where the first has no answer."""
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Experiment:
    """One table or figure of the paper."""

    name: str
    title: str
    table: str
    shows: str
    data: Mapping[str, Mapping[str, Mapping[str, Any]]]
    """Settings by data set and engine; data sets are in the order of the table."""
    rows: tuple[TableRow, ...]
    published: tuple[PublishedFigures, ...]
    hops: tuple[int, ...] = ()
    vary: tuple[str, tuple[Any, ...]] | None = None
    """A setting and its values, for a figure over them."""
    note: str = ""

    def settings(self, row: TableRow, data: str) -> dict[str, Any]:
        """Return all settings of a row on a data set; those of two joined engines are keyed by engine."""
        of_data = self.data.get(data, {})
        parts = row.engine.split("+")
        if len(parts) == 1:
            return {**of_data.get(row.engine, {}), **row.settings}
        return {part: {**of_data.get(part, {}), **row.settings.get(part, {})} for part in parts}

    def published_figures(self, system: str, data: str) -> PublishedFigures | None:
        """Return the published figures of a system on a data set."""
        return next((found for found in self.published if (found.system, found.data) == (system, data)), None)
