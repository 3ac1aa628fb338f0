"""Progress: where long work stands, told to whoever waits for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["Progress", "ProgressCallback"]


@dataclass(frozen=True, slots=True)
class Progress:
    """Where work stands; handed to the `progress` callback now and then."""

    done: int
    total: int
    message: str
    stage: str = ""
    """What is being done, where work has several stages: each is counted from nothing."""


ProgressCallback = Callable[[Progress], None]
