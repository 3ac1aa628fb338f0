"""Ablation: the rows and the data of a study, read from a YAML file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from r5._util.files.reading import read_text
from r5.bench.worlds import draw_shifted_world, draw_world
from r5.data.catalogue import known
from r5.data.registry import load
from r5.dataset import Dataset
from r5.errors import DataError

__all__ = ["Ablation", "AblationJob", "AblationRow", "jobs_of", "read_ablation"]

_KEYS = {"title", "engine", "settings", "data", "worlds", "shifted", "graphs", "groups", "rows"}


@dataclass(frozen=True, slots=True)
class AblationRow:
    """Settings of one row; `answering` changes the fitted model of the first row."""

    name: str
    settings: Mapping[str, Any]
    answering: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Ablation:
    """One study: the first row has every mechanism, each other row lacks one."""

    title: str
    engine: str
    rows: tuple[AblationRow, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)
    data: tuple[str, ...] = ()
    worlds: Mapping[str, int] = field(default_factory=dict)
    """Number of the first generated world, their count, and limits of their options."""
    shifted: Mapping[str, int] = field(default_factory=dict)
    """The same for worlds with another share of wrong edges in test than in training."""
    graphs: Mapping[str, int] = field(default_factory=dict)
    """Number of seeds of each knowledge graph, by folder in the data folder."""
    groups: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Kinds of knowledge graphs that changes are averaged over."""


@dataclass(frozen=True, slots=True)
class AblationJob:
    """One data set, on which all rows are run."""

    study: Ablation
    data: str
    root: Path

    def load(self) -> tuple[Dataset, dict[str, Any]]:
        """Return the data set, and the options of a generated world."""
        if self.data in self.study.graphs:
            return load(self.root / self.data), {}
        kind, _, number = self.data.partition("-")
        if kind not in ("world", "shifted"):
            return load(known(self.data).place(self.root)), {}
        limits = self.study.worlds if kind == "world" else self.study.shifted
        draw = draw_world if kind == "world" else draw_shifted_world
        world = draw(int(number), **{name: value for name, value in limits.items() if name not in ("first", "count")})
        return world.data, world.options

    def load_new_graph(self) -> Dataset | None:
        """Return the data set `X_ind` of a graph `X`, whose entities are all new; None if there is none."""
        folder = self.root / f"{self.data}_ind"
        return load(folder) if folder.is_dir() else None


def read_ablation(path: Path) -> Ablation:
    """Return the study of a YAML file.

    Raises:
        DataError: The file lacks a key, or has an unknown one.
    """
    try:
        content = yaml.safe_load(read_text(path))
    except yaml.YAMLError as error:
        raise DataError(f"is not valid YAML: {' '.join(str(error).split())}", path) from None
    if not isinstance(content, dict) or set(content) - _KEYS or {"engine", "rows"} - set(content):
        raise DataError(f"expected the keys {', '.join(sorted(_KEYS))}", path)
    if not all(isinstance(row, dict) and "name" in row for row in content["rows"] or [None]):
        raise DataError("rows: expected a list of rows, each with a name", path)
    fields = {"title": path.stem, **content}
    fields["rows"] = tuple(
        AblationRow(row["name"], row.get("settings", {}), row.get("answering")) for row in content["rows"]
    )
    fields["data"] = tuple(content.get("data", ()))
    return Ablation(**fields)


def jobs_of(study: Ablation, root: Path, wanted: Sequence[str] = ()) -> list[AblationJob]:
    """Return one job for each data set that is there and each world, or for those of them that are wanted."""
    there = [name for name in study.data if known(name).state(root) != "missing"]
    graphs = [name for name in study.graphs if (root / name).is_dir()]
    generated = (("world", study.worlds), ("shifted", study.shifted))
    worlds = [f"{kind}-{one['first'] + n}" for kind, one in generated if one for n in range(one["count"])]
    names = [*there, *graphs, *worlds]
    return [AblationJob(study, name, root) for name in names if not wanted or name in wanted]
