"""`r5 describe`: what a data set holds."""

from __future__ import annotations

from dataclasses import asdict

from r5.cli.console import show, show_json
from r5.cli.parameters import DATA, JSON, LOAD, QUIET
from r5.cli.progress import load_data

__all__ = ["describe"]


def describe(data: str = DATA, load: list[str] = LOAD, as_json: bool = JSON, quiet: bool = QUIET) -> None:
    """The statistics of a data set.

    They are those of the paper's Tables 7 and 8.

    Example: r5 describe kinship --load seed=1
    """
    summary = load_data(data, load, quiet).describe()
    if as_json:
        show_json(asdict(summary))
    else:
        show(str(summary))
