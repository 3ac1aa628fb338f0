"""`r5 serve`: the explorer, a page in the browser to look at a model and a graph, and to ask."""

from __future__ import annotations

import os
import webbrowser
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from r5.cli.asking import asked_data, with_added
from r5.cli.console import log, show
from r5.cli.parameters import ADD, LOAD, MODEL, QUIET, data_names
from r5.cli.progress import waiting
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
        None, help="What to ask about; by default what the model was trained on.", autocompletion=data_names
    ),
    add: list[Path] = ADD,
    port: int = typer.Option(8441, min=0, max=65535, help="The port; 0 takes any that is free."),
    host: str = typer.Option("127.0.0.1", help="The address; others than this machine's need --allow-remote."),
    allow_remote: bool = typer.Option(False, "--allow-remote", help="Let other machines ask, with a token."),
    workers: int = typer.Option(3, min=2, max=64, help="So many questions are worked on at once."),
    seconds: float = typer.Option(10.0, min=0.1, max=3600.0, help="The time that one question may take."),
    open_page: bool = typer.Option(False, "--open", help="Open the page in a browser."),
    load: list[str] = LOAD,
    quiet: bool = QUIET,
) -> None:
    """The explorer: a page in the browser to look and to ask.

    Ask how two entities are related and step through the answer on the graph, add or remove facts and see it change,
    look through the rules and switch some off. Nothing is loaded from elsewhere and nothing on disk is changed.
    The JSON API under /api/v1 gives what --json prints. Ends with Ctrl-C.

    Example: r5 serve model kinship

    Example: r5 serve model graph.tsv --port 9000
    """
    if not hasattr(os, "fork"):
        raise R5Error("the explorer needs a system that can copy a process: Linux, macOS, or Windows with WSL")
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # each worker has one thread; said before anything starts more
    from r5.reasoners.registry import load_model
    from r5.serve.handlers.session import Session
    from r5.serve.limits import Limits
    from r5.serve.server import serve as run

    with waiting(f"reading {model}", quiet):
        reasoner = load_model(model)
    found, name = _data(reasoner, data, load, quiet)
    graph = None
    if add:
        found, graph = _with_added(reasoner, found, add, load, quiet)
    session = Session(reasoner, Path(model).resolve().name, found, name, graph)

    def ready(address: Address) -> None:
        show(address.url)
        log("Ctrl-C ends it", quiet)
        if open_page:
            webbrowser.open(address.url)

    limits = Limits(workers=workers, seconds=seconds)
    with suppress(KeyboardInterrupt):  # that is how it is meant to end
        run(session, host, port, allow_remote=allow_remote, limits=limits, ready=ready)


def _data(reasoner: Reasoner, source: str | None, load: list[str], quiet: bool) -> tuple[Dataset | None, str]:
    """The data to ask about, and what it is called."""
    from r5.data.registry import GENERATORS

    stored = reasoner.summary_.get("data")
    trained = stored.get("name") if isinstance(stored, dict) else None
    if source is None and isinstance(trained, str) and trained in GENERATORS:
        source = trained
    if source is not None:
        found = asked_data(reasoner, source, load, quiet)
        return found, found.name
    return None, trained if isinstance(trained, str) and hasattr(reasoner, "graph_") else ""


def _with_added(
    reasoner: Reasoner, data: Dataset | None, add: list[Path], load: list[str], quiet: bool
) -> tuple[Dataset | None, Graph]:
    """The data on its graph with further facts, and that graph; without data, the model's own graph with them."""
    from r5.data.one_graph import dataset_on
    from r5.graph import Graph

    own = getattr(reasoner, "graph_", None) if data is None else data.graph
    if not isinstance(own, Graph):
        raise R5Error("--add needs one graph to add facts to: give a file of triples as DATA")
    graph = with_added(reasoner, own, add, load, quiet)
    return None if data is None else dataset_on(data, graph), graph
