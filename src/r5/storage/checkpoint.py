"""Checkpoints: the state of a training in a folder, written at intervals, from which training resumes."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from pathlib import Path
from typing import ClassVar

from r5.storage.folder import ModelError, StoredModel, read_model

__all__ = ["FolderCheckpointer", "read_checkpoint"]


def read_checkpoint(path: Path, engine: str, fingerprint: str) -> StoredModel:
    """Read a checkpoint folder.

    Args:
        path: The folder.
        engine: Engine that the checkpoint must be of.
        fingerprint: Digest of settings and data that its summary must have.

    Raises:
        ModelError: The folder is not a checkpoint of this training.
    """
    stored = read_model(path)
    if stored.engine != engine or stored.summary.get("fingerprint") != fingerprint:
        raise ModelError(f"{path}: is a checkpoint of other settings or other data; train without resuming")
    return stored


class FolderCheckpointer(ABC):
    """Writes the state of a training to a folder at intervals and on request; without a folder, it writes nothing.

    Args:
        folder: Folder of the checkpoint.
        resume: Whether training resumes from the state in the folder.
    """

    interval: ClassVar[float] = 10.0
    """Seconds between two checkpoints; writing takes at most 1/20 of the time."""

    def __init__(self, folder: str | Path | None = None, resume: bool = False) -> None:
        self._folder = None if folder is None else Path(folder)
        self._resume = resume
        self._due = time.monotonic() + self.interval

    @property
    def _has_state(self) -> bool:
        """Return whether training resumes and the folder has a state."""
        return self._resume and self._folder is not None and (self._folder / "model.json").is_file()

    @abstractmethod
    def write(self) -> None:
        """Write the current state, if there is any."""

    def write_if_due(self) -> None:
        """Write the current state if the interval has passed."""
        start = time.monotonic()
        if start >= self._due:
            self.write()
            end = time.monotonic()
            self._due = end + max(self.interval, 20 * (end - start))
