"""open_cluster: names of clusters, and errors for others."""

from __future__ import annotations

import sys

import pytest

from r5.errors import MissingExtraError, R5Error
from r5.parallel.factory import open_cluster
from r5.parallel.local_cluster import LocalCluster


def test_serial_and_local_are_this_machine() -> None:
    assert open_cluster("serial", 5).workers == 1
    assert open_cluster("local", 5).workers == 5
    assert isinstance(open_cluster(), LocalCluster)
    with pytest.raises(R5Error, match="no cluster is called 'spark': serial, local"):
        open_cluster("spark")


def test_a_missing_ray_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    for name in ("ray_cluster", "ray_pool"):
        monkeypatch.delitem(sys.modules, f"r5.parallel.{name}", raising=False)
    monkeypatch.setenv("RAY_ADDRESS", "localhost:1")
    with pytest.raises(MissingExtraError, match=r'ray is not installed: pip install "r5-reasoning\[ray\]"'):
        open_cluster("ray")
