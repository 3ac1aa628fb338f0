"""Progress on a terminal: a bar with the remaining time, or a spinner; loading of data with a spinner."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from r5.cli.common.console import is_terminal, log, parse_options

if TYPE_CHECKING:
    from r5.dataset import Dataset
    from r5.graph import Graph
    from r5.reasoners.base import Progress, ProgressCallback

__all__ = ["load_data", "load_graph", "log_source", "progress_bar", "read_graph", "spinner"]


@contextmanager
def progress_bar(title: str, quiet: bool = False) -> Iterator[ProgressCallback | None]:
    """Yield a callback that moves a bar on standard error; None if it is not a terminal."""
    if quiet or not is_terminal():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.fields[count]}", style="progress.download"),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[message]}", markup=False),
    )
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=None, message="", rate="", count="")

        stage = ""

        def show(progress: Progress) -> None:
            nonlocal stage
            if progress.stage != stage:
                stage = progress.stage
                # Each stage has its own total, speed and message; `reset` keeps a total that is not given.
                bar.reset(task, total=progress.total or 1, description=stage or title, count="", rate="", message="")
            total = progress.total or None
            count = "" if total is None else f"{progress.done:,}/{total:,}"
            bar.update(task, completed=progress.done, message=progress.message, count=count)
            bar.tasks[0].total = total  # `update` takes None for "as it is"
            bar.update(task, rate="" if total is None else _format_rate(bar.tasks[0].speed))

        yield show


def _format_rate(speed: float | None) -> str:
    """Format a speed with two significant digits or as an integer.

    >>> _format_rate(None), _format_rate(0.25), _format_rate(1234.5)
    ('', '0.25/s', '1,234/s')
    """
    return "" if speed is None else f"{speed:,.0f}/s" if speed >= 10 else f"{speed:.2g}/s"


@contextmanager
def spinner(title: str, quiet: bool = False) -> Iterator[None]:
    """Show a spinner on standard error during work of unknown length."""
    if quiet or not is_terminal():
        yield
        return
    from rich.console import Console
    from rich.text import Text

    with Console(stderr=True).status(Text(title)):
        yield


def load_data(source: str, pairs: list[str], quiet: bool = False) -> Dataset:
    """Load a data set with `--load` options, and log how it was read."""
    import r5

    with spinner(f"reading {source}", quiet):
        data = r5.load(source, **parse_options(pairs))
    log_source(data, quiet)
    return data


def load_graph(path: str, pairs: list[str], quiet: bool = False) -> Graph:
    """Load the graph of a file or folder of triples with `--load` options, and log how it was read."""
    from r5.data.formats.triples import read_triples
    from r5.data.registry import accepted

    return read_graph(path, accepted(parse_options(pairs), "a file of triples", read_triples), quiet)


def read_graph(path: str | Path, options: Mapping[str, Any], quiet: bool = False) -> Graph:
    """Load the graph of a file or folder of triples, and log how it was read."""
    from r5.data.formats.triples import load_triples

    with spinner(f"reading {path}", quiet):
        data = load_triples(path, **options)
    log_source(data, quiet)
    return (data.inference or data).train.pool


def log_source(data: Dataset, quiet: bool = False) -> None:
    """Log how files were read: columns, header, and dropped rows."""
    if data.source:
        log(f"read {data.source}", quiet)
