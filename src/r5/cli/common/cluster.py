"""Option `--cluster`."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from r5.parallel.cluster import Cluster

__all__ = ["connect_cluster"]


def connect_cluster(name: str, workers: int | None = None) -> AbstractContextManager[Cluster | None]:
    """Connect to a cluster until the end of the context; None for `local`."""
    if name == "local":
        return nullcontext(None)
    from r5.parallel.factory import open_cluster

    return open_cluster(name, workers)
