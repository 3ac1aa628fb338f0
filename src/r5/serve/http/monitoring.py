"""Outer layers of the application: removal of the URL prefix, metrics and access log."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from datetime import datetime

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from r5.serve.http.metrics import Metrics

__all__ = ["STATUS", "Monitor", "strip_prefix"]

STATUS = "r5.status"
"""Key of the status of a request in its scope, where the sent status differs."""
_CLOSED = 499
"""Status of requests whose client has closed the connection."""


class Monitor:
    """ASGI middleware that measures requests and logs them."""

    def __init__(
        self, app: ASGIApp, metrics: Metrics, paths: Collection[str], log: Callable[[str], None] | None = None
    ) -> None:
        self._app, self._metrics, self._paths, self._log = app, metrics, paths, log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one connection."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        status, size, start = _CLOSED, 0, time.perf_counter()

        async def count(message: Message) -> None:
            nonlocal status, size
            if message["type"] == "http.response.start":
                status = message["status"]
            else:
                size += len(message.get("body", b""))
            await send(message)

        self._metrics.in_progress += 1
        try:
            await self._app(scope, receive, count)
        finally:
            self._metrics.in_progress -= 1
            seconds = time.perf_counter() - start
            status = scope.get(STATUS, status)
            path = scope["path"]
            self._metrics.record(path if path in self._paths else "other", status, seconds)
            if self._log is not None:
                self._log(_format_line(scope, status, size, seconds))


def _format_line(scope: Scope, status: int, size: int, seconds: float) -> str:
    """Format a line of the access log; the query string, which may hold the token or names, is left out."""
    client = (scope.get("client") or ("-",))[0]
    now = datetime.now().astimezone().isoformat(timespec="milliseconds")
    # An escaped path cannot forge another line.
    path = scope["path"].encode("unicode_escape").decode("ascii").replace(" ", "%20")
    return f"{now} {client} {scope['method']} {path} {status} {size} {seconds:.3f}"


def strip_prefix(app: ASGIApp, prefix: str) -> ASGIApp:
    """Return an application that removes a prefix from paths; proxies may have removed it already."""

    async def stripped(scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "")
        if path == prefix or path.startswith(f"{prefix}/"):
            scope = {**scope, "path": path[len(prefix) :] or "/"}
        await app(scope, receive, send)

    return stripped if prefix else app
