"""A progress bar with rate and remaining time, on a terminal only."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from r5.cli.console import on_terminal

if TYPE_CHECKING:
    from r5.reasoners.base import Progress, Report

__all__ = ["progress_bar"]


@contextmanager
def progress_bar(title: str, quiet: bool = False) -> Iterator[Report | None]:
    """A callback that moves a bar on standard error; None where nobody watches."""
    if quiet or not on_terminal():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn(title),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[message]}"),
    )
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=None, message="")

        def report(progress: Progress) -> None:
            bar.update(task, completed=progress.done, total=progress.total, message=progress.message)

        yield report
