"""The server: HTTP in, a worker's answer out. It computes nothing itself, so nothing that is asked holds it up."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from r5.serve.batching import Batcher
from r5.serve.endpoints import ENDPOINTS, PREFIX, Endpoint
from r5.serve.fields import RequestError, checked
from r5.serve.guard import COOKIE, Guard
from r5.serve.limits import Limits
from r5.serve.nursery import Nursery
from r5.serve.openapi import document
from r5.serve.pool import BusyError, Pool, TooLongError, WorkerGoneError
from r5.serve.site import Part, parts

__all__ = ["make_app"]

_LOOK_AGAIN = 0.05
"""Seconds between two looks whether whoever asked is still there."""


class Server:
    """The workers, and the graphs that were uploaded."""

    def __init__(self, nursery: Nursery, limits: Limits) -> None:
        self._nursery, self.limits = nursery, limits
        self._uploads: OrderedDict[str, str] = OrderedDict()
        self.pool: Pool

    async def start(self) -> None:
        self.pool = Pool(self._nursery, self.limits.workers, self.limits.waiting, self.limits.seconds)
        await self.pool.start()
        # One worker is left to those who do not ask, but look.
        self._batcher = Batcher(self.pool, max(1, self.limits.workers - 1))

    def keep(self, text: str) -> str:
        """Keep an uploaded text; its name tells its content and nothing else."""
        name = "upload:" + hashlib.sha256(text.encode()).hexdigest()[:20]
        self._uploads[name] = text
        self._uploads.move_to_end(name)
        while len(self._uploads) > self.limits.uploads:
            self._uploads.popitem(last=False)
        return name

    async def run(self, endpoint: Endpoint, given: dict[str, Any]) -> bytes:
        """What a worker says; it is given the uploaded graph that it is asked about unless it has it."""
        wanted = given.get("graph")

        def extra(has: set[str]) -> dict[str, object]:
            if not isinstance(wanted, str) or wanted in has or wanted not in self._uploads:
                return {}
            gone = [has.pop() for _ in range(len(has) + 1 - self.limits.uploads)]
            has.add(wanted)
            return {"upload": [wanted, self._uploads[wanted]], "drop": gone}

        if isinstance(wanted, str) and wanted.startswith("upload:") and wanted not in self._uploads:
            raise RequestError("the uploaded graph is no longer there: upload it again", 404)
        if endpoint.name == "ask" and not (isinstance(wanted, str) and wanted in self._uploads):
            return await self._batcher.ask(given)
        return await self.pool.run({"name": endpoint.name, "given": given}, is_long=endpoint.is_long, extra=extra)


def make_app(nursery: Nursery, port: int, limits: Limits | None = None, token: str | None = None) -> ASGIApp:
    """The whole application, with its guard."""
    server = Server(nursery, limits or Limits())

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        await server.start()
        yield
        server.pool.close()

    described = document(server.limits)
    routes = [
        *(Route(path, partial(_part, part), methods=["GET"]) for path, part in parts().items()),
        *(
            Route(endpoint.path, _handler(server, endpoint), methods=["POST"] if endpoint.has_body else ["GET", "POST"])
            for endpoint in ENDPOINTS
        ),
        Route(f"{PREFIX}/openapi.json", lambda _: JSONResponse(described), methods=["GET"]),
    ]
    errors: dict[Any, Any] = {HTTPException: _http_error, RequestError: _request_error}
    app = Starlette(routes=routes, lifespan=lifespan, exception_handlers=errors)
    return Guard(app, port, token)


async def _part(part: Part, request: Request) -> Response:
    """A file of the page. A token in the address becomes a cookie, so that it need not stand there."""
    token = request.query_params.get("token")
    if token is not None and request.url.path == "/":
        answer: Response = RedirectResponse("/", status_code=303)
        answer.set_cookie(COOKIE, token, httponly=True, samesite="strict")
        return answer
    packs = "gzip" in request.headers.get("accept-encoding", "")
    headers = {"vary": "accept-encoding", **({"content-encoding": "gzip"} if packs else {})}
    return Response(part.packed if packs else part.content, media_type=part.type, headers=headers)


def _handler(server: Server, endpoint: Endpoint) -> Callable[[Request], Awaitable[Response]]:
    async def handle(request: Request) -> Response:
        try:
            if endpoint.has_body:
                given = {"graph": server.keep(await _upload(request, server.limits.upload))}
            else:
                given = checked(endpoint.fields, await _given(request, endpoint, server.limits.body))
            found = await _while_there(request, server.run(endpoint, given))
        except ClientDisconnect:
            return Response(status_code=499)
        except BusyError:
            raise RequestError("too many questions are waiting; try again soon", 503) from None
        except TooLongError:
            raise RequestError(f"this took longer than the {server.limits.seconds:g} s that it may", 503) from None
        except WorkerGoneError:
            raise RequestError("this took more memory than a request may", 503) from None
        status, body = int(found[:3]), found[3:]
        if endpoint.gives == "text" and status == 200:
            name = {"content-disposition": 'attachment; filename="graph.tsv"'}
            return Response(body, media_type="text/tab-separated-values; charset=utf-8", headers=name)
        return Response(body, status_code=_status(request, status), media_type="application/json")

    return handle


async def _while_there(request: Request, work: Any) -> bytes:
    """The outcome of some work, which is called off when whoever asked for it has gone."""
    job = asyncio.ensure_future(work)
    try:
        while True:
            done, _ = await asyncio.wait({job}, timeout=_LOOK_AGAIN)
            if done:
                return job.result()  # type: ignore[no-any-return]
            if await request.is_disconnected():
                raise ClientDisconnect
    finally:
        job.cancel()


async def _given(request: Request, endpoint: Endpoint, most: int) -> dict[str, Any]:
    """The fields of a request, from its URL or from a JSON object."""
    if request.method in ("GET", "HEAD"):
        known = {field.name: field for field in endpoint.fields}
        return {
            name: known[name].from_query(value) if name in known else value
            for name, value in request.query_params.items()
        }
    _of_type(request, "application/json")
    raw = await _body(request, most)
    try:
        given = json.loads(raw)
    except (ValueError, RecursionError):
        raise RequestError("the body is not valid JSON") from None
    if not isinstance(given, dict):
        raise RequestError("the body must be a JSON object with the fields of the request")
    return given


async def _upload(request: Request, most: int) -> str:
    _of_type(request, "text/plain", "text/csv", "text/tab-separated-values")
    try:
        text = (await _body(request, most)).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise RequestError("the graph is not UTF-8 text") from None
    if not text.strip() or "\0" in text:
        raise RequestError("the graph is empty" if not text.strip() else "the graph is not text")
    return text


def _of_type(request: Request, *wanted: str) -> None:
    given = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if given not in wanted:
        raise RequestError(f"the body is {given[:80] or 'of no type'}; expected {' or '.join(wanted)}", 415)


async def _body(request: Request, most: int) -> bytes:
    """The body, read only as far as it may go."""
    length = request.headers.get("content-length", "0")
    if not (length.isascii() and length.isdecimal()) or len(length) > 15 or int(length) > most:
        raise RequestError(f"the body is larger than {most:,} bytes", 413)
    found = bytearray()
    async for part in request.stream():
        found += part
        if len(found) > most:
            raise RequestError(f"the body is larger than {most:,} bytes", 413)
    return bytes(found)


async def _http_error(_: Request, error: HTTPException) -> Response:
    headers = dict(error.headers or {})
    return JSONResponse({"error": {"message": str(error.detail)}}, status_code=error.status_code, headers=headers)


async def _request_error(request: Request, error: RequestError) -> Response:
    return JSONResponse({"error": {"message": str(error)}}, status_code=_status(request, error.status))


def _status(request: Request, status: int) -> int:
    """The status, or 200 for the page, which looks into the body: browsers write others to their console."""
    return 200 if request.headers.get("x-r5-errors") == "in-body" else status
