"""Searches of the whole graph: asked again until they are done, kept, cancelled."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable

from r5.serve.http.searches import Searches
from tests.serve.conftest import Running


def test_a_search_is_asked_until_it_is_done(library: Running) -> None:
    fields = {"limit": 4}
    for _ in range(200):
        status, found = library.call("new-facts", fields)
        assert status == 200
        if "running" not in found:
            break
        assert set(found["running"]) == {"stage", "done", "total"}
    assert len(found["facts"]) == 4
    assert library.call("new-facts", fields) == (200, found)
    assert library.call("new-facts", {"limit": 4, "cancel": True})[1] == {"running": None}
    status, refused = library.call("new-facts", {"relation": "no such relation"})
    for _ in range(20):
        if "running" in refused:
            status, refused = library.call("new-facts", {"relation": "no such relation"})
    assert status == 400 and "no such relation" in refused["error"]["message"]


def test_models_that_complete_no_graph_refuse_searches(kinship: Running) -> None:
    status, found = kinship.call("audit", {})
    assert status == 400
    assert "completes no graphs" in found["error"]["message"]


def test_the_result_is_kept_if_the_search_ends_between_two_requests() -> None:
    starts = 0

    async def search(report: Callable[[bytes], None]) -> bytes:
        nonlocal starts
        starts += 1
        report(b'{"stage": "searching", "done": 1, "total": 2}')
        await asyncio.sleep(0.05)
        return b"200found"

    async def scenario() -> list[bytes]:
        searches = Searches(wait_seconds=0.01)
        first = await searches.ask("key", search)
        await asyncio.sleep(0.1)
        return [first, await searches.ask("key", search), await searches.ask("key", search)]

    first, *others = asyncio.run(scenario())
    assert json.loads(first[3:]) == {"running": {"stage": "searching", "done": 1, "total": 2}}
    assert others == [b"200found", b"200found"]
    assert starts == 1


def test_a_cancelled_search_begins_anew() -> None:
    ended: list[str] = []

    async def search(report: Callable[[bytes], None]) -> bytes:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            ended.append("cancelled")
            raise
        return b""

    async def scenario() -> None:
        searches = Searches(wait_seconds=0.01)
        await searches.ask("key", search)
        searches.cancel("key")
        await asyncio.sleep(0.01)
        assert b"running" in await searches.ask("key", search)
        searches.cancel("key")
        await asyncio.sleep(0.01)

    asyncio.run(scenario())
    assert ended == ["cancelled", "cancelled"]
