"""Counts and latencies of requests, in the text format of Prometheus."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Mapping

from r5 import __version__

__all__ = ["BUCKETS", "CONTENT_TYPE", "Metrics"]

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Upper bounds of the latency histogram, in seconds."""


class Metrics:
    """Counters of the server since its start."""

    def __init__(self) -> None:
        self._requests: Counter[tuple[str, int]] = Counter()
        self._buckets: defaultdict[str, list[int]] = defaultdict(lambda: [0] * (len(BUCKETS) + 1))
        self._seconds: defaultdict[str, float] = defaultdict(float)
        self.in_progress = 0
        """Number of requests in progress."""

    def record(self, endpoint: str, status: int, seconds: float) -> None:
        """Count one request."""
        self._requests[endpoint, status] += 1
        self._buckets[endpoint][bisect_left(BUCKETS, seconds)] += 1
        self._seconds[endpoint] += seconds

    def render(self, gauges: Mapping[str, tuple[str, float]]) -> str:
        """Return all metrics as text.

        Args:
            gauges: Description and value of further metrics, by name; names that end in `_total` are counters.
        """
        lines = [*_head("r5_info", "gauge", "Version of r5"), f'r5_info{{version="{__version__}"}} 1']
        lines += _head("r5_requests_total", "counter", "Requests by endpoint and HTTP status")
        for (endpoint, status), count in sorted(self._requests.items()):
            lines.append(f'r5_requests_total{{endpoint="{endpoint}",status="{status}"}} {count}')
        lines += _head("r5_request_seconds", "histogram", "Seconds from a request to the end of its answer")
        for endpoint, counts in sorted(self._buckets.items()):
            total = 0
            for bound, count in zip([*map(str, BUCKETS), "+Inf"], counts, strict=True):
                total += count
                lines.append(f'r5_request_seconds_bucket{{endpoint="{endpoint}",le="{bound}"}} {total}')
            lines.append(f'r5_request_seconds_sum{{endpoint="{endpoint}"}} {self._seconds[endpoint]:.6f}')
            lines.append(f'r5_request_seconds_count{{endpoint="{endpoint}"}} {total}')
        for name, (text, value) in {
            "r5_requests_in_progress": ("Requests in progress", self.in_progress),
            **gauges,
        }.items():
            lines += [*_head(name, "counter" if name.endswith("_total") else "gauge", text), f"{name} {value:g}"]
        return "\n".join([*lines, ""])


def _head(name: str, kind: str, text: str) -> tuple[str, str]:
    return f"# HELP {name} {text}", f"# TYPE {name} {kind}"
