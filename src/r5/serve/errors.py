"""Errors of requests."""

from __future__ import annotations

from r5.errors import R5Error

__all__ = ["RequestError"]


class RequestError(R5Error):
    """A request that cannot be answered, with its HTTP status."""

    def __init__(self, message: str, status: int = 400) -> None:
        self.status = status
        super().__init__(message)
