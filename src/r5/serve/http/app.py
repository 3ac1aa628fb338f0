"""HTTP application: passes requests to workers and computes nothing itself, so that no request blocks it."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from r5 import __version__
from r5.serve.errors import RequestError
from r5.serve.http.access import COOKIE, HEALTH, AccessControl
from r5.serve.http.endpoints import ENDPOINTS, PREFIX, Endpoint
from r5.serve.http.fields import validate_fields
from r5.serve.http.metrics import CONTENT_TYPE, Metrics
from r5.serve.http.monitoring import STATUS, Monitor, strip_prefix
from r5.serve.http.openapi import build_document
from r5.serve.http.page import PageFile, load_files
from r5.serve.http.searches import Searches
from r5.serve.limits import Limits
from r5.serve.operation import Operation
from r5.serve.workers.batching import Batcher
from r5.serve.workers.fork_server import ForkServer
from r5.serve.workers.pool import BusyError, JobTimeoutError, Pool, WorkerLostError

__all__ = ["make_app"]

_POLL_SECONDS = 0.05
"""Seconds between two checks whether the client is connected."""
_CACHED = 64
"""Number of answers kept of endpoints whose answers do not change."""


class Server:
    """Pool of workers and uploaded graphs."""

    def __init__(self, fork_server: ForkServer, limits: Limits, first: Mapping[str, bytes]) -> None:
        self._fork_server, self.limits = fork_server, limits
        self._uploads: OrderedDict[str, str] = OrderedDict()
        self._searches = Searches()
        self._answers = OrderedDict((_key(name, {}), answer) for name, answer in first.items())
        self.metrics = Metrics()
        self.pool: Pool

    async def start(self, failed: Callable[[], None]) -> None:
        """Start the pool of workers in the background; the page is sent meanwhile.

        Args:
            failed: Callback if no worker can be started.
        """
        self.pool = Pool(self._fork_server, self.limits.workers, self.limits.waiting, self.limits.seconds)
        self._starting = asyncio.create_task(self.pool.start())

        def report(task: asyncio.Task[None]) -> None:
            if not task.cancelled() and task.exception() is not None:
                failed()

        self._starting.add_done_callback(report)
        # One worker remains for requests other than predictions.
        self._batcher = Batcher(self.pool, max(1, self.limits.workers - 1))

    def add_upload(self, text: str) -> str:
        """Keep an uploaded text; return its name, a digest of its content."""
        name = "upload:" + hashlib.sha256(text.encode()).hexdigest()[:20]
        self._uploads[name] = text
        self._uploads.move_to_end(name)
        while len(self._uploads) > self.limits.uploads:
            self._uploads.popitem(last=False)
        return name

    async def run(self, endpoint: Endpoint, given: dict[str, Any]) -> bytes:
        """Run a request on a worker, which receives the uploaded graph of the request unless it has it.

        Raises:
            RequestError: The uploaded graph does not exist.
        """
        graph = given.get("graph")

        def extra(uploads: set[str]) -> dict[str, object]:
            if not isinstance(graph, str) or graph in uploads or graph not in self._uploads:
                return {}
            dropped = [uploads.pop() for _ in range(len(uploads) + 1 - self.limits.uploads)]
            uploads.add(graph)
            return {"upload": [graph, self._uploads[graph]], "drop": dropped}

        if isinstance(graph, str) and graph.startswith("upload:") and graph not in self._uploads:
            raise RequestError("the uploaded graph is no longer there: upload it again", 404)
        if endpoint.name == "ask" and not (isinstance(graph, str) and graph in self._uploads):
            return await self._batcher.run(given)
        message: dict[str, object] = {"name": endpoint.name, "given": given}
        key = _key(endpoint.name, given)
        if endpoint.is_search:
            if given["cancel"]:
                self._searches.cancel(_key(endpoint.name, {**given, "cancel": False}))
                return b'200{"running": null}'
            seconds = self.limits.search * self.limits.seconds
            search = partial(self.pool.run, message, is_long=True, seconds=seconds, extra=extra)
            return await self._searches.ask(key, lambda report: search(report=report))
        if endpoint.is_cached and key in self._answers:
            return self._answers[key]
        found = await self.pool.run(message, is_long=endpoint.is_long, extra=extra)
        if endpoint.is_cached and found.startswith(b"200"):
            self._answers[key] = found
            while len(self._answers) > _CACHED:
                self._answers.popitem(last=False)
        return found

    def gauges(self) -> dict[str, tuple[str, float]]:
        """Return the state of the pool for the metrics."""
        return {
            "r5_queue_length": ("Requests that wait for a worker", self.pool.waiting + self._batcher.waiting),
            "r5_workers": ("Worker processes", self.limits.workers),
            "r5_workers_busy": ("Worker processes with a job", self.pool.busy),
            "r5_workers_replaced_total": ("Worker processes ended for time, memory or a client", self.pool.replaced),
        }


def _key(name: str, given: Mapping[str, Any]) -> str:
    return json.dumps([name, given], sort_keys=True)


def make_app(
    fork_server: ForkServer,
    port: int,
    limits: Limits | None = None,
    operation: Operation | None = None,
    first: Mapping[str, bytes] | None = None,
    failed: Callable[[], None] = lambda: None,
) -> ASGIApp:
    """Return the application with access control and metrics.

    Args:
        fork_server: Process that starts workers.
        port: Port that the server listens on.
        limits: Limits of requests.
        operation: Settings of an operator.
        first: Answers of endpoints without fields, by name.
        failed: Callback if no worker can be started.
    """
    server = Server(fork_server, limits or Limits(), first or {})
    operation = operation or Operation()

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        await server.start(failed)
        yield
        server.pool.close()

    openapi = build_document(server.limits, operation.root_path)
    files = load_files(operation.root_path)
    routes = [
        *(Route(path, partial(_send_file, file, operation.root_path), methods=["GET"]) for path, file in files.items()),
        *(
            Route(endpoint.path, _handler(server, endpoint), methods=["POST"] if endpoint.has_body else ["GET", "POST"])
            for endpoint in ENDPOINTS
        ),
        Route(f"{PREFIX}/openapi.json", lambda _: JSONResponse(openapi), methods=["GET"]),
        Route(HEALTH, partial(_send_health, server), methods=["GET"]),
        Route("/metrics", partial(_send_metrics, server), methods=["GET"]),
    ]
    errors: dict[Any, Any] = {HTTPException: _http_error, RequestError: _request_error}
    app = Starlette(routes=routes, lifespan=lifespan, exception_handlers=errors)
    known = {route.path for route in routes}
    monitor = Monitor(AccessControl(app, port, operation), server.metrics, known, operation.access_log)
    return strip_prefix(monitor, operation.root_path)


async def _send_health(server: Server, _: Request) -> Response:
    """Return 200 while requests can be answered, 503 if the process that starts workers has ended."""
    alive = server.pool.is_alive()
    return JSONResponse(
        {"status": "ok" if alive else "failed", "version": __version__}, status_code=200 if alive else 503
    )


async def _send_metrics(server: Server, _: Request) -> Response:
    return Response(server.metrics.render(server.gauges()), headers={"content-type": CONTENT_TYPE})


async def _send_file(file: PageFile, prefix: str, request: Request) -> Response:
    """Return a file of the page; a token in the URL becomes a cookie, so that the URL does not keep it."""
    token = request.query_params.get("token")
    if token is not None and request.url.path == "/":
        answer: Response = RedirectResponse(f"{prefix}/", status_code=303)
        answer.set_cookie(COOKIE, token, path=f"{prefix}/", httponly=True, samesite="lax")
        return answer
    compresses = "gzip" in request.headers.get("accept-encoding", "")
    headers = {"vary": "accept-encoding", **({"content-encoding": "gzip"} if compresses else {})}
    return Response(file.compressed if compresses else file.content, media_type=file.type, headers=headers)


def _handler(server: Server, endpoint: Endpoint) -> Callable[[Request], Awaitable[Response]]:
    async def handle(request: Request) -> Response:
        try:
            if endpoint.has_body:
                given = {"graph": server.add_upload(await _read_upload(request, server.limits.upload))}
            else:
                given = validate_fields(endpoint.fields, await _read_fields(request, endpoint, server.limits.body))
            found = await _run_while_connected(request, server.run(endpoint, given))
        except ClientDisconnect:
            return Response(status_code=499)
        except BusyError:
            raise RequestError("too many requests are waiting; try again soon", 503) from None
        except JobTimeoutError:
            seconds = server.limits.seconds * endpoint.patience(server.limits)
            raise RequestError(f"this took longer than the {seconds:g} s that it may (--seconds)", 503) from None
        except WorkerLostError:
            raise RequestError("this took more memory than a request may", 503) from None
        status, body = int(found[:3]), found[3:]
        if endpoint.answer_type == "text" and status == 200:
            name = {"content-disposition": 'attachment; filename="graph.tsv"'}
            return Response(body, media_type="text/tab-separated-values; charset=utf-8", headers=name)
        return Response(body, status_code=_status(request, status), media_type="application/json")

    return handle


async def _run_while_connected(request: Request, work: Any) -> bytes:
    """Return the result of a job, cancelled if the client disconnects."""
    job = asyncio.ensure_future(work)
    try:
        while True:
            done, _ = await asyncio.wait({job}, timeout=_POLL_SECONDS)
            if done:
                return job.result()  # type: ignore[no-any-return]
            if await request.is_disconnected():
                raise ClientDisconnect
    finally:
        job.cancel()


async def _read_fields(request: Request, endpoint: Endpoint, max_bytes: int) -> dict[str, Any]:
    """Return the fields of a request, from its URL or from a JSON object."""
    if request.method in ("GET", "HEAD"):
        known = {field.name: field for field in endpoint.fields}
        return {
            name: known[name].from_query(value) if name in known else value
            for name, value in request.query_params.items()
        }
    _check_content_type(request, "application/json")
    raw = await _read_body(request, max_bytes)
    try:
        given = json.loads(raw)
    except (ValueError, RecursionError):
        raise RequestError("the body is not valid JSON") from None
    if not isinstance(given, dict):
        raise RequestError("the body must be a JSON object with the fields of the request")
    return given


async def _read_upload(request: Request, max_bytes: int) -> str:
    _check_content_type(request, "text/plain", "text/csv", "text/tab-separated-values")
    try:
        text = (await _read_body(request, max_bytes)).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise RequestError("the graph is not UTF-8 text") from None
    if not text.strip() or "\0" in text:
        raise RequestError("the graph is empty" if not text.strip() else "the graph is not text")
    return text


def _check_content_type(request: Request, *allowed: str) -> None:
    given = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if given not in allowed:
        raise RequestError(f"the body is {given[:80] or 'of no type'}; expected {' or '.join(allowed)}", 415)


async def _read_body(request: Request, max_bytes: int) -> bytes:
    """Read the body, up to a limit."""
    length = request.headers.get("content-length", "0")
    if not (length.isascii() and length.isdecimal()) or len(length) > 15 or int(length) > max_bytes:
        raise RequestError(f"the body is larger than {max_bytes:,} bytes", 413)
    found = bytearray()
    async for part in request.stream():
        found += part
        if len(found) > max_bytes:
            raise RequestError(f"the body is larger than {max_bytes:,} bytes", 413)
    return bytes(found)


async def _http_error(_: Request, error: HTTPException) -> Response:
    headers = dict(error.headers or {})
    return JSONResponse({"error": {"message": str(error.detail)}}, status_code=error.status_code, headers=headers)


async def _request_error(request: Request, error: RequestError) -> Response:
    return JSONResponse({"error": {"message": str(error)}}, status_code=_status(request, error.status))


def _status(request: Request, status: int) -> int:
    """Return the status; 200 for the page, which reads the body, because browsers log error statuses."""
    request.scope[STATUS] = status
    return 200 if request.headers.get("x-r5-errors") == "in-body" else status
