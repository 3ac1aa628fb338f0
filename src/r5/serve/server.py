"""Start of the explorer: the fork server first, in a process without threads; then the HTTP server."""

from __future__ import annotations

import json
import math
import secrets
import socket
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Any

from r5.errors import R5Error, need
from r5.examples import Examples
from r5.serve.handlers.session import Session
from r5.serve.limits import Limits
from r5.serve.operation import Operation
from r5.serve.workers.fork_server import ForkServer, MessageHandler, start_fork_server

__all__ = ["Address", "check_start", "serve"]


@dataclass(frozen=True)
class Address:
    """Address of a running explorer."""

    host: str
    port: int
    token: str | None
    """Token that the server chose; None if requests need none, or the operator's."""
    root_path: str = ""

    @property
    def url(self) -> str:
        """URL of the page, with the token that the server chose."""
        name = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{name}:{self.port}{self.root_path}/" + ("" if self.token is None else f"?token={self.token}")


def serve(
    session: Session,
    host: str = "127.0.0.1",
    port: int = 8441,
    *,
    allow_remote: bool = False,
    limits: Limits | None = None,
    operation: Operation | None = None,
    ready: Callable[[Address], None] = lambda _: None,
) -> None:
    """Serve until interrupted.

    Args:
        session: Served model and data.
        host: Host name or IP address to listen on.
        port: Port to listen on; 0 for any free port.
        allow_remote: Whether a host that other machines reach is allowed; requests then need a token.
        limits: Limits of requests.
        operation: Settings of an operator.
        ready: Callback with the address, called before the first request is accepted.

    Raises:
        R5Error: The host is not allowed, the port is not available, or no worker can be started.
        MissingExtraError: The packages of the extra `serve` are not installed.
    """
    check_start(host, allow_remote)
    import uvicorn

    from r5.serve.http.app import make_app
    from r5.serve.workers.dispatcher import Dispatcher

    limits, operation = limits or Limits(), operation or Operation()
    listening = _listen(host, port)
    port = listening.getsockname()[1]
    try:
        handle = Dispatcher(session, limits.answer)
        first = _first_answers(handle)
        fork_server = _start_workers(session, handle, limits, listening)
    except BaseException:
        listening.close()
        raise
    shown = secrets.token_urlsafe(24) if allow_remote and operation.token is None else None
    if shown is not None:
        operation = replace(operation, token=shown)
    options: dict[str, Any] = {"log_level": "error", "access_log": False, "timeout_keep_alive": 30, "lifespan": "on"}
    has_failed = False

    def fail() -> None:
        nonlocal has_failed
        has_failed = server.should_exit = server.force_exit = True

    config = uvicorn.Config(
        make_app(fork_server, port, limits, operation, first, fail),
        h11_max_incomplete_event_size=64 * 1024,
        server_header=False,
        timeout_graceful_shutdown=math.ceil(limits.seconds) + 1,  # answers in progress are sent
        limit_concurrency=2000,
        **options,
    )
    server = uvicorn.Server(config)
    ready(Address(host, port, shown, operation.root_path))
    server.run(sockets=[listening])
    if has_failed:
        fork_server.close()
        raise R5Error("the processes that answer requests could not be started; the reason is above")


def check_start(host: str, allow_remote: bool) -> None:
    """Check what serving needs, so that nothing is read or compiled in vain.

    Args:
        host: Host name or IP address to listen on.
        allow_remote: Whether a host that other machines reach is allowed.

    Raises:
        R5Error: The host is not allowed.
        MissingExtraError: The packages of the extra `serve` are not installed.
    """
    if host not in ("127.0.0.1", "localhost", "::1") and not allow_remote:
        raise R5Error(f"{host} can be reached from other machines; allow that with --allow-remote")
    for module in ("starlette", "uvicorn"):
        if find_spec(module) is None:
            raise need(module, "serve")


def _listen(host: str, port: int) -> socket.socket:
    """Open the listening socket before any work, so that a port in use fails at once."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio sets TCP_NODELAY only if the protocol is given; without it each short answer waits 40 ms.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen(512)
    except (OSError, OverflowError) as error:
        listening.close()
        reason = getattr(error, "strerror", None) or error
        raise R5Error(f"cannot serve on {host}:{port}: {reason}; choose another with --port") from None
    return listening


def _first_answers(handle: MessageHandler) -> dict[str, bytes]:
    """Return the answers that the first page needs, by endpoint: they are short work, and need no worker."""
    from r5.serve.http.endpoints import ENDPOINTS

    names = [one.name for one in ENDPOINTS if one.is_cached and not one.fields]
    found = {name: handle(json.dumps({"name": name, "given": {}}).encode(), lambda _: None) for name in names}
    return {name: answer for name, answer in found.items() if answer.startswith(b"200")}


def _start_workers(session: Session, handle: MessageHandler, limits: Limits, listening: socket.socket) -> ForkServer:
    """Start the fork server, which fills caches before it forks: all workers inherit them."""

    def prepare() -> MessageHandler:
        listening.close()
        _warm_up(session)
        return handle

    return start_fork_server(prepare, limits.memory)


def _warm_up(session: Session) -> None:
    """Answer one query, which compiles the kernels."""
    name = session.default_graph
    if name is None:
        return
    graph = session.graph(name, [])
    _ = graph.nodes, graph.outgoing, graph.incoming, session.model.rules_
    example = session.example(name)
    if example is None and graph.number_of_edges:
        ends = graph.entities[graph.sources[0]], graph.entities[graph.targets[-1]]
        example = session.query_example(name, [], *ends)
    if example is not None:
        session.model.predict_many(Examples.of([example]))
