"""The data sets on which graphs are completed, and what others reached on them: `experiments/graphs/published.yaml`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from r5._util.files.reading import read_text
from r5.bench.experiments import experiments_folder
from r5.errors import DataError, R5Error

__all__ = ["GraphData", "Peers", "System", "load_peers"]


@dataclass(frozen=True, slots=True)
class GraphData:
    """One knowledge graph with splits."""

    name: str
    title: str
    folder: str
    """Where it is, seen from the folder of all data."""
    split: str
    """Whose split it is."""


@dataclass(frozen=True, slots=True)
class System:
    """Somebody else's figures."""

    name: str
    kind: str
    ties: str
    """Which place counts among ties."""
    mrr: Mapping[str, float]
    measured: bool = False
    """Whether it was run on the data here, and not taken from a paper."""
    note: str = ""
    other_split: tuple[str, ...] = ()
    """Data sets on which the figure is of another split."""


@dataclass(frozen=True, slots=True)
class Peers:
    """All data sets and all figures."""

    data: tuple[GraphData, ...]
    systems: tuple[System, ...]

    def chosen(self, names: list[str]) -> tuple[GraphData, ...]:
        """The data sets of these names, or all."""
        known = {one.name: one for one in self.data}
        unknown = [name for name in names if name not in known]
        if unknown:
            raise R5Error(f"no data set is called {unknown[0]!r}; there are {', '.join(known)}")
        return tuple(one for one in self.data if not names or one.name in names)


def load_peers(path: str | Path | None = None) -> Peers:
    """The committed file, or another of its kind, checked.

    >>> next(system.mrr["family"] for system in load_peers().systems if system.name == "NBFNet")
    0.989
    """
    path = experiments_folder() / "graphs" / "published.yaml" if path is None else Path(path)
    try:
        content = yaml.safe_load(read_text(path))
    except yaml.YAMLError as error:
        raise DataError(f"is not valid YAML: {' '.join(str(error).split())}", path) from None
    try:
        data = tuple(GraphData(name, **fields) for name, fields in content["data"].items())
        systems = tuple(map(_system, content["systems"]))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise DataError(f"is not a list of data sets and systems: {error}", path) from None
    names = {one.name for one in data}
    for system in systems:
        for name, figure in system.mrr.items():
            if name not in names or not 0 <= figure <= 1:
                raise DataError(f"{system.name}: {name}: {figure} is no figure on a data set that is listed", path)
    return Peers(data, systems)


def _system(fields: Mapping[str, Any]) -> System:
    known = {key: value for key, value in fields.items() if key != "hits"}
    return System(**{**known, "other_split": tuple(fields.get("other_split", ()))})
