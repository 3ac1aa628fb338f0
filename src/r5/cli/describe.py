"""`r5 describe`: what a data set holds."""

from __future__ import annotations

from dataclasses import asdict

import typer

from r5.cli.console import show, show_json
from r5.cli.progress import load_data

__all__ = ["describe"]


def describe(
    data: str = typer.Argument(help="A built-in name (kinship, world), a folder or a file."),
    option: list[str] = typer.Option([], "--load", metavar="KEY=VALUE", help="An option for the loader."),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object."),
) -> None:
    """The statistics of a data set, those of the paper's Tables 7 and 8.

    Example: r5 describe kinship --load seed=1
    """
    summary = load_data(data, option).describe()
    if as_json:
        show_json(asdict(summary))
    else:
        show(str(summary))
