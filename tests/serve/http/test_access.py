"""Access control: other host names and sites are refused, other machines need the token."""

from __future__ import annotations

import socket
from typing import Any

import pytest

from r5.errors import R5Error
from r5.serve.handlers.session import Session
from r5.serve.operation import Operation
from r5.serve.server import serve
from tests.serve.conftest import Running, running


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "127.0.0.1:1", "localhost.evil.example:{port}", ""])
def test_other_host_names_are_refused(kinship: Running, host: str) -> None:
    status, found = kinship.call("about", method="GET", headers={"host": host.format(port=kinship.port)})
    assert status in (400, 421)
    assert "127.0.0.1" in str(found) or status == 400


@pytest.mark.parametrize("host", ["localhost:{port}", "127.0.0.1:{port}"])
def test_own_host_names_are_accepted(kinship: Running, host: str) -> None:
    name = host.format(port=kinship.port)
    assert kinship.call("about", method="GET", headers={"host": name, "origin": f"http://{name}"})[0] == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:1"},
        {"origin": "http://[broken"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_other_sites_are_refused(kinship: Running, headers: dict[str, str]) -> None:
    assert kinship.call("ask", {"source": "a", "target": "b"}, headers=headers)[0] == 403
    assert kinship.call("/", method="GET", headers=headers)[0] == 403


def test_links_on_other_sites_open_the_page_and_nothing_else(kinship: Running) -> None:
    link = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
    assert kinship.call("/", method="GET", headers=link)[0] == 200
    assert kinship.call("/", method="GET", headers={**link, "sec-fetch-dest": "iframe"})[0] == 403
    assert kinship.call("/", method="GET", headers={**link, "sec-fetch-mode": "no-cors"})[0] == 403
    assert kinship.call("about", method="GET", headers=link)[0] == 403
    assert kinship.call("ask", {"source": "a", "target": "b"}, headers=link)[0] == 403
    assert kinship.call("graphs", b"a,b,c\n", headers={**link, "content-type": "text/csv"})[0] == 403


def test_every_answer_has_security_headers(kinship: Running) -> None:
    import http.client

    for path in ("/", "/assets/main.js", "/api/v1/about", "/nowhere"):
        connection = http.client.HTTPConnection("127.0.0.1", kinship.port)
        connection.request("GET", path)
        answer = connection.getresponse()
        answer.read()
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["server"] is None
        connection.close()


@pytest.mark.parametrize(
    "path",
    [
        "/../r5/serve/http/app.py",
        "/assets/../http/app.py",
        "/assets/%2e%2e/http/app.py",
        "/assets//etc/passwd",
        "//etc/passwd",
    ],
)
def test_no_path_reads_another_file(kinship: Running, path: str) -> None:
    assert kinship.call(path, method="GET")[0] == 404


def test_another_machine_needs_the_token(kinship_session: Session) -> None:
    with running(kinship_session, remote=True) as (server, token):
        assert token is not None
        assert len(token) >= 32
        assert server.call("about", method="GET")[0] == 401
        assert server.call("/", method="GET")[0] == 401
        assert server.call("about", method="GET", headers={"authorization": "Bearer wrong"})[0] == 401
        assert server.call("about", method="GET", headers={"authorization": f"Bearer {token}"})[0] == 200
        assert server.call(f"about?token={token}", method="GET")[0] == 401
        assert server.call(f"/?token={token}", method="GET")[0] == 303
        assert server.call("about", method="GET", headers={"cookie": f"r5_token={token}"})[0] == 200
        evil = {"cookie": f"r5_token={token}", "origin": "http://evil.example"}
        assert server.call("about", method="GET", headers=evil)[0] == 403


def test_allowed_host_names_and_their_pages_are_accepted(kinship_session: Session) -> None:
    with running(kinship_session, operation=Operation(hosts=("r5.example.org",))) as (server, _):
        named = {"host": "r5.example.org"}
        assert server.call("about", method="GET", headers=named)[0] == 200
        assert server.call("about", method="GET", headers={"host": "r5.example.org.evil.example"})[0] == 421
        # A proxy may pass on its own host name or that of the server.
        assert server.call("about", method="GET", headers={**named, "origin": "https://r5.example.org"})[0] == 200
        assert server.call("about", method="GET", headers={"origin": "https://r5.example.org"})[0] == 200
        assert server.call("about", method="GET", headers={**named, "origin": "https://evil.example"})[0] == 403


def test_a_fixed_token_is_needed_and_not_printed(kinship_session: Session) -> None:
    with running(kinship_session, operation=Operation(token="a-token-of-the-operator")) as (server, shown):  # noqa: S106
        assert shown is None
        assert server.call("about", method="GET")[0] == 401
        headers = {"authorization": "Bearer a-token-of-the-operator"}
        assert server.call("about", method="GET", headers=headers)[0] == 200


def test_health_needs_neither_token_nor_host_name(kinship_session: Session) -> None:
    with running(kinship_session, remote=True) as (server, _):
        assert server.call("/health", method="GET", headers={"host": "10.0.0.7:80"})[0] == 200
        assert server.call("/metrics", method="GET")[0] == 401


def test_serve_refuses_public_addresses_and_used_ports(kinship_session: Session) -> None:
    with pytest.raises(R5Error, match="allow that with --allow-remote"):
        serve(kinship_session, "0.0.0.0")  # noqa: S104
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port: Any = taken.getsockname()[1]
        with pytest.raises(R5Error, match=rf"cannot serve on 127\.0\.0\.1:{port}: .*; choose another with --port"):
            serve(kinship_session, port=port)
