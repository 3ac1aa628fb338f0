"""Limits: how much one request may cost, and how many there may be."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Limits"]


@dataclass(frozen=True)
class Limits:
    """What the server allows; the page is told."""

    body: int = 256 * 1024
    """Bytes of a request's fields."""
    upload: int = 2 * 1024 * 1024
    """Bytes of an uploaded graph."""
    uploads: int = 8
    """Uploaded graphs that are kept; the oldest goes first."""
    seconds: float = 10.0
    """Time of one question; measuring accuracy and looking through all questions may take four times as long."""
    memory: int = 1 << 30
    """Bytes that a worker may take beyond those of the model."""
    waiting: int = 256
    """Questions that are answered or wait; those beyond are refused."""
    workers: int = 3
    answer: int = 32 * 1024 * 1024
    """Bytes of an answer."""
