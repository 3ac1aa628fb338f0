"""`r5 warm-up`: compile all kernels once, for images and continuous integration."""

from __future__ import annotations

import time
import warnings
from typing import TYPE_CHECKING

import typer

from r5.cli.common.console import log, show, show_json
from r5.cli.common.first_run import compile_rows
from r5.cli.common.parameters import JSON, QUIET
from r5.errors import R5Error

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["warm_up"]

ENGINES = ("grammar", "chains", "r5")


def warm_up(
    engine: list[str] = typer.Option(
        [], help="Only the kernels of this engine: grammar, chains or r5; may be repeated."
    ),
    processes: int | None = typer.Option(
        None, min=1, max=64, help="Number of processes; default: one for each core that this process may use."
    ),
    as_json: bool = JSON,
    quiet: bool = QUIET,
) -> None:
    """Compile the kernels of all commands ahead of their use.

    Prints the folder that keeps them. Later runs load them from there: in an image, in continuous integration, or for
    users who cannot write to the installation. The folder is beside the package if it can be written, else that of
    the user; R5_CACHE_DIR names another one.

    Example: r5 warm-up

    Example: r5 warm-up --engine chains
    """
    from r5._util.kernels.disk_cache import cache_folders
    from r5._util.kernels.signature_table import read_table, select_missing

    for name in engine:
        if name not in ENGINES:
            raise R5Error(f"{name} has no kernels of its own; expected {', '.join(ENGINES)}")
    tasks = {task for row in read_table() for task in row.tasks if task.partition(" ")[0] in (engine or ENGINES)}
    start = time.perf_counter()
    wanted = sum(bool(tasks & set(row.tasks)) for row in read_table())
    missing = select_missing(tasks)
    folders = cache_folders()
    if missing and not folders.can_write():
        raise R5Error(f"no folder can keep the kernels: {_join(folders.roots)}; name another one in R5_CACHE_DIR")
    compile_rows(missing, quiet, processes, is_wanted=True)
    seconds, left = time.perf_counter() - start, len(select_missing(tasks))
    log(f"compiled {len(missing) - left} of {wanted} kernels in {seconds:.1f} s; the others were there", quiet)
    if left:
        warnings.warn(f"{left} kernels are not kept; the commands that use them compile them", stacklevel=1)
    used = [str(folder) for folder in folders.used()]
    if as_json:
        show_json({"folders": used, "kernels": wanted, "compiled": len(missing) - left, "seconds": seconds})
    else:
        show("\n".join(used))


def _join(folders: tuple[Path, ...]) -> str:
    return " and ".join(map(str, folders))
