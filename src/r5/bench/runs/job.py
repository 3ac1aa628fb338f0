"""One run: training, one evaluation on the test split, and the record that makes the run repeatable."""

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
from r5.bench.experiments.plan import Run, shorten_training
from r5.data.catalogue import known
from r5.data.registry import load
from r5.data.stand_ins import STAND_IN, stand_in
from r5.dataset import SPLITS, Dataset
from r5.evaluation import Evaluation, evaluate
from r5.examples import Examples
from r5.reasoners.base import Reasoner
from r5.reasoners.baseline import BaselineReasoner
from r5.reasoners.registry import make_reasoner

__all__ = ["Job", "describe_selection", "load_data", "run_job", "warm_up"]

_SELECTION = {
    "r5": "the epoch and restart with the best training fit",
    "grammar": "the restart with the shortest description of rules and training answers",
}
_NETWORK_SELECTION = {"validation accuracy": "best validation accuracy", "training loss": "lowest training loss"}


@dataclass(frozen=True)
class Job:
    """A run, and everything that a worker needs for it."""

    run: Run
    root: Path
    """Data folder."""
    out: Path
    """Folder of results."""
    curve: bool = False
    """True if test accuracy is recorded after each epoch."""
    provenance: dict[str, Any] = dataclasses.field(default_factory=dict)
    """Versions and the checksum of the data, for the record."""
    sharing: tuple[Run, ...] = ()
    """Further runs of the same training, which select the epoch on other held-out examples."""


def describe_selection(engine: str, fitted: Mapping[str, Any]) -> str:
    """Return the rule that selected the model; no rule uses test data.

    Args:
        engine: An engine, or two joined by a plus.
        fitted: Training summary of the model.

    >>> describe_selection("lstm", {"chosen_by": "validation accuracy"})
    'the epoch with the best validation accuracy'
    """
    parts = engine.split("+")
    summaries = [fitted] if len(parts) == 1 else [fitted.get(name, {}) for name in ("reasoner", "fallback")]
    return "; ".join(_describe_one(part, summary) for part, summary in zip(parts, summaries, strict=True))


def _describe_one(engine: str, summary: Mapping[str, Any]) -> str:
    """Return the rule that selected the model of one engine."""
    by = _NETWORK_SELECTION[summary.get("chosen_by", "training loss")]
    return summary.get("chosen") or _SELECTION.get(engine) or f"the epoch with the {by}"


def load_data(name: str, root: Path) -> Dataset:
    """Return a data set of the catalogue, or the stand-in for one."""
    if name.startswith(STAND_IN):
        return stand_in(known(name.removeprefix(STAND_IN)))
    return load(known(name).place(root))


def warm_up(engine: str) -> None:
    """Compile the kernels of an engine on a tiny data set, so that training times exclude compilation."""
    from r5.data.generators.world.dataset import generate_world

    data = generate_world(train=40, valid=0, test=6)
    for part in engine.split("+"):
        if part in _SELECTION:
            evaluate(make_reasoner(part, **shorten_training(part, {})).fit(data.train), data.test, data.rules)


def run_job(job: Job, read: Callable[[str, Path], Dataset] = load_data) -> list[dict[str, Any]]:
    """Train and evaluate.

    Args:
        job: The job.
        read: Function that loads a data set by name from the data folder.

    Returns:
        Records of the run and of the runs that share its training.
    """
    run = job.run
    full = read(run.data, job.root)
    data = _truncate(full, run.examples)
    reasoner = _make_reasoner(run)
    epochs: list[dict[str, Any]] = []
    curve_seconds = [0.0]
    options: dict[str, Any] = {}
    if job.curve:
        options["watch"] = partial(_record_epoch, data, epochs, curve_seconds)
    if job.sharing:
        options["variants"] = [other.settings["held_out"] for other in job.sharing]
    uses_valid = any(part not in _SELECTION for part in run.engine.split("+"))
    start = time.perf_counter()
    reasoner.fit(data.train, data.valid if uses_valid and len(data.valid) else None, **options)
    shared = {
        "training_seconds": round(time.perf_counter() - start - curve_seconds[0], 2),
        "statistics": _to_json(dataclasses.asdict(full.describe())),
        **({"epochs": epochs} if job.curve else {}),
        **job.provenance,
    }
    found = [_make_record(run, reasoner, data, shared)]
    if isinstance(reasoner, BaselineReasoner):
        found += [
            _make_record(other, reasoner.variants_[other.settings["held_out"]], data, shared) for other in job.sharing
        ]
    return found


