"""`r5 serve`: the explorer, a page in the browser for queries to a model."""

from __future__ import annotations

import os
import webbrowser
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from r5.cli.common.console import log, show
from r5.cli.common.inputs import add_facts, load_queried_data
from r5.cli.common.parameters import ADD, LOAD, MODEL, QUIET, data_names
from r5.cli.common.progress import spinner
from r5.errors import R5Error

if TYPE_CHECKING:
    from r5.dataset import Dataset
    from r5.graph import Graph
    from r5.reasoners.base import Reasoner
    from r5.serve.server import Address

__all__ = ["serve"]


def serve(
    model: str = MODEL,
    data: str | None = typer.Argument(
        None, help="Data set; default: generated training data of the model.", autocompletion=data_names
    ),
    add: list[Path] = ADD,
    port: int = typer.Option(8441, min=0, max=65535, help="Port; 0 for any free port."),
    host: str = typer.Option("127.0.0.1", help="Address to listen on; other than local ones need --allow-remote."),
    allow_remote: bool = typer.Option(
        False, "--allow-remote", help="Accept requests from other machines, with a token."
    ),
    workers: int = typer.Option(3, min=2, max=64, help="Number of worker processes."),
    seconds: float = typer.Option(10.0, min=0.1, max=3600.0, help="Time limit of a request, in seconds."),
    open_page: bool = typer.Option(False, "--open", help="Open the page in a browser."),
    load: list[str] = LOAD,
    quiet: bool = QUIET,
) -> None:
    """Serve the explorer, a page in the browser.

    The page answers queries step by step on the graph, with facts added or removed and rules switched off. It loads
    nothing from other hosts and changes nothing on disk. The JSON API under /api/v1 returns the output of --json.
    Stop with Ctrl-C.

    Example: r5 serve model kinship

    Example: r5 serve model graph.tsv --port 9000
    """
    if not hasattr(os, "fork"):
        raise R5Error("the explorer needs a system with fork: Linux, macOS, or Windows with WSL")
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # one thread per worker; set before a library starts threads
    from r5.reasoners.registry import load_model
    from r5.serve.handlers.session import Session
    from r5.serve.limits import Limits
    from r5.serve.server import serve as run

    with spinner(f"reading {model}", quiet):
        reasoner = load_model(model)
    found, name = _load_data(reasoner, data, load, quiet)
    graph = None
    if add:
        found, graph = _add_to_graph(reasoner, found, add, load, quiet)
    session = Session(reasoner, Path(model).resolve().name, found, name, graph)

    def ready(address: Address) -> None:
        show(address.url)
        log("stop with Ctrl-C", quiet)
        if open_page:
            webbrowser.open(address.url)

    limits = Limits(workers=workers, seconds=seconds)
    with suppress(KeyboardInterrupt):  # the regular end
        run(session, host, port, allow_remote=allow_remote, limits=limits, ready=ready)


def _load_data(reasoner: Reasoner, source: str | None, load: list[str], quiet: bool) -> tuple[Dataset | None, str]:
    """Load the data to serve and return it with its name."""
    from r5.data.registry import GENERATORS

    stored = reasoner.summary_.get("data")
    trained = stored.get("name") if isinstance(stored, dict) else None
    if source is None and isinstance(trained, str) and trained in GENERATORS:
        source = trained
    if source is not None:
        found = load_queried_data(reasoner, source, load, quiet)
        return found, found.name
    return None, trained if isinstance(trained, str) and hasattr(reasoner, "graph_") else ""


def _add_to_graph(
    reasoner: Reasoner, data: Dataset | None, add: list[Path], load: list[str], quiet: bool
) -> tuple[Dataset | None, Graph]:
    """Add facts to the graph of the data or of the model; return the data on it, and the graph."""
    from r5.data.one_graph import dataset_on
    from r5.graph import Graph

    own = getattr(reasoner, "graph_", None) if data is None else data.graph
    if not isinstance(own, Graph):
        raise R5Error("--add needs one graph to add facts to: give a file of triples as DATA")
    graph = add_facts(reasoner, own, add, load, quiet)
    return None if data is None else dataset_on(data, graph), graph
