"""Requests of every kind, sensible and not, for the explorer's API."""

from __future__ import annotations

import json
from random import Random
from typing import Any
from urllib.parse import quote

from r5.serve.http.endpoints import ENDPOINTS
from r5.serve.http.openapi import STATUSES

__all__ = ["ALLOWED", "random_request"]

ALLOWED = {200, 303, 405, *map(int, STATUSES)} - {401, 403}
"""The statuses that a request may have: those that the document tells, and those of HTTP itself."""

_NAMES = (
    "Ann",
    "George",
    "aunt",
    "mother",
    "data",
    "test/0",
    "test/3",
    "test/-1",
    "upload:0",
    "",
    "\0",
    "ü\u2028",
    "😀",
)
_LETTERS = "ab/\\:%?#&=+-.0'\"<>{}[]\n\t \0ü\u202e\ud800"
_TYPES = ("text/plain", "application/json", "text/csv", "", "x/y", "application/json; charset=latin-1")


def _text(random: Random) -> str:
    if random.random() < 0.6:
        return random.choice(_NAMES)
    size = random.choice((0, 1, 3, 12, 300, 2000))
    return "".join(random.choices(_LETTERS, k=size))


def _value(random: Random, depth: int = 0) -> Any:
    kind = random.randrange(9 if depth < 3 else 6)
    plain = (_text(random), random.randrange(-5, 200), random.random() * 1e6, True, None, 10 ** random.randrange(30))
    if kind < 6:
        return plain[kind]
    if kind == 6:
        return [_value(random, depth + 1) for _ in range(random.randrange(4))]
    if kind == 7:
        return [[random.choice("+-*"), *(_text(random) for _ in range(3))] for _ in range(random.randrange(4))]
    return {_text(random): _value(random, depth + 1) for _ in range(random.randrange(3))}


def random_request(random: Random) -> tuple[str, str, bytes | None, dict[str, str]]:
    """Method, path, body and headers."""
    endpoint = random.choice(ENDPOINTS)
    fields = {field.name: _value(random) for field in endpoint.fields if random.random() < 0.7}
    for field in endpoint.fields:
        # Most requests are nearly right, so that they get beyond the first check.
        if field.required and random.random() < 0.8:
            fields[field.name] = 3 if field.kind == "integer" else random.choice(_NAMES)
        elif field.kind not in ("text", "choice") and random.random() < 0.6:
            fields.pop(field.name, None)
    if random.random() < 0.1:
        fields[_text(random)] = _value(random)
    kind = random.choice(("json", "json", "url", "url", "raw", "odd"))
    if kind == "json":
        body = json.dumps(fields).encode()
        return "POST", endpoint.path, body, {"content-type": "application/json"}
    if kind == "url":
        words = {key: value if isinstance(value, str) else json.dumps(value) for key, value in fields.items()}
        pairs = (f"{quote(k, errors='replace')}={quote(v, errors='replace')}" for k, v in words.items())
        return "GET", f"{endpoint.path}?{'&'.join(pairs)}"[:60_000], None, {}
    if kind == "raw":
        raw = random.choice((random.randbytes(40), b"a\tmother\tb\n" * 3, b"{" * 5000, b'{"source": 1e999}', b"[]"))
        return "POST", endpoint.path, raw, {"content-type": random.choice(_TYPES)}
    method = random.choice(("PUT", "DELETE", "OPTIONS", "HEAD", "PATCH", "GET"))
    return method, "/" + quote(_text(random)[:500], errors="replace"), None, {}
