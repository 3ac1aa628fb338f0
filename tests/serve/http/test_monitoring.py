"""Metrics, health, access log and the URL prefix of a proxy."""

from __future__ import annotations

import re
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from r5.serve.handlers.session import Session
from r5.serve.http.metrics import BUCKETS, Metrics
from r5.serve.operation import Operation
from tests.serve.conftest import Running, running


@pytest.fixture(scope="module")
def operated(kinship_session: Session) -> Iterator[tuple[Running, Path]]:
    """Server below /r5 with an access log."""
    with tempfile.TemporaryDirectory() as folder:
        written = Path(folder) / "access.log"

        def log(line: str) -> None:
            with written.open("a", encoding="utf-8") as file:
                file.write(line + "\n")

        with running(kinship_session, operation=Operation(root_path="/r5", access_log=log)) as (server, _):
            yield server, written


def samples(text: str) -> dict[str, float]:
    """Parse the text format of Prometheus."""
    found: dict[str, float] = {}
    for line in text.splitlines():
        if not line.startswith("#"):
            matched = re.fullmatch(r'([a-z_0-9]+(?:\{[a-z]+="[^"]*"(?:,[a-z]+="[^"]*")*\})?) (\S+)', line)
            assert matched, line
            found[matched[1]] = float(matched[2])
    return found


def test_metrics_count_requests_by_endpoint_and_status(operated: tuple[Running, Path]) -> None:
    server, _ = operated
    before = samples(server.call("/metrics", method="GET")[1])
    server.call("entities", {"query": ""})
    server.call("entities", {"query": ""})
    server.call("ask", {"source": "a"}, headers={"x-r5-errors": "in-body"})
    for path in ("/nowhere", '/forged"} 1'):
        server.call(path.replace(" ", "%20"), method="GET")
    after = samples(server.call("/metrics", method="GET")[1])

    def more(name: str) -> float:
        return after[name] - before.get(name, 0)

    assert more('r5_requests_total{endpoint="/api/v1/entities",status="200"}') == 2
    assert more('r5_requests_total{endpoint="/api/v1/ask",status="400"}') == 1  # the page receives 200
    assert more('r5_requests_total{endpoint="other",status="404"}') == 2
    assert more('r5_request_seconds_count{endpoint="/api/v1/entities"}') == 2
    assert more('r5_request_seconds_bucket{endpoint="/api/v1/entities",le="+Inf"}') == 2
    assert after["r5_requests_in_progress"] == 1
    assert (after["r5_workers"], after["r5_workers_busy"], after["r5_queue_length"]) == (3, 0, 0)


def test_latencies_are_counted_in_the_bucket_of_their_bound() -> None:
    metrics = Metrics()
    for seconds in (BUCKETS[0], 0.3, 1000.0):
        metrics.record("/", 200, seconds)
    found = samples(metrics.render({}))
    name = 'r5_request_seconds_bucket{endpoint="/",le='
    counts = [found[f'{name}"{bound}"}}'] for bound in (0.005, 0.25, 0.5, 30.0, "+Inf")]
    assert counts == [1, 1, 2, 2, 3]
    assert found['r5_request_seconds_sum{endpoint="/"}'] == pytest.approx(1000.305)


def test_requests_are_accepted_with_and_without_the_prefix(operated: tuple[Running, Path]) -> None:
    server, _ = operated
    for prefix in ("", "/r5"):
        assert server.call(f"{prefix}/health", method="GET") == (200, {"status": "ok", "version": "0.2.0"})
        status, page = server.call(f"{prefix}/", method="GET")
        assert status == 200
        links = re.findall(r'(?:href|src)="(/[^"]*)"', page)
        assert links
        assert all(server.call(link, method="GET")[0] == 200 and link.startswith("/r5/assets/") for link in links)
    assert server.call("/r5x/health", method="GET")[0] == 404
    assert server.call("openapi.json", method="GET")[1]["servers"] == [{"url": "/r5/"}]


def test_the_access_log_has_a_line_for_each_request_without_its_query(operated: tuple[Running, Path]) -> None:
    server, log = operated
    log.write_text("")
    server.call("/r5/api/v1/entities?query=Secret", method="GET")
    server.call("/a%0Ab", method="GET")
    deadline = time.monotonic() + 60
    while log.read_text().count("\n") < 2 and time.monotonic() < deadline:  # written after the end of the answer
        time.sleep(0.01)
    first, second = log.read_text().splitlines()
    assert re.fullmatch(r"\S+ 127\.0\.0\.1 GET /api/v1/entities 200 \d+ \d+\.\d{3}", first)
    assert r"GET /a\nb 404" in second
