"""Which cluster a name means."""

from __future__ import annotations

import os
import secrets
from importlib.util import find_spec

from r5._util.runtime.threads import usable_threads
from r5.errors import ClusterLostError, R5Error
from r5.parallel.cluster import Cluster
from r5.parallel.local import Local

__all__ = ["open_cluster"]


def open_cluster(name: str = "local", threads: int | None = None) -> Cluster:
    """The cluster that is called so; a context manager, at whose end it is left.

    `serial`: one core. `local`: so many `threads` of this machine, by default all that there are. `ray`: the Ray
    cluster that `RAY_ADDRESS` names, or else a Ray on this machine alone, until the end. `auto`: the Ray cluster that
    this machine belongs to, or else `local`. `ray://host:10001` or `host:6379`: the Ray cluster there. On Ray,
    `threads` are workers, by default one for each core of the cluster. Whichever it is, results are the same.

    >>> open_cluster("serial").workers
    1
    """
    if name == "serial":
        return Local(1)
    if name == "local" or (name == "auto" and find_spec("ray") is None):
        return Local(threads or usable_threads())
    address = os.environ.get("RAY_ADDRESS") if name == "ray" else name
    if address is None:
        _keep_to_ourselves()
    elif address != "auto" and ":" not in address:
        raise R5Error(f"no cluster is called {name!r}: serial, local, ray, auto or an address such as ray://host:10001")
    from r5.parallel.ray_backend import connect, start

    if address is None:
        return start(threads)
    try:
        return connect(address, threads)
    except ClusterLostError:
        if name != "auto":
            raise
        return Local(threads or usable_threads())


def _keep_to_ourselves() -> None:
    """Read by Ray as it is imported: what it starts is reached from this machine alone, by those who know a token."""
    os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
    if "RAY_AUTH_MODE" not in os.environ:
        os.environ.update(RAY_AUTH_MODE="token", RAY_AUTH_TOKEN=secrets.token_hex(32))
