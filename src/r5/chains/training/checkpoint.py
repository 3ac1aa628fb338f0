"""Checkpoints of learning: the steps that are done, in a folder from which the others are learned as if never stopped.

What is learned about a step depends on nothing but the graph and the settings, so the model is the same
bit for bit whenever and however often learning was interrupted.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

import numpy as np

from r5.chains.graph.step_graph import StepGraph
from r5.chains.model import ChainModel, Heat, Target
from r5.chains.settings import ChainSettings
from r5.chains.storage import model_from_stored, model_to_arrays
from r5.chains.training.queries import RuleBodies
from r5.relations import Vocabulary
from r5.rules.ruleset import RuleSet
from r5.storage.folder import ModelError, StoredModel, read_model, write_model

__all__ = ["Checkpointer"]

_ENGINE = "chains-checkpoint"
_SECONDS = 10.0
"""A checkpoint is written about so often, and never for more than a twentieth of the time."""


class Checkpointer:
    """Keeps what is learned in a folder, now and then and when asked to; without a folder it keeps nothing."""

    def __init__(self, folder: str | Path | None = None, resume: bool = False) -> None:
        self._folder = None if folder is None else Path(folder)
        self._resume = resume
        self._next = time.monotonic() + _SECONDS
        self.done: dict[int, Target] = {}
        """What is learned; any thread may add to it."""

    def begin(self, graph: StepGraph, settings: ChainSettings, given: Mapping[int, RuleBodies] | None) -> None:
        """Take up what the folder holds, where learning is to go on from it; it must be of the same training."""
        self._graph, self._settings = graph, settings
        if self._folder is None:
            return
        self._mark = _fingerprint(graph, settings, given)
        if not (self._resume and (self._folder / "model.json").is_file()):
            return
        stored = read_model(self._folder)
        if stored.engine != _ENGINE or stored.summary.get("mark") != self._mark:
            raise ModelError(f"{self._folder}: is a checkpoint of other settings or other data; train without resuming")
        model = model_from_stored(stored, settings.frontier, graph.entities)
        self.done.update(model.targets)

    def write_if_due(self) -> None:
        """Write what is learned, where that is due."""
        start = time.monotonic()
        if start >= self._next:
            self.write()
            now = time.monotonic()
            self._next = now + max(_SECONDS, 20 * (now - start))

    def write(self) -> None:
        """Write what is learned, if anything is."""
        if self._folder is None or not self.done:
            return
        targets = dict(sorted(self.done.copy().items()))
        model = ChainModel(
            self._graph.relations,
            self._graph.symmetric,
            targets,
            self._settings.frontier,
            self._graph.entities,
            Heat(),
        )
        words = Vocabulary(self._graph.relations)
        summary = {"mark": self._mark, "done": len(targets)}
        stored = StoredModel(_ENGINE, asdict(self._settings), words, RuleSet(), model_to_arrays(model), summary)
        write_model(self._folder, stored, force=True)


def _fingerprint(graph: StepGraph, settings: ChainSettings, given: Mapping[int, RuleBodies] | None) -> str:
    """What a checkpoint must agree with: the settings that matter, the facts, and the rules where they are given."""
    rules = None if given is None else sorted((step, one.chains, one.constants.tolist()) for step, one in given.items())
    mark = hashlib.sha256(repr((asdict(settings), graph.relations, graph.number_of_nodes, rules)).encode())
    mark.update(np.ascontiguousarray(graph.facts).tobytes())
    return mark.hexdigest()
