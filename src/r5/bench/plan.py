"""Which runs a benchmark needs: experiments x data x engines x seeds, each run once however many tables show it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from r5.baselines.settings import HELD_OUT_METHODS
from r5.bench.experiments import Experiment, Row
from r5.data.stand_ins import STAND_IN
from r5.errors import R5Error

__all__ = ["QUICK_EXAMPLES", "Cell", "Plan", "Run", "cells", "choose", "make_plan", "quickened", "together"]

QUICK_EXAMPLES = 100
"""The most examples of a split in a quick run."""
_QUICK: dict[str, dict[str, Any]] = {
    "r5": {"epochs": 2, "simulations": 16, "restarts": 1},
    "grammar": {"restarts": [0.5]},
    **{system: {"epochs": 2, "restarts": 1, "answer_depth": 4} for system in ("ctp-l", "ctp-a", "ctp-m")},
}
_QUICK_NETWORK = {"epochs": 2}
_LONG_FIRST = ("data_db9b8f04", "re_2", "world_8", "world_6", "world_32", "world_17")
"""Data sets that take long come first, so that at the end no worker is left alone with one of them."""


@dataclass(frozen=True, slots=True)
class Run:
    """One model trained on one data set with one seed. Equal runs have equal keys, on every machine."""

    data: str
    engine: str
    settings: Mapping[str, Any]
    seed: int
    examples: int | None = None
    """At most so many of each split, for a quick look; None for all."""

    @property
    def key(self) -> str:
        """A name for files: readable in front, and a checksum of all that decides the result behind.

        >>> Run("re_0", "r5", {"preset": "paper"}, 2).key
        're_0-r5-2-49bd5b8305'
        """
        return f"{self.data}-{self.engine}-{self.seed}-{self.recipe}"

    @property
    def recipe(self) -> str:
        """A checksum of the settings, the same for all seeds and data sets."""
        content = json.dumps([self.engine, self.settings, self.examples], sort_keys=True)
        return hashlib.sha256(content.encode()).hexdigest()[:10]


@dataclass(frozen=True, slots=True)
class Cell:
    """A place in a table, and the runs whose mean belongs there, one for each seed."""

    row: Row
    data: str
    """The data set by its own name, also where a stand-in takes its place."""
    value: Any
    """Of the setting that varies, if one does."""
    runs: tuple[Run, ...]


@dataclass(frozen=True)
class Plan:
    """What there is to do."""

    experiments: tuple[Experiment, ...]
    runs: tuple[Run, ...]
    """In the order of work."""
    watched: frozenset[str] = field(default_factory=frozenset)
    """Keys of the runs whose test accuracy is wanted after each epoch, for a figure."""
    missing: tuple[str, ...] = ()
    """Data sets that the experiments ask for and that are not there."""


def cells(experiment: Experiment, seeds: Iterable[int], stand_ins: bool = False, quick: bool = False) -> Iterator[Cell]:
    """All places of an experiment's table, over its own data or over what stands in for it."""
    numbers = tuple(seeds)
    values = (None,) if experiment.vary is None else experiment.vary[1]
    values = (values[0], values[-1]) if quick and len(values) > 1 else values
    for data in experiment.data:
        for row in experiment.rows:
            for value in values:
                settings = experiment.settings(row, data)
                if experiment.vary is not None:
                    settings[experiment.vary[0]] = value
                if quick:
                    settings = quickened(row.engine, settings)
                name = STAND_IN + data if stand_ins else data
                runs = (Run(name, row.engine, settings, seed, QUICK_EXAMPLES if quick else None) for seed in numbers)
                yield Cell(row, data, value, tuple(runs))