def _make_record(run: Run, reasoner: Reasoner, data: Dataset, shared: Mapping[str, Any]) -> dict[str, Any]:
    """Evaluate a model on the test split, once, and return the record of its run."""
    result = evaluate(reasoner, data.test, data.rules)
    fitted = _to_json(_without_history(getattr(reasoner, "summary_", {})))
    return {
        "key": run.key,
        "data": run.data,
        "engine": run.engine,
        "settings": dict(run.settings),
        "seed": run.seed,
        "examples": run.examples,
        **_evaluation_fields(result, run.engine),
        "training_seconds": shared["training_seconds"],
        "answering_seconds": round(result.seconds, 2),
        "protocol": describe_selection(run.engine, fitted),
        "hyperparameters": _to_json(dataclasses.asdict(reasoner.settings)),
        "fitted": fitted,
        **shared,
    }


def _make_reasoner(run: Run) -> Reasoner:
    parts = run.engine.split("+")
    if len(parts) == 1:
        return _make_one(run.engine, run.seed, run.settings)
    from r5.reasoners.augmented import AugmentedReasoner

    first, second = (_make_one(part, run.seed, run.settings[part]) for part in parts)
    both: Reasoner = AugmentedReasoner(first, second)
    return both


def _make_one(engine: str, seed: int, settings: Mapping[str, Any]) -> Reasoner:
    """Return a reasoner that uses one thread, since other runs use the other cores; the model does not depend on it."""
    defaults = {"threads": 1} if engine == "grammar" else {}
    return make_reasoner(engine, seed=seed, **{**defaults, **settings})


def _truncate(data: Dataset, size: int | None) -> Dataset:
    """Return the first `size` examples of each split, balanced over lengths."""
    if size is None:
        return data
    train, valid, test = (_first_of_each_length(data.split(split), size) for split in SPLITS)
    return dataclasses.replace(data, train=train, valid=valid, test=test)


def _first_of_each_length(examples: Examples, size: int) -> Examples:
    rank = np.zeros(len(examples), dtype=np.int64)
    for length in np.unique(examples.hops):
        of_length = np.flatnonzero(examples.hops == length)
        rank[of_length] = np.arange(of_length.size)
    return examples.select(np.sort(np.argsort(rank, kind="stable")[:size]))


def _record_epoch(
    data: Dataset, epochs: list[dict[str, Any]], seconds: list[float], model: Reasoner, entry: dict[str, Any]
) -> None:
    """Append test accuracy after an epoch, for a figure; it selects nothing, and its time is subtracted."""
    start = time.perf_counter()
    result = evaluate(model, data.test, data.rules)
    position = {"restart": entry["restart"], "epoch": entry["epoch"]}
    epochs.append({**position, "accuracy": result.accuracy, "rule_recall": result.rule_recall})
    seconds[0] += time.perf_counter() - start


def _evaluation_fields(result: Evaluation, engine: str) -> dict[str, Any]:
    """Return the fields of `r5 evaluate` without the time; rule recall is None for a network alone."""
    figures = result.to_json()
    del figures["seconds"]
    if not set(engine.split("+")) & {*_SELECTION, *RULE_LEARNERS}:
        figures["rule_recall"] = None
    return figures


def _without_history(summary: Mapping[str, Any]) -> dict[str, Any]:
    """Return the training summary without history, seed and seconds."""
    return {
        key: _without_history(value) if isinstance(value, Mapping) else value
        for key, value in summary.items()
        if key not in ("seconds", "seed", "history")
    }


def _to_json(value: Any) -> Any:
    """Return the value as JSON types; numbers that are not finite become None."""
    if isinstance(value, dict):
        return {str(key): _to_json(some) for key, some in value.items()}
    if isinstance(value, list | tuple):
        return [_to_json(some) for some in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)
