"""Reproducible use of PyTorch."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import torch

__all__ = ["seed_torch"]


@contextlib.contextmanager
def seed_torch(seed: int) -> Iterator[None]:
    """Seed PyTorch and use one thread, for results that do not depend on the machine; restore both at the end."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed % 2**63)
            yield
    finally:
        torch.set_num_threads(threads)
