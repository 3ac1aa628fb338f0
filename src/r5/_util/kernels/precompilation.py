"""Compilation of many kernels ahead of their use, by several processes that share the cache on disk.

Run as a module, it compiles the rows of the table whose numbers it reads, and answers each with a line.
"""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import Lock, Thread

from r5._util.kernels.signature_table import read_table
from r5._util.runtime.threads import usable_threads

__all__ = ["choose_processes", "expect_seconds", "precompile"]

_SECONDS_PER_PROCESS = 2.5
"""Seconds of compilation that outweigh the start of a process."""
_MAX_PROCESSES = 8
_SPEEDUP = 0.85
"""Efficiency of a further process: it starts anew, and compiles shared inner kernels again."""


def choose_processes(seconds: float) -> int:
    """Return the number of processes for compilations that take some seconds altogether."""
    wanted = math.ceil(seconds / _SECONDS_PER_PROCESS)
    return max(1, min(wanted, usable_threads(), _MAX_PROCESSES if sys.executable else 1))


def expect_seconds(rows: Sequence[int], processes: int) -> float:
    """Return the expected time of compilations."""
    table = read_table()
    return sum(table[row].seconds for row in rows) / (1 + _SPEEDUP * (processes - 1))


def precompile(rows: Sequence[int], processes: int, progress: Callable[[float], None]) -> None:
    """Compile rows of the table.

    Args:
        rows: Positions in the table, in the order of compilation.
        processes: Number of processes, this one included.
        progress: Callback with the share of the work that is done.
    """
    table = read_table()
    total = sum(table[row].seconds for row in rows) or 1.0
    waiting, done, lock = list(rows), [0.0], Lock()

    def take() -> int | None:
        with lock:
            return waiting.pop(0) if waiting else None

    def finish(row: int) -> None:
        with lock:
            done[0] += table[row].seconds
        progress(min(done[0] / total, 1.0))

    helpers = [_start_helper() for _ in range(processes - 1)]
    threads = [Thread(target=_feed, args=(helper, take, finish), daemon=True) for helper in helpers]
    try:
        for thread in threads:
            thread.start()
        while (row := take()) is not None:
            table[row].compile()
            finish(row)
        for thread in threads:
            thread.join()
    finally:
        for helper in helpers:
            helper.kill()
        for thread in threads:
            if thread.ident is not None:
                thread.join()
        for helper in helpers:
            helper.communicate()


def _start_helper() -> subprocess.Popen[str]:
    words = [sys.executable, "-P", "-m", "r5._util.kernels.precompilation"]  # -P: not from the current folder
    pipe = subprocess.PIPE
    return subprocess.Popen(words, text=True, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL)  # noqa: S603  our own


def _feed(helper: subprocess.Popen[str], take: Callable[[], int | None], finish: Callable[[int], None]) -> None:
    """Give rows to a helper, one at a time; if it fails, its row is compiled when it is called."""
    assert helper.stdin is not None  # noqa: S101  for the type checker
    assert helper.stdout is not None  # noqa: S101
    with suppress(OSError, ValueError):
        while (row := take()) is not None:
            helper.stdin.write(f"{row}\n")
            helper.stdin.flush()
            if not helper.stdout.readline():
                return
            finish(row)


def _help() -> None:
    for line in sys.stdin:
        read_table()[int(line)].compile()
        sys.stdout.write("\n")
        sys.stdout.flush()


if __name__ == "__main__":
    _help()
