"""One run: train a model, ask it the test questions once, and write down all that is needed to do it again."""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from r5.baselines.methods import RULE_LEARNERS
from r5.bench.plan import Run, quickened
from r5.data.catalogue import known
from r5.data.registry import load
from r5.data.stand_ins import STAND_IN, stand_in
from r5.dataset import SPLITS, Dataset
from r5.evaluation import Evaluation, evaluate
from r5.examples import Examples
from r5.reasoners.base import Reasoner
from r5.reasoners.baseline import BaselineReasoner
from r5.reasoners.registry import make_reasoner

__all__ = ["Job", "load_data", "perform", "protocol", "warm_up"]

_CHOSEN = {
    "r5": "the epoch and restart with the best training fit",
    "grammar": "the restart with the shortest description of rules and training answers",
}
_NETWORK = {"validation accuracy": "best validation accuracy", "training loss": "lowest training loss"}


@dataclass(frozen=True)
class Job:
    """A run with what a worker needs for it."""

    run: Run
    root: Path
    """The folder of all data."""
    out: Path
    """The folder of finished runs."""
    watched: bool = False
    facts: dict[str, Any] = dataclasses.field(default_factory=dict)
    """What is the same for many runs and goes into each record: versions, the checksum of the data."""
    also: tuple[Run, ...] = ()
    """Runs that the same training serves: they choose the epoch by other held-out examples."""


def protocol(engine: str, fitted: Mapping[str, Any]) -> str:
    """How the model was chosen; test data never has a part in it.

    >>> protocol("lstm", {"chosen_by": "validation accuracy"})
    'the epoch with the best validation accuracy'
    """
    parts = engine.split("+")
    summaries = [fitted] if len(parts) == 1 else [fitted.get(name, {}) for name in ("reasoner", "fallback")]
    return "; ".join(_chosen(part, summary) for part, summary in zip(parts, summaries, strict=True))


def _chosen(engine: str, summary: Mapping[str, Any]) -> str:
    """How the model of one engine was chosen."""
    by = _NETWORK[summary.get("chosen_by", "training loss")]
    return summary.get("chosen") or _CHOSEN.get(engine) or f"the epoch with the {by}"


def load_data(name: str, root: Path) -> Dataset:
    """A data set of the catalogue, or the stand-in for one."""
    if name.startswith(STAND_IN):
        return stand_in(known(name.removeprefix(STAND_IN)))
    return load(known(name).place(root))


def warm_up(engine: str) -> None:
    """Learn something tiny, so that the time to compile is not counted as time to train."""
    from r5.data.generators.world.dataset import generate_world

    data = generate_world(train=40, valid=0, test=6)
    for part in engine.split("+"):
        if part in _CHOSEN:
            evaluate(make_reasoner(part, **quickened(part, {})).fit(data.train), data.test, data.rules)


def perform(job: Job, read: Callable[[str, Path], Dataset] = load_data) -> list[dict[str, Any]]:
    """The records of a run and of those that the same training serves, as they are written to their files."""
    run = job.run
    whole = read(run.data, job.root)
    data = _part(whole, run.examples)
    reasoner = _make(run)
    epochs: list[dict[str, Any]] = []
    watching = [0.0]
    more: dict[str, Any] = {}
    if job.watched:
        more["watch"] = partial(_look, data, epochs, watching)
    if job.also:
        more["variants"] = [other.settings["held_out"] for other in job.also]
    uses_valid = any(part not in _CHOSEN for part in run.engine.split("+"))
    start = time.perf_counter()
    reasoner.fit(data.train, data.valid if uses_valid and len(data.valid) else None, **more)
    facts = {
        "training_seconds": round(time.perf_counter() - start - watching[0], 2),
        "statistics": _plain(dataclasses.asdict(whole.describe())),
        **({"epochs": epochs} if job.watched else {}),
        **job.facts,
    }
    found = [_record(run, reasoner, data, facts)]
    if isinstance(reasoner, BaselineReasoner):
        found += [_record(other, reasoner.variants_[other.settings["held_out"]], data, facts) for other in job.also]
    return found


def _record(run: Run, reasoner: Reasoner, data: Dataset, facts: Mapping[str, Any]) -> dict[str, Any]:
    """What is kept of a run: the test questions are asked here, once."""
    result = evaluate(reasoner, data.test, data.rules)
    fitted = _plain(_without_history(getattr(reasoner, "summary_", {})))
    return {
        "key": run.key,
        "data": run.data,
        "engine": run.engine,
        "settings": dict(run.settings),
        "seed": run.seed,
        "examples": run.examples,
        **_figures(result, run.engine),
        "training_seconds": facts["training_seconds"],
        "answering_seconds": round(result.seconds, 2),
        "protocol": protocol(run.engine, fitted),
        "hyperparameters": _plain(dataclasses.asdict(reasoner.settings)),
        "fitted": fitted,
        **facts,
    }


def _make(run: Run) -> Reasoner:
    parts = run.engine.split("+")
    if len(parts) == 1:
        return _one(run.engine, run.seed, run.settings)
    from r5.reasoners.augmented import AugmentedReasoner

    first, second = (_one(part, run.seed, run.settings[part]) for part in parts)
    both: Reasoner = AugmentedReasoner(first, second)
    return both


def _one(engine: str, seed: int, settings: Mapping[str, Any]) -> Reasoner:
    """A reasoner that keeps to one thread, for other runs have the other cores; what it learns is the same."""
    more = {"threads": 1} if engine == "grammar" else {}
    return make_reasoner(engine, seed=seed, **{**more, **settings})


def _part(data: Dataset, most: int | None) -> Dataset:
    """The first examples of each split and of each length, for a quick run."""
    if most is None:
        return data
    train, valid, test = (_some(data.split(split), most) for split in SPLITS)
    return dataclasses.replace(data, train=train, valid=valid, test=test)


def _some(examples: Examples, most: int) -> Examples:
    rank = np.zeros(len(examples), dtype=np.int64)
    for length in np.unique(examples.hops):
        of_length = np.flatnonzero(examples.hops == length)
        rank[of_length] = np.arange(of_length.size)
    return examples.select(np.sort(np.argsort(rank, kind="stable")[:most]))


def _look(
    data: Dataset, epochs: list[dict[str, Any]], watching: list[float], model: Reasoner, entry: dict[str, Any]
) -> None:
    """Accuracy on test data after an epoch, for a figure; nobody chooses by it, and its time does not count."""
    start = time.perf_counter()
    result = evaluate(model, data.test, data.rules)
    place = {"restart": entry["restart"], "epoch": entry["epoch"]}
    epochs.append({**place, "accuracy": result.accuracy, "rule_recall": result.rule_recall})
    watching[0] += time.perf_counter() - start


def _figures(result: Evaluation, engine: str) -> dict[str, Any]:
    """What `r5 evaluate` says, without its time; a network alone has no rules that could be recalled."""
    figures = result.to_json()
    del figures["seconds"]
    if not set(engine.split("+")) & {*_CHOSEN, *RULE_LEARNERS}:
        figures["rule_recall"] = None
    return figures


def _without_history(summary: Mapping[str, Any]) -> dict[str, Any]:
    """How training went, in short."""
    return {
        key: _without_history(value) if isinstance(value, Mapping) else value
        for key, value in summary.items()
        if key not in ("seconds", "seed", "history")
    }


def _plain(value: Any) -> Any:
    """The value in the terms of JSON."""
    if isinstance(value, dict):
        return {str(key): _plain(some) for key, some in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(some) for some in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)
