"""The folder of experiment files, and the published figures of a data set over all of them."""

from __future__ import annotations

import re
from pathlib import Path

from r5._util.ordering import natural_key
from r5.bench.experiments.experiment import Experiment, PublishedFigures
from r5.bench.experiments.reader import read_experiment
from r5.errors import DataError

__all__ = ["experiments_folder", "find_published", "load_experiments"]

_STUDY = re.compile(r"(chains|grammar)-ablations")
"""Names of files of `r5 bench ablations`."""


def experiments_folder(package: str | Path = Path(__file__).parents[2]) -> Path:
    """Return the folder of experiment files: inside the installed package, or in the source tree.

    Args:
        package: Folder of the package `r5`.
    """
    packaged = Path(package) / "_experiments"
    return packaged if packaged.is_dir() else Path(package).resolve().parents[1] / "experiments"


def load_experiments(folder: str | Path | None = None) -> tuple[Experiment, ...]:
    """Return all experiments in the order of the paper, tables first.

    Args:
        folder: A folder of YAML files; the published experiments by default.

    Raises:
        DataError: The folder has no such files, or one of them is not valid.

    >>> [experiment.name for experiment in load_experiments()][:3]
    ['clutrr-k23', 'clutrr-k234', 'graphlog']
    """
    folder = experiments_folder() if folder is None else Path(folder)
    found = [read_experiment(path) for path in sorted(folder.glob("*.yaml")) if not _STUDY.fullmatch(path.stem)]
    if not found:
        raise DataError("holds no experiments (*.yaml)", folder)
    return tuple(sorted(found, key=lambda one: (_kind_order(one.table), natural_key(one.table))))


def _kind_order(table: str) -> int:
    """Return 0 for tables, 1 for figures, 2 for experiments beyond the paper."""
    return 0 if table.startswith("Table") else 1 if table.startswith("Figure") else 2


def find_published(name: str) -> tuple[PublishedFigures, ...]:
    """Return the published figures of a data set; a figure that several tables repeat is listed once.

    Args:
        name: Folder name of the data set.

    >>> [(one.system, one.accuracy) for one in find_published("world_17")][:3]
    [('E-GAT', 0.347), ('R-GCN', 0.181), ('CTP', 0.789)]
    """
    found: list[PublishedFigures] = []
    for experiment in load_experiments():
        for new in experiment.published:
            if new.data == name and not any(_repeats(new, old) for old in found):
                found.append(new)
    return tuple(found)


def _repeats(new: PublishedFigures, old: PublishedFigures) -> bool:
    """Return whether all figures of one entry are in another one."""
    return (
        old.system == new.system
        and old.accuracy == new.accuracy
        and old.by_length == new.by_length
        and new.recall in (None, old.recall)
        and new.invalid in (None, old.invalid)
    )
