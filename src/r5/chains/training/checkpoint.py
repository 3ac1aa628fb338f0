"""Checkpoints of training: the targets trained so far, in a folder from which training resumes.

The targets of a relation depend on nothing but the graph and the settings, so the model has the same bits however
often training was interrupted.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

import numpy as np

from r5.chains.graph.step_graph import StepGraph
from r5.chains.model import ChainModel, RelationModel, Temperature
from r5.chains.settings import ChainSettings
from r5.chains.storage import model_from_stored, model_to_arrays
from r5.chains.training.queries import RuleBodies
from r5.relations import Vocabulary
from r5.rules.ruleset import RuleSet
from r5.storage.checkpoint import FolderCheckpointer, read_checkpoint
from r5.storage.folder import StoredModel, write_model

__all__ = ["Checkpointer"]

_ENGINE = "chains-checkpoint"


class Checkpointer(FolderCheckpointer):
    """Checkpointer of the trained targets.

    Args:
        folder: Folder of the checkpoint.
        resume: Whether `begin` reads the targets in the folder.
    """

    def __init__(self, folder: str | Path | None = None, resume: bool = False) -> None:
        super().__init__(folder, resume)
        self.done: dict[int, RelationModel] = {}
        """Trained targets by step; any thread may add to them."""

    def begin(self, graph: StepGraph, settings: ChainSettings, given: Mapping[int, RuleBodies] | None) -> None:
        """Start a training, and read the targets in the folder if training resumes.

        Args:
            graph: The training graph.
            settings: Settings of the training.
            given: Rule bodies by step; None if they are mined.

        Raises:
            ModelError: The checkpoint belongs to other settings or other data.
        """
        self._graph, self._settings = graph, settings
        if self._folder is None:
            return
        self._fingerprint = _fingerprint(graph, settings, given)
        if not self._has_state:
            return
        stored = read_checkpoint(self._folder, _ENGINE, self._fingerprint)
        model = model_from_stored(stored, settings.frontier, graph.entities)
        self.done.update(model.targets)

    def write(self) -> None:
        """Write the targets, if there are any."""
        if self._folder is None or not self.done:
            return
        targets = dict(sorted(self.done.copy().items()))
        model = ChainModel(
            self._graph.relations,
            self._graph.symmetric,
            targets,
            self._settings.frontier,
            self._graph.entities,
            Temperature(),
        )
        summary = {"fingerprint": self._fingerprint, "done": len(targets)}
        vocabulary = Vocabulary(self._graph.relations)
        stored = StoredModel(_ENGINE, asdict(self._settings), vocabulary, RuleSet(), model_to_arrays(model), summary)
        write_model(self._folder, stored, force=True)


def _fingerprint(graph: StepGraph, settings: ChainSettings, given: Mapping[int, RuleBodies] | None) -> str:
    """Return a hash of the settings, the facts and the given rules, which a checkpoint must match."""
    rules = None if given is None else sorted((step, own.chains, own.constants.tolist()) for step, own in given.items())
    digest = hashlib.sha256(repr((asdict(settings), graph.relations, graph.number_of_nodes, rules)).encode())
    digest.update(np.ascontiguousarray(graph.facts).tobytes())
    return digest.hexdigest()
