"""The picture of a report in the README and the docs.

    python benchmarks/screenshot.py

Learns kinship from 120 short, noisy stories, writes a report and photographs it with Chromium: docs/assets/report.png.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

import r5
from r5.report.page import write_report

TARGET = Path(__file__).resolve().parents[1] / "docs" / "assets" / "report.png"
WIDTH = 1240
HOPS = 4


def telling_example(model: r5.Reasoner, examples: r5.Examples) -> int:
    """The first wrong answer over a short path that has the right one among its alternatives."""
    for number, (answer, example) in enumerate(zip(model.predict_many(examples), examples, strict=True)):
        others = [other.relation for other in answer.alternatives]
        if example.hops == HOPS and example.answer_name in others:
            return number
    return 0


def photograph(page_of: Path, example: int, target: Path) -> None:
    """The page from its top to the end of the examples, with one of them chosen."""
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        sys.exit("chromium is not installed")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": WIDTH, "height": 900}, color_scheme="light", reduced_motion="reduce")
        page.goto(f"{page_of.as_uri()}#example-{example}")
        page.evaluate("scrollTo(0, 0)")
        height = page.evaluate("document.getElementById('examples').getBoundingClientRect().bottom + scrollY")
        page.screenshot(path=target, full_page=True, clip={"x": 0, "y": 0, "width": WIDTH, "height": height + 24})
        browser.close()
    # Few colours, many bytes: a palette makes the picture a third of its size and looks the same.
    Image.open(target).convert("RGB").quantize(200, dither=Image.Dither.NONE).save(target, optimize=True)


def main() -> None:
    data = r5.load("kinship", train=120, noise="irrelevant")
    model = r5.GrammarReasoner(seed=0).fit(data.train)
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.html"
        write_report(model, data, report, name="model")
        photograph(report, telling_example(model, data.test), TARGET)
    print(f"{TARGET}: {TARGET.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
