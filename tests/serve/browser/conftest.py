"""Fixtures of the browser tests: pages that must stay silent."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from r5.serve.handlers.session import Session
from tests.helpers.browsing import browser  # noqa: F401  a fixture
from tests.serve.conftest import Running

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

Open = Callable[..., "Page"]
COUNT = """(() => {
  const ask = window.fetch;
  window.waiting = { requests: 0, since: performance.now() };
  const count = (more) => { window.waiting.requests += more; window.waiting.since = performance.now(); };
  window.fetch = (...words) => { count(1); return ask(...words).finally(() => count(-1)); };
})()"""
QUIET = "() => window.waiting.requests === 0 && performance.now() - window.waiting.since > 150"
"""No request has been in progress for a while; Playwright's `networkidle` waits half a second."""


@pytest.fixture
def visit(browser: Browser) -> Iterator[Open]:  # noqa: F811
    """Opens the explorer, which must stay silent: no message on the console, no error, no request elsewhere."""
    complaints: list[str] = []
    contexts = []

    def go(server: Running, state: str = "", width: int = 1280, **options: Any) -> Page:
        context = browser.new_context(viewport={"width": width, "height": 800}, reduced_motion="reduce", **options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(120_000)  # the first answer of all waits for kernels to be compiled
        page.on("console", lambda message: complaints.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: complaints.append(f"error: {error}"))
        page.on("request", lambda one: one.url.startswith((server.url, "data:", "blob:")) or complaints.append(one.url))
        page.add_init_script(COUNT)
        page.goto(f"{server.url}{state}")
        page.wait_for_function(QUIET)
        return page

    yield go
    for context in contexts:
        context.close()
    assert complaints == []


def question(session: Session, number: int) -> tuple[str, str, str, str]:
    """The state that asks an example, its ends and its answer."""
    assert session.data is not None
    example = session.data.test[number]
    state = f"#ask?graph=test/{number}&source={example.source}&target={example.target}"
    return state, example.source, example.target, session.model.predict(example).relation or ""


def told(source: str, relation: str, target: str) -> str:
    """A fact as the page tells it."""
    return f"{source} \u2013{relation}\u2192 {target}"
