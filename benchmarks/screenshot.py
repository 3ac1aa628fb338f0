"""Screenshots of a report and of the explorer for README and docs.

    python benchmarks/screenshot.py

It trains on 120 short, noisy kinship stories and captures the report with Chromium: docs/assets/report.png.
The same model and story in the explorer is docs/assets/explorer.png. On a library, a knowledge graph:
docs/assets/report-graph.png has the examples of the report, docs/assets/explorer-graph.png an answer in the explorer.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

import r5
from r5.report.writing import write_report

TARGET = Path(__file__).resolve().parents[1] / "docs" / "assets" / "report.png"
EXPLORER, GRAPH = TARGET.with_name("explorer.png"), TARGET.with_name("report-graph.png")
EXPLORER_GRAPH = TARGET.with_name("explorer-graph.png")
WIDTH = 1240
HOPS = 4


def telling_example(model: r5.Reasoner, examples: r5.Examples) -> int:
    """Return the first wrong answer over a short path with the right one among its alternatives."""
    for number, (answer, example) in enumerate(zip(model.predict_many(examples), examples, strict=True)):
        others = [other.relation for other in answer.alternatives]
        if example.hops == HOPS and example.answer_name in others:
            return number
    return 0


def right_example(model: r5.Reasoner, examples: r5.Examples) -> int:
    """Return the first right answer over a path of five with a doubted edge, or else over any path of five."""
    answers = [*enumerate(zip(model.predict_many(examples), examples, strict=True))]
    right = [(n, a) for n, (a, e) in answers if a.relation == e.answer_name and e.hops == HOPS + 1]
    doubting = [n for n, answer in right if answer.derivation is not None and answer.derivation.doubts]
    return (doubting or [n for n, _ in right] or [0])[0]


def photograph(page_of: Path, example: int, target: Path, from_top: bool = True) -> None:
    """Capture the page from its top, or the examples alone, to the end of the examples, with one of them selected."""
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        sys.exit("chromium is not installed")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": WIDTH, "height": 900}, color_scheme="light", reduced_motion="reduce")
        page.goto(f"{page_of.as_uri()}#example-{example}")
        page.evaluate("scrollTo(0, 0)")
        box = page.locator("#examples").bounding_box()
        assert box is not None  # noqa: S101  a report has examples
        top = 0 if from_top else box["y"] - 24
        height = box["y"] + box["height"] + 24 - top
        page.screenshot(path=target, full_page=True, clip={"x": 0, "y": top, "width": WIDTH, "height": height})
        browser.close()
    smaller(target)


def photograph_explorer(folder: Path, data: list[str], state: str, target: Path) -> None:
    """Capture the explorer with one query; `data` is the data set with its options."""
    program = shutil.which("chromium") or shutil.which("google-chrome")
    words = [sys.executable, "-m", "r5", "serve", str(folder), *data, "--port", "0", "--quiet"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as server, sync_playwright() as driver:
        address = "" if server.stdout is None else server.stdout.readline().strip()
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": WIDTH, "height": 900}, color_scheme="light", reduced_motion="reduce")
        page.goto(address + state)
        page.locator(".network .fact.on-path").first.wait_for()
        height = page.evaluate("document.getElementById('graph-legend').getBoundingClientRect().bottom + scrollY")
        page.screenshot(path=target, full_page=True, clip={"x": 0, "y": 0, "width": WIDTH, "height": height + 24})
        browser.close()
        server.terminate()
    smaller(target)


def smaller(target: Path) -> None:
    """Reduce the colours of a picture."""
    # A palette reduces the file to a third without a visible difference.
    Image.open(target).convert("RGB").quantize(200, dither=Image.Dither.NONE).save(target, optimize=True)


def main() -> None:
    data = r5.load("kinship", train=120, noise="irrelevant")
    model = r5.GrammarReasoner(seed=0).fit(data.train)
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.html"
        write_report(model, data, report, name="model")
        number = telling_example(model, data.test)
        photograph(report, number, TARGET)
        model.save(Path(folder) / "model")
        number = right_example(model, data.test)
        example = data.test[number]
        state = f"#ask?graph=test/{number}&source={example.source}&target={example.target}"
        given = ["kinship", "--load", "train=120", "--load", "noise=irrelevant"]
        photograph_explorer(Path(folder) / "model", given, state, EXPLORER)
        r5.ChainReasoner(seed=0).fit(r5.load("library").train).save(Path(folder) / "library")
        photograph_explorer(
            Path(folder) / "library", ["library"], "#ask?source=Hazelton&target=Arvenia", EXPLORER_GRAPH
        )
        library = r5.load("library", members=40, books=40)
        write_report(r5.ChainReasoner(seed=0).fit(library.train, library.valid), library, report, force=True)
        photograph(report, 0, GRAPH, from_top=False)
    for path in (TARGET, GRAPH, EXPLORER, EXPLORER_GRAPH):
        print(f"{path}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
