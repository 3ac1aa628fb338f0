"""`r5 serve`: the explorer, a page in the browser for queries to a model."""

from __future__ import annotations

import os
import signal
import sys
import threading
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from r5.cli.common.console import log, show
from r5.cli.common.inputs import add_facts, load_queried_data
from r5.cli.common.models import load_prepared
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
    compare: str | None = typer.Option(
        None, metavar="MODEL", help="Second model, whose answers are shown beside those of the first."
    ),
    port: int = typer.Option(8441, min=0, max=65535, help="Port; 0 for any free port."),
    host: str = typer.Option("127.0.0.1", help="Address to listen on; other than local ones need --allow-remote."),
    allow_remote: bool = typer.Option(
        False, "--allow-remote", help="Accept requests from other machines, with a token."
    ),
    allow_host: list[str] = typer.Option(
        [],
        "--allow-host",
        metavar="NAME",
        help="Further host name that requests may name, such as that of a proxy; may be repeated.",
    ),
    root_path: str = typer.Option(
        "", "--root-path", metavar="PATH", help="Prefix of all URLs behind a proxy, such as /r5."
    ),
    access_log: bool = typer.Option(False, "--access-log", help="Log each request on standard error."),
    workers: int = typer.Option(3, min=2, max=64, help="Number of worker processes."),
    seconds: float = typer.Option(10.0, min=0.1, max=3600.0, help="Time limit of a request, in seconds."),
    open_page: bool = typer.Option(False, "--open", help="Open the page in a browser."),
    load: list[str] = LOAD,
    quiet: bool = QUIET,
) -> None:
    """Serve the explorer, a page in the browser.

    The page answers queries step by step on the graph, with facts added or removed and rules switched off. It loads
    nothing from other hosts and changes nothing on disk. The JSON API under /api/v1 returns the output of --json.
    Stop with Ctrl-C or SIGTERM: requests in progress are answered first. /health and /metrics (Prometheus) are for
    operators. The environment variable R5_TOKEN sets the token that requests need.

    Example: r5 serve model kinship

    Example: r5 serve model graph.tsv --port 9000

    Example: r5 serve model --allow-host r5.example.org --root-path /r5
    """
    if not hasattr(os, "fork"):
        raise R5Error("the explorer needs a system with fork: Linux, macOS, or Windows with WSL")
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # one thread per worker; set before a library starts threads
    from r5.serve.handlers.session import Session
    from r5.serve.limits import Limits
    from r5.serve.operation import Operation
    from r5.serve.server import check_start
    from r5.serve.server import serve as run

    check_start(host, allow_remote)
    operation = Operation(tuple(allow_host), root_path, os.environ.get("R5_TOKEN"), log if access_log else None)
    with spinner(f"reading {model}", quiet):
        reasoner = load_prepared(model, "predict", quiet)
    found, name = _load_data(reasoner, data, load, quiet)
    graph = None
    if add:
        found, graph = _add_to_graph(reasoner, found, add, load, quiet)
    session = Session(reasoner, Path(model).resolve().name, found, name, graph)
    if compare is not None:
        session.other, session.other_name = load_prepared(compare, "predict", quiet), Path(compare).resolve().name

    def ready(address: Address) -> None:
        show(address.url)
        log("stop with Ctrl-C", quiet)
        if open_page:
            webbrowser.open(address.url)

    limits = Limits(workers=workers, seconds=seconds)
    with _regular_end():
        run(session, host, port, allow_remote=allow_remote, limits=limits, operation=operation, ready=ready)


@contextmanager
def _regular_end() -> Iterator[None]:
    """End without an error at Ctrl-C, and at SIGTERM, which container runtimes and service managers send."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        with suppress(KeyboardInterrupt):
            yield
    finally:
        signal.signal(signal.SIGTERM, before)


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
