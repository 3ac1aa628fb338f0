"""Compile the kernels that most tests use, so that processes that run tests side by side do not each compile them."""

from __future__ import annotations

from r5._util.kernels.precompilation import choose_processes, precompile
from r5._util.kernels.signature_table import select_missing


def compile_kernels() -> None:
    """Compile what is not on disk yet."""
    precompile(select_missing(), choose_processes(60.0), lambda _: None)
