"""Limits of requests: size, time, memory, number."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Limits"]


@dataclass(frozen=True)
class Limits:
    """Limits of the server, also shown to the page."""

    body: int = 256 * 1024
    """Maximum bytes of the fields of a request."""
    upload: int = 2 * 1024 * 1024
    """Maximum bytes of an uploaded graph."""
    uploads: int = 8
    """Maximum number of uploaded graphs; the oldest is removed first."""
    seconds: float = 10.0
    """Time limit of a request; long jobs (accuracy, examples of a rule) have four times as much."""
    search: float = 60.0
    """Time limit of a search of the whole graph, as a multiple of `seconds`."""
    memory: int = 1 << 30
    """Maximum bytes that a worker allocates beyond the model."""
    waiting: int = 256
    """Maximum number of requests in progress or in the queue."""
    workers: int = 3
    """Number of worker processes."""
    answer: int = 32 * 1024 * 1024
    """Maximum bytes of an answer."""
