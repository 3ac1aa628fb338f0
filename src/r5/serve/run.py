"""Running the explorer: the nursery first, while there is nothing else; then the server."""

from __future__ import annotations

import secrets
import socket
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from r5.errors import R5Error, need
from r5.examples import Examples
from r5.serve.limits import Limits
from r5.serve.nursery import Nursery, Work, start_nursery
from r5.serve.shelf import Shelf

__all__ = ["Address", "serve"]


@dataclass(frozen=True)
class Address:
    """Where the explorer is to be found."""

    host: str
    port: int
    token: str | None

    @property
    def url(self) -> str:
        """What to type into a browser."""
        name = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{name}:{self.port}/" + ("" if self.token is None else f"?token={self.token}")


def serve(
    shelf: Shelf,
    host: str = "127.0.0.1",
    port: int = 8441,
    *,
    allow_remote: bool = False,
    limits: Limits | None = None,
    ready: Callable[[Address], None] = lambda _: None,
) -> None:
    """Serve until interrupted.

    `ready` is told the address as soon as it answers; port 0 takes any that is free.
    """
    if host not in ("127.0.0.1", "localhost", "::1") and not allow_remote:
        raise R5Error(f"{host} can be reached from other machines; allow that with --allow-remote")
    try:
        import uvicorn

        from r5.serve.app import make_app
    except ImportError as error:
        raise need(error.name or "starlette", "serve") from None
    chosen = limits or Limits()
    listening = _listen(host, port)
    port = listening.getsockname()[1]
    try:
        nursery = _nursery(shelf, chosen, listening)
    except BaseException:
        listening.close()
        raise
    token = secrets.token_urlsafe(24) if allow_remote else None
    options: dict[str, Any] = {"log_level": "error", "access_log": False, "timeout_keep_alive": 30, "lifespan": "on"}
    config = uvicorn.Config(
        make_app(nursery, port, chosen, token),
        h11_max_incomplete_event_size=64 * 1024,
        server_header=False,
        timeout_graceful_shutdown=1,
        limit_concurrency=2000,
        **options,
    )
    server = uvicorn.Server(config)
    ready(Address(host, port, token))
    server.run(sockets=[listening])


def _listen(host: str, port: int) -> socket.socket:
    """The socket, before any work is done, so that a port in use is told at once."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # The protocol is named, for only then does asyncio send what is short at once: else each answer waits 40 ms.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen(512)
    except (OSError, OverflowError) as error:
        listening.close()
        what = getattr(error, "strerror", None) or error
        raise R5Error(f"cannot serve on {host}:{port}: {what}; choose another with --port") from None
    return listening


def _nursery(shelf: Shelf, limits: Limits, listening: socket.socket) -> Nursery:
    def prepare() -> Work:
        listening.close()
        return _prepared(shelf, limits)

    return start_nursery(prepare, limits.memory)


def _prepared(shelf: Shelf, limits: Limits) -> Work:
    """A desk with everything that questions share made before the first worker is: they all have it then."""
    from r5.serve.desk import Desk

    desk = Desk(shelf, limits.answer)
    _warm_up(shelf)
    return desk


def _warm_up(shelf: Shelf) -> None:
    """One question is asked, which compiles what answering needs."""
    name = shelf.first_graph
    if name is None:
        return
    graph = shelf.graph(name, [])
    _ = graph.nodes, graph.outgoing, graph.incoming, shelf.model.rules_
    example = shelf.example(name)
    if example is None and graph.number_of_edges:
        ends = graph.entities[graph.sources[0]], graph.entities[graph.targets[-1]]
        example = shelf.question(name, [], *ends)
    if example is not None:
        shelf.model.predict_many(Examples.of([example]))
