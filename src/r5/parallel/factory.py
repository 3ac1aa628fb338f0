"""The cluster of a name or an address."""

from __future__ import annotations

import os
import secrets
from importlib.util import find_spec

from r5._util.runtime.threads import usable_threads
from r5.errors import ClusterLostError, R5Error
from r5.parallel.cluster import Cluster
from r5.parallel.local_cluster import LocalCluster

__all__ = ["open_cluster"]


def open_cluster(name: str = "local", threads: int | None = None) -> Cluster:
    """Open a cluster, as a context manager that closes it at the end. Results do not depend on the cluster.

    Args:
        name: `serial`: one core. `local`: threads of this machine. `ray`: the Ray cluster that `RAY_ADDRESS` names, or
            else a Ray on this machine alone, until the end. `auto`: the Ray cluster that this machine belongs to, or
            else `local`. `ray://host:10001` or `host:6379`: the Ray cluster at that address.
        threads: Number of threads, by default all of this machine. On Ray, the number of workers, by default one per
            core of the cluster.

    Raises:
        R5Error: There is no such cluster.
        ClusterLostError: The Ray cluster cannot be reached.

    >>> open_cluster("serial").workers
    1
    """
    if name == "serial":
        return LocalCluster(1)
    if name == "local" or (name == "auto" and find_spec("ray") is None):
        return LocalCluster(threads or usable_threads())
    address = os.environ.get("RAY_ADDRESS") if name == "ray" else name
    if address is None:
        _protect_local_ray()
    elif address != "auto" and ":" not in address:
        raise R5Error(f"no cluster is called {name!r}: serial, local, ray, auto or an address such as ray://host:10001")
    from r5.parallel.ray_cluster import connect, start

    if address is None:
        return start(threads)
    try:
        return connect(address, threads)
    except ClusterLostError:
        if name != "auto":
            raise
        return LocalCluster(threads or usable_threads())


def _protect_local_ray() -> None:
    """Make a Ray started here accessible from this machine only, with a token; Ray reads this on import."""
    os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
    if "RAY_AUTH_MODE" not in os.environ:
        os.environ.update(RAY_AUTH_MODE="token", RAY_AUTH_TOKEN=secrets.token_hex(32))
