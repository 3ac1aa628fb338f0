"""Data sets for graph completion and published figures on them, from `experiments/graphs/published.yaml`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from r5._util.files.reading import read_text
from r5.bench.experiments.folder import experiments_folder
from r5.errors import DataError, R5Error

__all__ = ["GraphData", "PublishedGraphResults", "PublishedSystem", "load_published_graph_results"]


@dataclass(frozen=True, slots=True)
class GraphData:
    """One knowledge graph with splits."""

    name: str
    title: str
    folder: str
    """Path below the data folder."""
    split: str
    """Origin of the split."""
    inductive: bool = False
    """True if the test queries are about entities of a graph of their own."""


@dataclass(frozen=True, slots=True)
class PublishedSystem:
    """Figures of a system by other authors."""

    name: str
    kind: str
    ties: str
    """Rule for ties: realistic, pessimistic, or not stated."""
    source: str
    """Origin of the figures."""
    mrr: Mapping[str, float]
    hits: Mapping[str, Mapping[int, float]] = field(default_factory=dict)
    """Hits@k by data set and k."""
    measured: bool = False
    """True if the system was run on the data here; False if the figures are from a paper."""
    other_split: tuple[str, ...] = ()
    """Data sets whose figure is of another split."""


@dataclass(frozen=True, slots=True)
class PublishedGraphResults:
    """All data sets and all published figures."""

    data: tuple[GraphData, ...]
    systems: tuple[PublishedSystem, ...]

    def select(self, names: list[str]) -> tuple[GraphData, ...]:
        """Return the data sets with these names, in the order of the file; no names select all."""
        known = {one.name: one for one in self.data}
        unknown = [name for name in names if name not in known]
        if unknown:
            raise R5Error(f"no data set is called {unknown[0]!r}; expected {', '.join(known)}")
        return tuple(one for one in self.data if not names or one.name in names)


def load_published_graph_results(path: str | Path | None = None) -> PublishedGraphResults:
    """Read and check the published figures.

    Args:
        path: A YAML file; the one in the experiments folder by default.

    Raises:
        DataError: The file is not valid.

    >>> results = load_published_graph_results()
    >>> next(system.mrr["family"] for system in results.systems if system.name == "NBFNet")
    0.989
    """
    path = experiments_folder() / "graphs" / "published.yaml" if path is None else Path(path)
    try:
        content = yaml.safe_load(read_text(path))
    except yaml.YAMLError as error:
        raise DataError(f"is not valid YAML: {' '.join(str(error).split())}", path) from None
    try:
        data = tuple(GraphData(name, **fields) for name, fields in content["data"].items())
        systems = tuple(map(_parse_system, content["systems"]))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise DataError(f"is not a list of data sets and systems: {error}", path) from None
    names = {one.name for one in data}
    for system in systems:
        figures = [*system.mrr.items(), *((name, hits) for name, one in system.hits.items() for hits in one.values())]
        for name, figure in figures:
            if name not in names or not 0 <= figure <= 1:
                raise DataError(
                    f"{system.name}: {name}: expected a share on a data set of this file, not {figure}",
                    path,
                )
    return PublishedGraphResults(data, systems)


def _parse_system(fields: Mapping[str, Any]) -> PublishedSystem:
    return PublishedSystem(**{**fields, "other_split": tuple(fields.get("other_split", ()))})
