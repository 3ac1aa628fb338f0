"""Plan of a benchmark: runs of experiments x data x engines x seeds; a run that several tables show is done once."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from r5.baselines.settings import HELD_OUT_METHODS
from r5.bench.experiments.experiment import Experiment, TableRow
from r5.data.stand_ins import STAND_IN
from r5.errors import R5Error

__all__ = [
    "QUICK_EXAMPLES",
    "Cell",
    "Plan",
    "Run",
    "group_by_training",
    "make_plan",
    "select_experiments",
    "shorten_training",
    "table_cells",
]

QUICK_EXAMPLES = 100
"""Maximum number of examples per split in a quick run."""
_QUICK: dict[str, dict[str, Any]] = {
    "r5": {"epochs": 2, "simulations": 16, "restarts": 1},
    "grammar": {"restarts": [0.5]},
    **{system: {"epochs": 2, "restarts": 1, "answer_depth": 4} for system in ("ctp-l", "ctp-a", "ctp-m")},
}
_QUICK_NETWORK = {"epochs": 2}
_LONG_FIRST = ("data_db9b8f04", "re_2", "world_8", "world_6", "world_32", "world_17")
"""Data sets with long runs; they start first, so that no worker is left alone with one at the end."""


@dataclass(frozen=True, slots=True)
class Run:
    """One model trained on one data set with one seed; equal runs have equal keys on every machine."""

    data: str
    engine: str
    settings: Mapping[str, Any]
    seed: int
    examples: int | None = None
    """Maximum number of examples per split, for a quick run; None for all."""

    @property
    def key(self) -> str:
        """File name of the run: data, engine, seed, and a checksum of everything that decides the result.

        >>> Run("re_0", "r5", {"preset": "paper"}, 2).key
        're_0-r5-2-49bd5b8305'
        """
        return f"{self.data}-{self.engine}-{self.seed}-{self.recipe}"

    @property
    def recipe(self) -> str:
        """Checksum of engine, settings and number of examples; the same for all seeds and data sets."""
        content = json.dumps([self.engine, self.settings, self.examples], sort_keys=True)
        return hashlib.sha256(content.encode()).hexdigest()[:10]


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table, with one run per seed; the cell shows their mean."""

    row: TableRow
    data: str
    """Name of the data set, also if a stand-in replaces it."""
    value: Any
    """Value of the setting that varies, if one does."""
    runs: tuple[Run, ...]


@dataclass(frozen=True)
class Plan:
    """The runs of a benchmark."""

    experiments: tuple[Experiment, ...]
    runs: tuple[Run, ...]
    """Runs in the order of their start."""
    curves: frozenset[str] = field(default_factory=frozenset)
    """Keys of the runs that record test accuracy after each epoch, for a figure."""
    missing: tuple[str, ...] = ()
    """Data sets of the experiments that are not in the data folder."""


def table_cells(
    experiment: Experiment, seeds: Iterable[int], stand_ins: bool = False, quick: bool = False
) -> Iterator[Cell]:
    """Yield the cells of an experiment's table.

    Args:
        experiment: The experiment.
        seeds: Seeds of the runs of each cell.
        stand_ins: Whether generated stand-ins replace the data sets.
        quick: Whether training is shortened; of a setting that varies, only the first and last value are run.
    """
    seeds = tuple(seeds)
    values = (None,) if experiment.vary is None else experiment.vary[1]
    values = (values[0], values[-1]) if quick and len(values) > 1 else values
    for data in experiment.data:
        for row in experiment.rows:
            for value in values:
                settings = experiment.settings(row, data)
                if experiment.vary is not None:
                    settings[experiment.vary[0]] = value
                if quick:
                    settings = shorten_training(row.engine, settings)
                name = STAND_IN + data if stand_ins else data
                runs = (Run(name, row.engine, settings, seed, QUICK_EXAMPLES if quick else None) for seed in seeds)
                yield Cell(row, data, value, tuple(runs))


