"""Chromium for the tests of pages; a conftest that imports the fixture offers it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

__all__ = ["browser"]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium without a window; tests that need it skip where it or Playwright is not installed."""
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("there is no Chromium here")
    options = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-dev-shm-usage"]
    with playwright.sync_playwright() as driver:
        running = driver.chromium.launch(executable_path=program, args=options)
        yield running
        running.close()
