"""Arguments and options that several commands share, so that they mean and read the same everywhere."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import typer

__all__ = [
    "ADD",
    "CLUSTER",
    "DATA",
    "JSON",
    "LOAD",
    "MIN_PROBABILITY",
    "MODEL",
    "QUIET",
    "SPLIT",
    "WRONG_EDGES",
    "Split",
    "data_names",
    "engine_names",
]

Split = Literal["train", "valid", "test"]


def data_names(incomplete: str) -> list[str]:
    """Built-in data sets that start so, for the shell; files are completed by the shell itself."""
    return [name for name in ("kinship", "world", "library") if name.startswith(incomplete)]


def engine_names(incomplete: str) -> list[str]:
    """Engines that start so, for the shell."""
    from r5.reasoners.registry import BASELINES, ENGINES

    return [name for name in (*ENGINES, *BASELINES) if name.startswith(incomplete)]


MODEL = typer.Argument(help="A model folder.")
DATA = typer.Argument(help="A built-in name (kinship, world, library), a folder or a file.", autocompletion=data_names)
CLUSTER = typer.Option(
    "local",
    envvar="R5_CLUSTER",
    metavar="WHERE",
    help="Where it runs: serial, local, ray, auto or ray://host:10001; the results are the same.",
)
SPLIT = typer.Option("test", help="The part of the data.")
LOAD = typer.Option([], "--load", metavar="KEY=VALUE", help="An option for the loader, such as train=300.")
ADD: list[Path] = typer.Option(
    [], "--add", metavar="FILE", help="Further facts, a file of triples, without training again; may be repeated."
)
JSON = typer.Option(False, "--json", help="Print one JSON object.")
QUIET = typer.Option(False, "--quiet", help="No progress, no log.")
MIN_PROBABILITY = typer.Option(
    None,
    min=0.0,
    max=1.0,
    metavar="P",
    help="Minimum probability of an answer; below it the model cannot say. Engine r5: minimum score.",
)
WRONG_EDGES = typer.Option(
    None,
    metavar="SHARE",
    help="Engine grammar: how often an edge is wrong, such as 0.1, where that is not as in training; or estimate.",
)
