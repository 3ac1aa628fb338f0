"""What a person sees while waiting, on a terminal only: a bar with the remaining time, or a spinner."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from r5.cli.console import on_terminal, options

if TYPE_CHECKING:
    from r5.dataset import Dataset
    from r5.graph import Graph
    from r5.reasoners.base import Progress, ProgressCallback

__all__ = ["graph_of", "load_data", "progress_bar", "waiting"]


@contextmanager
def progress_bar(title: str, quiet: bool = False) -> Iterator[ProgressCallback | None]:
    """A callback that moves a bar on standard error; None where nobody watches."""
    if quiet or not on_terminal():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[message]}", markup=False),
    )
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=None, message="", rate="")

        stage = ""

        def show(progress: Progress) -> None:
            nonlocal stage
            if progress.stage != stage:
                stage = progress.stage
                bar.reset(task, description=stage or title)  # each stage has a pace of its own
            bar.update(task, completed=progress.done, total=progress.total, message=progress.message)
            bar.update(task, rate=_rate(bar.tasks[0].speed))

        yield show


def _rate(speed: float | None) -> str:
    """How many a second, with a digit or two that count.

    >>> _rate(None), _rate(0.25), _rate(1234.5)
    ('', '0.25/s', '1,234/s')
    """
    return "" if speed is None else f"{speed:,.0f}/s" if speed >= 10 else f"{speed:.2g}/s"


@contextmanager
def waiting(title: str, quiet: bool = False) -> Iterator[None]:
    """A spinner on standard error for work whose length is not known."""
    if quiet or not on_terminal():
        yield
        return
    from rich.console import Console
    from rich.text import Text

    with Console(stderr=True).status(Text(title)):
        yield


def load_data(source: str, pairs: list[str], quiet: bool = False) -> Dataset:
    """The data set that a command was given, with its `--load` options."""
    import r5

    with waiting(f"reading {source}", quiet):
        return r5.load(source, **options(pairs))


def graph_of(path: str, pairs: list[str], quiet: bool = False) -> Graph:
    """The graph of a file of triples, or of a folder of them with splits, that a command was given."""
    from r5.data.formats.triples import read_triples
    from r5.data.registry import accepted

    given = accepted(options(pairs), "a file of triples", read_triples)
    with waiting(f"reading {path}", quiet):
        return read_triples(path, **given)