def quickened(engine: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings with less training, to see that all works; the figures then mean nothing.

    >>> quickened("grammar", {})
    {'restarts': [0.5]}
    """
    parts = engine.split("+")
    if len(parts) > 1:
        return {part: quickened(part, settings[part]) for part in parts}
    return {**settings, **_QUICK.get(engine, _QUICK_NETWORK)}


def choose(
    experiments: Sequence[Experiment], names: Collection[str] = (), data: Collection[str] = ()
) -> tuple[Experiment, ...]:
    """Only the experiments of these names, and of each only these data sets; all where none are named."""
    known = [experiment.name for experiment in experiments]
    sets = list(dict.fromkeys(name for experiment in experiments for name in experiment.data))
    for wanted, among, what in ((names, known, "experiment"), (data, sets, "data set of the experiments")):
        for name in wanted:
            if name not in among:
                raise R5Error(f"no {what} is called {name!r}; expected {', '.join(among)}")
    found = [experiment for experiment in experiments if not names or experiment.name in names]
    if data:
        found = [_over(experiment, [name for name in experiment.data if name in data]) for experiment in found]
    return tuple(experiment for experiment in found if experiment.data)


def make_plan(
    experiments: Sequence[Experiment],
    engines: Collection[str],
    seeds: int,
    present: Collection[str],
    stand_ins: bool = False,
    quick: bool = False,
) -> Plan:
    """The runs of these engines on the data that is present, and on stand-ins for the rest if they are wanted.

    A quick plan takes of each experiment one data set: the first that is present, or the first's stand-in.
    """
    offered = list(dict.fromkeys(row.engine for experiment in experiments for row in experiment.rows))
    for engine in engines:
        if engine not in offered:
            raise R5Error(f"no engine of these experiments is called {engine!r}; expected {', '.join(offered)}")
    wanted = [_with_engines(experiment, engines) for experiment in experiments]
    wanted = [experiment for experiment in wanted if experiment.rows]
    asked = dict.fromkeys(name for experiment in wanted for name in experiment.data)
    if quick:
        wanted = [_over(experiment, [_first(experiment, present)]) for experiment in wanted]
    runs: dict[str, Run] = {}
    watched = set()
    for experiment in wanted:
        here = _over(experiment, [name for name in experiment.data if name in present])
        absent = _over(experiment, [name for name in experiment.data if name not in present])
        places = [*cells(here, range(seeds), quick=quick)]
        if stand_ins or quick:
            places += cells(absent, range(seeds), stand_ins=True, quick=quick)
        for run in (run for cell in places for run in cell.runs):
            runs[run.key] = run
            watched |= {run.key} if experiment.shows == "epochs" else set()
    return Plan(
        experiments=tuple(wanted),
        runs=tuple(sorted(runs.values(), key=_order)),
        watched=frozenset(watched),
        missing=tuple(name for name in asked if name not in present),
    )


def together(runs: Iterable[Run]) -> list[tuple[Run, ...]]:
    """Runs that one training serves, for they differ in how its epoch is chosen alone (`held_out`)."""
    groups: dict[str, list[Run]] = {}
    for run in runs:
        settings = {name: value for name, value in run.settings.items() if name != "held_out"}
        shares = run.engine in HELD_OUT_METHODS and run.settings.get("held_out") != "none"
        alike = replace(run, settings=settings).key if shares else run.key
        groups.setdefault(alike, []).append(run)
    # First the one that has the default; the others say what they choose by.
    return [tuple(sorted(group, key=lambda run: "held_out" in run.settings)) for group in groups.values()]


def _over(experiment: Experiment, names: Sequence[str]) -> Experiment:
    return replace(experiment, data={name: experiment.data[name] for name in names})


def _with_engines(experiment: Experiment, engines: Collection[str]) -> Experiment:
    return replace(experiment, rows=tuple(row for row in experiment.rows if row.engine in engines))


def _first(experiment: Experiment, present: Collection[str]) -> str:
    names = list(experiment.data)
    return next((name for name in names if name in present), names[0])


def _order(run: Run) -> tuple[Any, ...]:
    """Long runs first; then by data set, so that a worker can keep what it has read."""
    name = run.data.removeprefix(STAND_IN)
    rank = _LONG_FIRST.index(name) if name in _LONG_FIRST else len(_LONG_FIRST)
    return run.engine == "grammar", rank, run.data, run.seed, run.key
