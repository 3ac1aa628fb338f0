"""Arguments and options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import typer

__all__ = [
    "ADD",
    "CLUSTER",
    "DATA",
    "GRAPH",
    "JSON",
    "LOAD",
    "MIN_PROBABILITY",
    "MODEL",
    "QUIET",
    "SPLIT",
    "WRONG_EDGES",
    "GraphChoice",
    "Split",
    "data_names",
    "engine_names",
]

Split = Literal["train", "valid", "test"]
GraphChoice = Literal["auto", "training", "data", "merged"]


def data_names(incomplete: str) -> list[str]:
    """Complete names of built-in data sets; the shell completes files itself."""
    return [name for name in ("kinship", "world", "library") if name.startswith(incomplete)]


def engine_names(incomplete: str) -> list[str]:
    """Complete names of engines."""
    from r5.reasoners.registry import BASELINES, ENGINES, installed_engines

    return [name for name in (*ENGINES, *installed_engines(), *BASELINES) if name.startswith(incomplete)]


MODEL = typer.Argument(help="Model folder.")
DATA = typer.Argument(
    help="Data set: a built-in name (kinship, world, library), a folder or a file.", autocompletion=data_names
)
CLUSTER = typer.Option(
    "local",
    envvar="R5_CLUSTER",
    metavar="WHERE",
    help="Machines to run on: serial, local, ray, auto or ray://host:10001; results are the same.",
)
GRAPH = typer.Option(
    "auto",
    "--graph",
    help="Engine chains: graph that queries are answered on: the model's training graph, that of DATA, or both merged; "
    "auto: that of DATA if all its entities are new to the model, else merged.",
)
SPLIT = typer.Option("test", help="Split of the data.")
LOAD = typer.Option([], "--load", metavar="KEY=VALUE", help="Option of the loader, such as train=300; may be repeated.")
ADD: list[Path] = typer.Option(
    [],
    "--add",
    metavar="FILE",
    help="File of triples whose facts are added to the graph, without training again; may be repeated.",
)
JSON = typer.Option(False, "--json", help="Print one JSON object.")
QUIET = typer.Option(False, "--quiet", help="Print no progress and no log.")
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
    help="Engine grammar: share of wrong edges, such as 0.1, or estimate; default: as in training.",
)
