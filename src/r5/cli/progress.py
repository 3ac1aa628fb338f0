"""What a person sees while waiting, on a terminal only: a bar with the remaining time, or a spinner."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from r5.cli.console import on_terminal, options

if TYPE_CHECKING:
    from r5.dataset import Dataset
    from r5.reasoners.base import Progress, Report

__all__ = ["load_data", "progress_bar", "waiting"]


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


@contextmanager
def waiting(title: str, quiet: bool = False) -> Iterator[None]:
    """A spinner on standard error for work whose length is not known."""
    if quiet or not on_terminal():
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(title):
        yield


def load_data(source: str, pairs: list[str], quiet: bool = False) -> Dataset:
    """The data set that a command was given, with its `--load` options."""
    import r5

    with waiting(f"reading {source}", quiet):
        return r5.load(source, **options(pairs))
