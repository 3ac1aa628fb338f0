"""Checkpoints, from which training goes on, and snapshots, from which a model answers."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from r5.agent.beyond.rule_pool import RulePool
from r5.agent.memory.rule_memory import Body, RuleMemory
from r5.agent.network.evaluator import PARAMETERS, NetworkEvaluator
from r5.agent.network.replay import Batch
from r5.agent.settings import R5Settings
from r5.agent.state.states import Evaluator, uniform
from r5.agent.training.training import Training
from r5.relations import Vocabulary
from r5.rules.ruleset import RuleSet
from r5.storage.checkpoint import read_checkpoint
from r5.storage.folder import StoredModel, write_model

__all__ = ["Checkpoint", "Snapshot", "load_checkpoint", "pack", "snapshot", "unpack", "write_checkpoint"]

Arrays = dict[str, NDArray[Any]]
_ENGINE = "r5-checkpoint"
_RULES = ("bodies", "heads", "scores", "support")
_BATCH = ("counts", "features", "left", "right", "policies", "rewards")


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """Rules and, with a network, its parameters, as arrays by name."""

    arrays: Arrays

    def memory(self, vocabulary: Vocabulary, settings: R5Settings) -> RuleMemory:
        """Return a memory with these rules."""
        memory = RuleMemory(vocabulary, settings)
        rows = zip(*(self.arrays[f"rules.{name}"].tolist() for name in _RULES), strict=True)
        memory.replace([((body[0], body[1]), head, score, support) for body, head, score, support in rows])
        memory.observed[:] = self.arrays["observed"]
        return memory

    def without(self, bodies: Collection[Body]) -> Snapshot:
        """Return a copy without the rules that have one of these bodies."""
        kept = [row for row, body in enumerate(self.arrays["rules.bodies"].tolist()) if tuple(body) not in bodies]
        return Snapshot({**self.arrays, **{f"rules.{name}": self.arrays[f"rules.{name}"][kept] for name in _RULES}})

    def evaluator(self) -> Evaluator:
        """Return the network, or `uniform` without one."""
        if "network.types" not in self.arrays:
            return uniform
        return NetworkEvaluator({name: self.arrays[f"network.{name}"] for name in PARAMETERS})


def snapshot(training: Training) -> Snapshot:
    """Return a copy of the current rules and network."""
    memory, size = training.memory, len(training.memory)
    arrays: Arrays = {f"rules.{name}": getattr(memory.arrays, name)[:size].copy() for name in _RULES}
    arrays["observed"] = memory.observed.copy()
    if isinstance(training.states.evaluate, NetworkEvaluator):
        parameters = training.states.evaluate.parameters
        arrays.update({f"network.{name}": value.copy() for name, value in parameters.items()})
    return Snapshot(arrays)


@dataclass(frozen=True, slots=True, eq=False)
class Checkpoint:
    """State of training between two epochs."""

    stored: StoredModel
    summary: Mapping[str, Any]
    """Fields of `FitSummary`."""
    best: Snapshot
    """Model that is kept."""
    pool: RulePool
    """Rules of the finished restarts."""


def pack(
    training: Training,
    vocabulary: Vocabulary,
    settings: R5Settings,
    summary: dict[str, Any],
    best: Snapshot,
    pool: RulePool,
    fingerprint: str,
) -> Checkpoint:
    """Return the state of training as arrays and JSON.

    Args:
        training: State of training.
        vocabulary: Known and invented relations.
        settings: Hyperparameters.
        summary: Fields of `FitSummary`.
        best: Model that is kept.
        pool: Rules of the finished restarts.
        fingerprint: Digest of settings and data.
    """
    arrays: Arrays = {f"now.{name}": value for name, value in snapshot(training).arrays.items()}
    arrays.update({f"best.{name}": value for name, value in best.arrays.items()})
    if training.trainer is not None:
        arrays.update({f"trainer.{name}": value for name, value in training.trainer.arrays().items()})
    arrays["pool.rules"], arrays["pool.scores"] = pool.arrays()
    place = 0
    if len(training.replay):
        batch, place = training.replay.contents()
        arrays.update({f"replay.{name}": getattr(batch, name) for name in _BATCH})
    state = {
        "fingerprint": fingerprint,
        "epoch": training.epoch,
        "replay_next": place,
        "random": training.rng.bit_generator.state,
        "model_selection": summary,
    }
    stored = StoredModel(_ENGINE, asdict(settings), vocabulary, RuleSet(), arrays, state)
    return Checkpoint(stored, summary, best, pool)


def unpack(training: Training, checkpoint: Checkpoint) -> None:
    """Set a new training to the state of a checkpoint."""
    stored = checkpoint.stored
    memory = Snapshot(_part(stored.arrays, "now.")).memory(training.memory.vocabulary, training.settings)
    training.memory.replace(memory.items())
    if training.trainer is not None:
        training.trainer.restore(_part(stored.arrays, "trainer."))
        training.states.evaluate = training.trainer.evaluator()
    if "replay.counts" in stored.arrays:
        parts = {name: np.array(stored.arrays[f"replay.{name}"]) for name in _BATCH}
        training.replay.restore(Batch(**parts), int(stored.summary["replay_next"]))
    training.rng.bit_generator.state = stored.summary["random"]
    training.epoch = int(stored.summary["epoch"])


def write_checkpoint(path: Path, checkpoint: Checkpoint) -> None:
    """Replace the checkpoint folder, completely or not at all."""
    write_model(path, checkpoint.stored, force=True)


def load_checkpoint(path: Path, fingerprint: str) -> Checkpoint:
    """Read a checkpoint folder, which must be of a training with this digest of settings and data."""
    stored = read_checkpoint(path, _ENGINE, fingerprint)
    pool = RulePool(stored.arrays["pool.rules"], stored.arrays["pool.scores"])
    return Checkpoint(stored, stored.summary["model_selection"], Snapshot(_part(stored.arrays, "best.")), pool)


def _part(arrays: Mapping[str, NDArray[Any]], prefix: str) -> Arrays:
    """Return the arrays whose names have this prefix, without it."""
    return {name.removeprefix(prefix): value for name, value in arrays.items() if name.startswith(prefix)}
