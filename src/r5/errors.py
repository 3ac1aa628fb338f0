"""The errors a user can meet: each says what is wrong, where, and what was expected."""

from __future__ import annotations

from pathlib import Path

__all__ = ["ClusterLostError", "DataError", "LongWorkWarning", "MissingExtraError", "R5Error", "need"]


class R5Error(Exception):
    """Anything that is wrong with what the user gave us; the command line prints it in one line."""


class LongWorkWarning(UserWarning):
    """Told before work that takes longer than one would think."""


class DataError(R5Error):
    """Input that cannot be read, with the file and the line (counted from 1) where it went wrong."""

    def __init__(self, message: str, path: str | Path | None = None, line: int | None = None) -> None:
        self.path = None if path is None else Path(path)
        self.line = line
        place = "" if path is None else f"{path}: " if line is None else f"{path}:{line}: "
        super().__init__(place + message)


class ClusterLostError(R5Error):
    """The machines that work was given to are not there, or cannot do it; what was kept before is still there."""


class MissingExtraError(R5Error):
    """An optional dependency is not installed."""


def need(module: str, extra: str) -> MissingExtraError:
    """The one-line message for a missing optional `module`, which `extra` would bring.

    >>> print(need("rdflib", "rdf"))
    rdflib is not installed: pip install "r5-reasoning[rdf]"
    """
    return MissingExtraError(f'{module} is not installed: pip install "r5-reasoning[{extra}]"')
