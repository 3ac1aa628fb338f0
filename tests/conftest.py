"""Shared fixtures, and what tests that run side by side share: cores and compiled kernels."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from r5.dataset import Dataset

if "PYTEST_XDIST_WORKER" in os.environ:
    # Each process keeps to one thread; said before PyTorch and numba look.
    os.environ.setdefault("OMP_NUM_THREADS", "1")


def pytest_sessionstart(session: pytest.Session) -> None:
    """Before the processes that run tests start, kernels are compiled once for all of them."""
    if getattr(session.config.option, "numprocesses", None) and "PYTEST_XDIST_WORKER" not in os.environ:
        from tests.helpers.compiling import compile_kernels

        compile_kernels()


@pytest.fixture(scope="session", autouse=True)
def _generated_once() -> Iterator[None]:
    """Families are generated once for all tests of a process that ask for them by name; no test changes data."""
    from r5.data.generators.kinship import dataset

    made: dict[str, Dataset] = {}
    generate = dataset.generate_kinship

    @wraps(generate)
    def kept(**options: Any) -> Dataset:
        key = repr(sorted(options.items()))
        if key not in made:
            made[key] = generate(**options)
        return made[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dataset, "generate_kinship", kept)
        yield


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of real benchmark data; tests that need it skip where it is absent."""
    default = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("R5_DATA", default))
    if not folder.is_dir():
        pytest.skip("the benchmark data is not here: set R5_DATA to its folder")
    return folder
