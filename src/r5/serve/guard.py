"""The guard: who may ask. Other sites may not, other hosts' names may not, and other machines only with the token."""

from __future__ import annotations

import hmac
import json
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["Guard"]

COOKIE = "r5_token"
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "content-security-policy": _POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-store",
}
_LOCAL = ("127.0.0.1", "localhost", "[::1]")


class Guard:
    """Lets a request through, or refuses it; whatever goes out carries the headers that keep a page to itself."""

    def __init__(self, app: ASGIApp, port: int, token: str | None = None) -> None:
        self._app, self._port, self._token = app, port, token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One connection."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        refused = (403, "only HTTP is spoken here") if scope["type"] != "http" else self._refused(scope)
        if refused is None:
            await self._app(scope, receive, with_headers)
        elif scope["type"] == "http":
            await _answer(with_headers, *refused)

    def _refused(self, scope: Scope) -> tuple[int, str] | None:
        headers = Headers(scope=scope)
        host, origin = headers.get("host", ""), headers.get("origin")
        # A name that leads here but is not ours is how a page elsewhere would get around the same-origin policy.
        if self._token is None and not self._is_ours(host):
            return 421, f"this is the explorer of r5 on 127.0.0.1:{self._port}, not {host[:80]!r}"
        if origin is not None and (urlsplit_host(origin) != host or not host):
            return 403, "requests from other sites are refused"
        if headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
            return 403, "requests from other sites are refused"
        if self._token is not None and not self._has_token(scope, headers):
            return 401, "the token that `r5 serve --allow-remote` printed is missing or wrong"
        return None

    def _is_ours(self, host: str) -> bool:
        return host in {f"{name}:{self._port}" for name in _LOCAL} or (self._port == 80 and host in _LOCAL)

    def _has_token(self, scope: Scope, headers: Headers) -> bool:
        """In the header, in the cookie that the first page sets, or in the address of that page."""
        given = [headers.get("authorization", "").removeprefix("Bearer ")]
        try:
            cookie = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
            given += [cookie.value] if cookie else []
        except CookieError:
            pass  # a cookie that cannot be read carries no token: whoever has none is refused below
        if scope["path"] == "/" and scope["method"] == "GET":
            given += parse_qs(scope.get("query_string", b"").decode("latin-1")).get("token", [])
        wanted = (self._token or "").encode()
        return any(hmac.compare_digest(one.encode("utf-8", "replace"), wanted) for one in given)


def urlsplit_host(origin: str) -> str:
    """The host and port of an origin; nothing for one that is none, such as `null`."""
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return ""


async def _answer(send: Send, status: int, message: str) -> None:
    body = json.dumps({"error": {"message": message}}, ensure_ascii=False).encode("utf-8", "replace")
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
