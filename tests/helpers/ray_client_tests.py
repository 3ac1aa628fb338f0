"""Ray from outside: `ray start --head`, and a client of it that is no part of the cluster.

Run by `tests/parallel/test_ray_cluster.py` where gRPC is installed, which Ray's client needs.
"""

from __future__ import annotations

import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import r5
from r5.errors import ClusterLostError
from r5.parallel.cluster import Cluster

QUICK = {"restarts": (0.5, 2.0), "annealing_steps": 4, "sparse_steps": 2, "evidence": "one"}


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cluster]:
    """A cluster of two cores, reached through the server for clients that its head runs."""
    monkeypatch.setenv("RAY_AUTH_MODE", "token")
    monkeypatch.setenv("RAY_AUTH_TOKEN", secrets.token_hex(32))
    monkeypatch.setenv("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    port, door, log = free_port(), free_port(), tmp_path / "head.log"
    folder = tempfile.mkdtemp(prefix="r5-")  # names of sockets must be short
    command = [sys.executable, "-m", "ray.scripts.scripts", "start", "--head", "--block", "--include-dashboard=false"]
    command += ["--num-cpus=2", "--object-store-memory=80000000", "--node-ip-address=127.0.0.1", f"--port={port}"]
    command += [f"--ray-client-server-port={door}", f"--temp-dir={folder}", "--disable-usage-stats"]
    with log.open("w") as out, subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT) as head:
        try:
            yield opened(f"ray://127.0.0.1:{door}", log)
        finally:
            head.send_signal(signal.SIGTERM)
            head.wait(60)
            shutil.rmtree(folder, ignore_errors=True)


def opened(address: str, log: Path) -> Cluster:
    end = time.monotonic() + 60
    while True:
        try:
            return r5.open_cluster(address)
        except ClusterLostError as error:
            assert time.monotonic() < end, f"{error}\n{log.read_text()}"
            time.sleep(0.5)


def test_a_client_outside_of_the_cluster_has_the_same_bits(cluster: Cluster) -> None:
    assert (cluster.workers, cluster.is_local) == (2, False)
    examples = r5.load("world", train=30, valid=0).train
    here, there = (r5.GrammarReasoner(seed=1, **QUICK) for _ in range(2))
    here.fit(examples)
    with cluster:
        there.fit(examples, cluster=cluster)
    assert there.learned_.counts.rules.tobytes() == here.learned_.counts.rules.tobytes()