def shorten_training(engine: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings with less training, for a test of the set-up; the figures then mean nothing.

    >>> shorten_training("grammar", {})
    {'restarts': [0.5]}
    """
    parts = engine.split("+")
    if len(parts) > 1:
        return {part: shorten_training(part, settings[part]) for part in parts}
    return {**settings, **_QUICK.get(engine, _QUICK_NETWORK)}


def select_experiments(
    experiments: Sequence[Experiment], names: Collection[str] = (), data: Collection[str] = ()
) -> tuple[Experiment, ...]:
    """Return the experiments with these names, restricted to these data sets; no names select all.

    Raises:
        R5Error: A name is not known.
    """
    known = [experiment.name for experiment in experiments]
    sets = list(dict.fromkeys(name for experiment in experiments for name in experiment.data))
    for wanted, available, kind in ((names, known, "experiment"), (data, sets, "data set of the experiments")):
        for name in wanted:
            if name not in available:
                raise R5Error(f"no {kind} is called {name!r}; expected {', '.join(available)}")
    found = [experiment for experiment in experiments if not names or experiment.name in names]
    if data:
        found = [_restrict_data(experiment, [name for name in experiment.data if name in data]) for experiment in found]
    return tuple(experiment for experiment in found if experiment.data)


def make_plan(
    experiments: Sequence[Experiment],
    engines: Collection[str],
    seeds: int,
    present: Collection[str],
    stand_ins: bool = False,
    quick: bool = False,
) -> Plan:
    """Return the runs of these engines on the data that is present.

    Args:
        experiments: The experiments.
        engines: Engines to run.
        seeds: Number of seeds.
        present: Data sets in the data folder.
        stand_ins: Whether generated stand-ins replace the data sets that are absent.
        quick: Whether to shorten training and use one data set per experiment: the first that is present, or the
            stand-in for the first.

    Raises:
        R5Error: No experiment has such an engine.
    """
    offered = list(dict.fromkeys(row.engine for experiment in experiments for row in experiment.rows))
    for engine in engines:
        if engine not in offered:
            raise R5Error(f"no engine of these experiments is called {engine!r}; expected {', '.join(offered)}")
    wanted = [_with_engines(experiment, engines) for experiment in experiments]
    wanted = [experiment for experiment in wanted if experiment.rows]
    needed = dict.fromkeys(name for experiment in wanted for name in experiment.data)
    if quick:
        wanted = [_restrict_data(experiment, [_first_available(experiment, present)]) for experiment in wanted]
    runs: dict[str, Run] = {}
    curves = set()
    for experiment in wanted:
        here = _restrict_data(experiment, [name for name in experiment.data if name in present])
        absent = _restrict_data(experiment, [name for name in experiment.data if name not in present])
        table = [*table_cells(here, range(seeds), quick=quick)]
        if stand_ins or quick:
            table += table_cells(absent, range(seeds), stand_ins=True, quick=quick)
        for run in (run for cell in table for run in cell.runs):
            runs[run.key] = run
            curves |= {run.key} if experiment.shows == "epochs" else set()
    return Plan(
        experiments=tuple(wanted),
        runs=tuple(sorted(runs.values(), key=_start_order)),
        curves=frozenset(curves),
        missing=tuple(name for name in needed if name not in present),
    )


def group_by_training(runs: Iterable[Run]) -> list[tuple[Run, ...]]:
    """Group runs that differ only in `held_out`, the rule that selects the epoch: one training serves each group."""
    groups: dict[str, list[Run]] = {}
    for run in runs:
        settings = {name: value for name, value in run.settings.items() if name != "held_out"}
        can_share = run.engine in HELD_OUT_METHODS and run.settings.get("held_out") != "none"
        key = replace(run, settings=settings).key if can_share else run.key
        groups.setdefault(key, []).append(run)
    # The run with the default rule comes first in its group.
    return [tuple(sorted(group, key=lambda run: "held_out" in run.settings)) for group in groups.values()]


def _restrict_data(experiment: Experiment, names: Sequence[str]) -> Experiment:
    return replace(experiment, data={name: experiment.data[name] for name in names})


def _with_engines(experiment: Experiment, engines: Collection[str]) -> Experiment:
    return replace(experiment, rows=tuple(row for row in experiment.rows if row.engine in engines))


def _first_available(experiment: Experiment, present: Collection[str]) -> str:
    names = list(experiment.data)
    return next((name for name in names if name in present), names[0])


def _start_order(run: Run) -> tuple[Any, ...]:
    """Sort key: long runs first, then by data set, so that a worker reads each one once."""
    name = run.data.removeprefix(STAND_IN)
    rank = _LONG_FIRST.index(name) if name in _LONG_FIRST else len(_LONG_FIRST)
    return run.engine == "grammar", rank, run.data, run.seed, run.key
