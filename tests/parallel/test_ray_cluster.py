"""RayCluster on a real Ray of this machine: tests in `tests/helpers` that run in processes of their own.

Ray keeps its first configuration for as long as a process lives, and parallel test processes would start several.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from importlib.util import find_spec

import pytest

from tests.helpers.documentation import ROOT

LONGEST = 300


@pytest.mark.skipif(sys.platform != "linux", reason="workers are found and killed by means of Linux")
def test_a_ray_of_this_machine() -> None:
    check("tests/helpers/ray_tests.py")


@pytest.mark.skipif(sys.platform != "linux", reason="as above")
@pytest.mark.skipif(find_spec("grpc") is None, reason="Ray's client needs gRPC: pip install 'ray[client]'")
def test_a_ray_client() -> None:
    check("tests/helpers/ray_client_tests.py")


def check(tests: str) -> None:
    """Check that tests pass in a process of their own."""
    around = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", tests]
    with subprocess.Popen(
        command,
        cwd=ROOT,
        env=around,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            shown, _ = process.communicate(timeout=LONGEST)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            pytest.fail(f"not done after {LONGEST} s:\n{process.communicate()[0]}")
    assert process.returncode == 0, shown
    assert " passed" in shown
