"""Which cluster a name means, and what is said where there is none."""

from __future__ import annotations

import sys

import pytest

from r5.errors import MissingExtraError, R5Error
from r5.parallel.local import Local
from r5.parallel.opening import open_cluster


def test_this_machine_has_names() -> None:
    assert open_cluster("serial", 5).workers == 1
    assert open_cluster("local", 5).workers == 5
    assert isinstance(open_cluster(), Local)
    with pytest.raises(R5Error, match="no cluster is called 'spark': serial, local"):
        open_cluster("spark")


def test_without_ray_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    for name in ("ray_backend", "ray_crew"):
        monkeypatch.delitem(sys.modules, f"r5.parallel.{name}", raising=False)
    monkeypatch.setenv("RAY_ADDRESS", "localhost:1")
    with pytest.raises(MissingExtraError, match=r'ray is not installed: pip install "r5-reasoning\[ray\]"'):
        open_cluster("ray")
