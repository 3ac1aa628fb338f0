"""Access control: refuses requests of other sites, for other host names, and of other machines without the token."""

from __future__ import annotations

import hmac
import json
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from r5.serve.operation import Operation

__all__ = ["COOKIE", "HEALTH", "AccessControl"]

COOKIE = "r5_token"
HEALTH = "/health"
"""Path that needs neither a token nor an accepted host name: load balancers ask by address."""
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


class AccessControl:
    """ASGI middleware that refuses unauthorised requests and adds security headers to all answers."""

    def __init__(self, app: ASGIApp, port: int, operation: Operation | None = None) -> None:
        self._app, self._port, self._operation = app, port, operation or Operation()
        self._token = self._operation.token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one connection."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        refused = (403, "only HTTP requests are accepted") if scope["type"] != "http" else self._check(scope)
        if refused is None:
            await self._app(scope, receive, with_headers)
        elif scope["type"] == "http":
            await _send_error(with_headers, *refused)

    def _check(self, scope: Scope) -> tuple[int, str] | None:
        if scope["path"] == HEALTH:
            return None
        headers = Headers(scope=scope)
        host, origin = headers.get("host", ""), headers.get("origin")
        # DNS rebinding: a foreign name that resolves to this machine would bypass the same-origin policy.
        if self._token is None and not self._is_own_host(host):
            return 421, f"this is the explorer of r5 on 127.0.0.1:{self._port}, not {host[:80]!r} (see --allow-host)"
        if origin is not None and not self._is_same_site(_origin_host(origin), host):
            return 403, "requests from other sites are refused"
        if headers.get("sec-fetch-site", "none") not in ("none", "same-origin") and not _is_navigation(scope, headers):
            return 403, "requests from other sites are refused"
        if self._token is not None and not self._has_token(scope, headers):
            return 401, "the token that `r5 serve` printed, or that R5_TOKEN holds, is missing or wrong"
        return None

    def _is_own_host(self, host: str) -> bool:
        local = {f"{name}:{self._port}" for name in _LOCAL}
        return host in local or (self._port == 80 and host in _LOCAL) or self._operation.accepts_host(host)

    def _is_same_site(self, origin: str, host: str) -> bool:
        """Return whether a page of this origin is one of this server; a proxy may have replaced the host name."""
        return bool(origin) and (origin == host or self._operation.accepts_host(origin))

    def _has_token(self, scope: Scope, headers: Headers) -> bool:
        """Return whether the token is in the header, in the cookie set by the page, or in the URL of the page."""
        given = [headers.get("authorization", "").removeprefix("Bearer ")]
        try:
            cookie = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
            given += [cookie.value] if cookie else []
        except CookieError:
            pass  # an invalid cookie carries no token
        if scope["path"] == "/" and scope["method"] == "GET":
            given += parse_qs(scope.get("query_string", b"").decode("latin-1")).get("token", [])
        expected = (self._token or "").encode()
        return any(hmac.compare_digest(one.encode("utf-8", "replace"), expected) for one in given)


def _is_navigation(scope: Scope, headers: Headers) -> bool:
    """Return whether a link elsewhere, in a mail or a wiki, opens the page itself in a tab.

    The page holds no data, and another site cannot read it: frames and requests of scripts have other headers.
    """
    opens = headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"
    return opens and scope["method"] == "GET" and scope["path"] == "/"


def _origin_host(origin: str) -> str:
    """Return the host and port of an origin; empty for invalid ones such as `null`."""
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return ""


async def _send_error(send: Send, status: int, message: str) -> None:
    body = json.dumps({"error": {"message": message}}, ensure_ascii=False).encode("utf-8", "replace")
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
