"""First run of an engine: its kernels are compiled, once, and that is announced with progress."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec

from r5._util.kernels.compile_events import COMPILATIONS, Compilations
from r5.cli.common.console import is_terminal, log

__all__ = ["announce_compilations", "compile_rows", "prepare_kernels"]

_SMALL = 0.5
"""Seconds of compilation that are not announced."""
_LINE_SECONDS = 10.0
"""Seconds between two lines of progress where there is no terminal."""


def prepare_kernels(engine: str, command: str, quiet: bool = False) -> None:
    """Compile the kernels that a command needs, unless they are on disk; announce it.

    Args:
        engine: Name of the engine.
        command: Name of the command.
        quiet: Whether to compile without a word.
    """
    if engine not in ("grammar", "chains", "r5") or os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
        return
    if engine == "r5" and find_spec("torch") is None:
        return  # training will name the extra
    from r5._util.kernels.signature_table import select_missing

    rows = select_missing([f"{engine} {command}"])
    if rows:
        compile_rows(rows, quiet)


def compile_rows(
    rows: list[int], quiet: bool = False, processes: int | None = None, *, is_wanted: bool = False
) -> None:
    """Compile rows of the table of kernels in several processes, with progress.

    Args:
        rows: Positions in the table.
        quiet: Whether to compile without a word.
        processes: Number of processes; None to choose it.
        is_wanted: Whether compilation is wanted for itself, however little it is.
    """
    from r5._util.kernels.disk_cache import cache_folders
    from r5._util.kernels.precompilation import choose_processes, expect_seconds, precompile

    if not rows or not cache_folders().can_write():
        return  # nothing would be kept: each kernel is compiled when it is called
    if processes is None:
        processes = choose_processes(expect_seconds(rows, 1))
    expected = expect_seconds(rows, processes)
    if expected < _SMALL and not is_wanted:
        return
    log(f"compiling kernels, once: about {max(1, round(expected))} s", quiet)
    before, COMPILATIONS.before = COMPILATIONS.before, lambda _: None
    try:
        with _compile_progress(quiet) as progress:
            precompile(rows, processes, progress)
    finally:
        COMPILATIONS.before = before
        COMPILATIONS.announced = COMPILATIONS.seconds


@contextmanager
def _compile_progress(quiet: bool) -> Iterator[Callable[[float], None]]:
    """Yield a callback for the share that is done: a bar on a terminal, else a line now and then."""
    if quiet:
        yield lambda _: None
        return
    if not is_terminal():
        last = time.monotonic()

        def write(share: float) -> None:
            nonlocal last
            if time.monotonic() - last >= _LINE_SECONDS and share < 1:
                last = time.monotonic()
                log(f"compiling kernels: {share:.0%}")

        yield write
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (TextColumn("compiling kernels"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=1.0)
        yield lambda share: bar.update(task, completed=share)


def announce_compilations(quiet: bool) -> None:
    """Announce compilations that no command has prepared, at most once."""
    is_announced = False

    def before(found: Compilations) -> None:
        nonlocal is_announced
        if is_announced or found.seconds - found.announced < _SMALL:
            return
        is_announced = True
        from r5._util.kernels.disk_cache import cache_folders

        if cache_folders().can_write():
            log("compiling further kernels, once", quiet)
        else:
            log("compiling kernels, in each run: no folder can keep them (see R5_CACHE_DIR)", quiet)

    COMPILATIONS.before = before
