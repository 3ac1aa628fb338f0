"""Checkpoints of training: the state of each restart, in a folder from which training resumes exactly."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from r5.grammar.corpus.corpus import Corpus
from r5.grammar.rule_index import RuleIndex
from r5.grammar.settings import GrammarSettings
from r5.grammar.storage import (
    Arrays,
    counts_from_arrays,
    counts_to_arrays,
    index_from_arrays,
    index_to_arrays,
)
from r5.grammar.training.runs import RunState
from r5.relations import Vocabulary
from r5.rules.ruleset import RuleSet
from r5.storage.checkpoint import FolderCheckpointer, read_checkpoint
from r5.storage.folder import ModelError, StoredModel, read_model, write_model

__all__ = ["Checkpointer", "State"]

_ENGINE = "grammar-checkpoint"
Decision = TypeVar("Decision")


@dataclass(frozen=True, eq=False)
class State:
    """All that training needs to resume."""

    index: RuleIndex
    """The rules considered from the start."""
    run_states: tuple[RunState, ...]
    """States of the restarts and, if it has begun, of the run that fits confusions."""


class Checkpointer(FolderCheckpointer):
    """Checkpointer of the restarts and of decisions made before training."""

    def __init__(self, folder: str | Path | None = None, resume: bool = False) -> None:
        super().__init__(folder, resume)
        self._state: Callable[[], State] | None = None
        self._notes: dict[str, Any] = {}

    def remember(self, name: str, decide: Callable[[], Decision]) -> Decision:
        """Return the result of a decision made before training, read from the checkpoint on resuming.

        The result must be representable in JSON.
        """
        if self._folder is not None and self._has_state:
            found = read_model(self._folder).summary.get("notes")
            if isinstance(found, dict) and name in found:
                self._notes[name] = found[name]
                return found[name]  # type: ignore[no-any-return]
        self._notes[name] = decide()
        return self._notes[name]  # type: ignore[no-any-return]

    def begin(self, corpus: Corpus, settings: GrammarSettings) -> State | None:
        """Return the state in the folder when resuming; it must be of the same training."""
        self._settings = settings
        if self._folder is None:
            return None
        self._fingerprint = _fingerprint(corpus, settings)
        if not self._has_state:
            return None
        stored = read_checkpoint(self._folder, _ENGINE, self._fingerprint)
        try:
            return _unpacked(stored, corpus.relations)
        except (KeyError, TypeError, ValueError, IndexError, ModelError):
            raise ModelError(f"{self._folder}: is damaged or of another version; train without resuming") from None

    def follow(self, state: Callable[[], State]) -> None:
        """Set the function that returns the current state."""
        self._state = state

    def write(self) -> None:
        """Write the state, if there is a finished step."""
        state = None if self._state is None else self._state()
        if self._folder is None or state is None or not any(run_state.done for run_state in state.run_states):
            return
        done = [run_state.done for run_state in state.run_states]
        summary = {"fingerprint": self._fingerprint, "done": done, "notes": self._notes}
        settings = asdict(self._settings)
        stored = StoredModel(_ENGINE, settings, Vocabulary(()), RuleSet(), _packed(state), summary)
        write_model(self._folder, stored, force=True)


def _fingerprint(corpus: Corpus, settings: GrammarSettings) -> str:
    """Return a digest of the settings that matter and of the examples."""
    digest = hashlib.sha256(repr({**asdict(settings), "threads": None}).encode())
    digest.update(corpus.digest())
    return digest.hexdigest()


def _packed(state: State) -> Arrays:
    """Return the state as arrays."""
    arrays = index_to_arrays(state.index, "first.")
    for place, run_state in enumerate(state.run_states):
        if run_state.counts is not None:
            prefix = f"run{place}."
            arrays |= index_to_arrays(run_state.counts.index, prefix) | counts_to_arrays(run_state.counts, prefix)
            arrays[f"{prefix}curve"] = np.array(run_state.curve, dtype=np.float64)
    return arrays


def _unpacked(stored: StoredModel, relations: int) -> State:
    """Return the state of a checkpoint."""
    run_states = []
    for place, done in enumerate(stored.summary["done"]):
        if done == 0:
            run_states.append(RunState())
            continue
        prefix = f"run{place}."
        counts = counts_from_arrays(stored, index_from_arrays(stored, relations, prefix), prefix)
        curve = tuple((int(length), float(likelihood)) for length, likelihood in stored.arrays[f"{prefix}curve"])
        run_states.append(RunState(int(done), counts, curve))
    return State(index_from_arrays(stored, relations, "first."), tuple(run_states))
