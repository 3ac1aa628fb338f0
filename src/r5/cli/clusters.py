"""The cluster that a command was told to run on."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from r5.parallel.cluster import Cluster

__all__ = ["on_cluster"]


def on_cluster(name: str, workers: int | None = None) -> AbstractContextManager[Cluster | None]:
    """The cluster of that name, until the end of the context; None for this machine, left to itself."""
    if name == "local":
        return nullcontext(None)
    from r5.parallel.factory import open_cluster

    return open_cluster(name, workers)
