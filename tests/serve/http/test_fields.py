"""Fuzzed requests get a documented status and never an internal error."""

from __future__ import annotations

from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as some

from r5.serve.errors import RequestError
from r5.serve.http.endpoints import ENDPOINTS
from r5.serve.http.fields import validate_fields
from tests.helpers.requests import ALLOWED, random_request
from tests.serve.conftest import Running


def test_random_requests_get_documented_statuses(kinship: Running, library: Running) -> None:
    random = Random(0)  # noqa: S311
    seen = set()
    for _ in range(300):
        method, path, body, headers = random_request(random)
        for server in (kinship, library):
            status, _ = server.call(path, body, method, headers)
            assert status in ALLOWED, (method, path, body, status)
            seen.add(status)
    assert {200, 400, 404, 405, 415} <= seen


TEXT = some.text("aü\0'<\u2028", max_size=4)
VALUES = some.recursive(
    some.none() | some.booleans() | some.integers() | some.floats(allow_nan=False) | TEXT,
    lambda inner: some.lists(inner, max_size=4) | some.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=100, deadline=None)
@given(endpoint=some.sampled_from(ENDPOINTS), values=some.lists(VALUES, min_size=10, max_size=10))
def test_fields_are_valid_or_refused(endpoint: Any, values: list[Any]) -> None:
    given_fields = dict(zip((field.name for field in endpoint.fields), values, strict=False))
    try:
        found = validate_fields(endpoint.fields, given_fields)
    except RequestError:
        return
    assert set(found) == {field.name for field in endpoint.fields}
    for field in endpoint.fields:
        assert found[field.name] is None or field.read(found[field.name]) == found[field.name]
