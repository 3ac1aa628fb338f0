"""A lock excludes a second writer and ends with its process."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from r5._util.files.lock import exclusive_lock
from r5.errors import DataError

HOLD = """
import sys, time
from pathlib import Path
from r5._util.files.lock import exclusive_lock
with exclusive_lock(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


def test_a_lock_excludes_a_second_writer_until_its_process_dies(tmp_path: Path) -> None:
    path = tmp_path / "model"
    process = subprocess.Popen([sys.executable, "-c", HOLD, str(path)], stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == b"held\n"
        start = time.monotonic()
        with pytest.raises(DataError, match="model: is being written by another process"), exclusive_lock(path):
            pass
        assert time.monotonic() - start < 5
        with exclusive_lock(tmp_path / "other"):
            pass
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
    assert (tmp_path / ".model.lock").exists()
    with exclusive_lock(path):
        pass
    assert list(tmp_path.iterdir()) == []


def test_an_exception_releases_the_lock(tmp_path: Path) -> None:
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt), exclusive_lock(tmp_path / "model"):
            raise KeyboardInterrupt
    with exclusive_lock(tmp_path / "deep" / "model"), exclusive_lock(tmp_path / "model"):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["deep"]


def test_a_path_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(DataError, match="cannot be written"), exclusive_lock(tmp_path / "file" / "model"):
        pass
