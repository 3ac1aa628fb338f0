"""Errors of the public interface. Each message says what is wrong, where, and what was expected."""

from __future__ import annotations

from pathlib import Path

__all__ = ["ClusterLostError", "DataError", "LongWorkWarning", "MissingExtraError", "R5Error", "need"]


class R5Error(Exception):
    """Invalid input or state; the command line prints it in one line."""


class LongWorkWarning(UserWarning):
    """Warning before an operation of unexpectedly long run time."""


class DataError(R5Error):
    """Unreadable input, with the file and the line (counted from 1) of the error."""

    def __init__(self, message: str, path: str | Path | None = None, line: int | None = None) -> None:
        self.path = None if path is None else Path(path)
        self.line = line
        place = "" if path is None else f"{path}: " if line is None else f"{path}:{line}: "
        super().__init__(place + message)


class ClusterLostError(R5Error):
    """Lost or unusable cluster; saved checkpoints remain."""


class MissingExtraError(R5Error):
    """An optional dependency is not installed."""


def need(module: str, extra: str) -> MissingExtraError:
    """Return the error for a missing optional module.

    Args:
        module: Name of the module that cannot be imported.
        extra: Extra of `r5-reasoning` that installs it.

    >>> print(need("rdflib", "rdf"))
    rdflib is not installed: pip install "r5-reasoning[rdf]"

    """
    return MissingExtraError(f'{module} is not installed: pip install "r5-reasoning[{extra}]"')
