"""Seconds until the explorer shows its first view in Chromium, after `r5 serve` has printed its address.

    python benchmarks/first_view.py MODEL [DATA ...] [--runs N]

Each run starts the server anew. The first visit has an empty browser cache; the second one, in the same browser, a
warm cache. The first view is there when the start page has its title and its example queries.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import subprocess
import sys
import time

from playwright.sync_api import Browser, BrowserContext, sync_playwright


def measure_visit(context: BrowserContext, address: str) -> float:
    """Return the seconds until a new tab shows the title and the queries of the start page."""
    page = context.new_page()
    started = time.perf_counter()
    page.goto(address, wait_until="commit")
    page.locator("#start-title:not(:empty)").wait_for()
    page.locator("#start-queries .query").first.wait_for()
    seconds = time.perf_counter() - started
    page.close()
    return seconds


def measure_run(browser: Browser, given: list[str]) -> tuple[float, float, float]:
    """Return the seconds until the address is printed, of the first visit, and of the second one."""
    started = time.perf_counter()
    command = [sys.executable, "-m", "r5", "serve", *given, "--port", "0", "--quiet"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        address = "" if server.stdout is None else server.stdout.readline().strip()
        start = time.perf_counter() - started
        context = browser.new_context(viewport={"width": 1280, "height": 800})
        visits = [measure_visit(context, address) for _ in range(2)]
        context.close()
        server.terminate()
    return start, visits[0], visits[1]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("given", nargs="+", metavar="MODEL [DATA]")
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    with sync_playwright() as driver:
        path = shutil.which("chromium") or shutil.which("google-chrome")
        browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        runs = [measure_run(browser, options.given) for _ in range(options.runs)]
        browser.close()
    for name, seconds in zip(("address printed", "first visit", "second visit"), zip(*runs, strict=True), strict=True):
        print(f"{name:16} median {statistics.median(seconds):.2f} s, {min(seconds):.2f} to {max(seconds):.2f}")


if __name__ == "__main__":
    main()
