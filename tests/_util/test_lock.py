"""A lock keeps a second writer out, and no lock outlives the process that holds it."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from r5._util.lock import only_writer
from r5.errors import DataError

HOLD = """
import sys, time
from pathlib import Path
from r5._util.lock import only_writer
with only_writer(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


def test_a_second_writer_is_told_and_a_dead_one_is_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "model"
    process = subprocess.Popen([sys.executable, "-c", HOLD, str(path)], stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == b"held\n"
        start = time.monotonic()
        with pytest.raises(DataError, match="model: is being written by another process"), only_writer(path):
            pass
        assert time.monotonic() - start < 5
        with only_writer(tmp_path / "other"):
            pass
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
    assert (tmp_path / ".model.lock").exists()
    with only_writer(path):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_lock_is_given_back_whatever_happens(tmp_path: Path) -> None:
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt), only_writer(tmp_path / "model"):
            raise KeyboardInterrupt
    with only_writer(tmp_path / "deep" / "model"), only_writer(tmp_path / "model"):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["deep"]


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(DataError, match="cannot be written"), only_writer(tmp_path / "file" / "model"):
        pass
