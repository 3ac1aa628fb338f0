"""Shared fixtures."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of real benchmark data; tests that need it skip where it is absent."""
    default = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("R5_DATA", default))
    if not folder.is_dir():
        pytest.skip("the benchmark data is not here: set R5_DATA to its folder")
    return folder
