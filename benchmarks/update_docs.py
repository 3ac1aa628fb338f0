"""Write the tables and the picture of the README and the docs from the committed results.

    python benchmarks/update_docs.py           # after r5 bench paper and r5 bench graphs --out benchmarks/results
    python benchmarks/update_docs.py --check   # exit code 1 where a page does not agree with the results

Sections between <!-- results:NAME --> and <!-- /results --> are made anew, and the pictures in docs/assets with them.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path

from r5.bench.docs import fill, sections
from r5.bench.experiments import load_experiments
from r5.bench.graphs.chart import graphs_chart
from r5.bench.graphs.published import load_peers
from r5.bench.graphs.runs import read_graph_records
from r5.bench.graphs.tables import GraphTables
from r5.bench.hops_chart import hops_chart
from r5.bench.leaks import LEAKING, leak_table, read_leaks
from r5.bench.store import read_results
from r5.bench.tables import Tables

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "results.json"
ASSETS = ROOT / "docs" / "assets"
FIGURES = ("epochs.svg",)
"""Shown in the docs as they are."""


@dataclass(frozen=True)
class AllTables:
    """Sections of both benchmarks, and of what the answer in the input gives."""

    paper: Tables
    graphs: GraphTables

    def section(self, name: str) -> str:
        if name == "answer-in-input":
            experiment = next(one for one in self.paper.experiments if one.name == LEAKING)
            return leak_table(experiment, read_leaks(RESULTS.parent / "answer_in_input.json"), self.paper.records)
        return (self.graphs if name.startswith("graphs") else self.paper).section(name)


def made() -> dict[Path, str]:
    """Each page with a section of results, and the pictures, as the results want them."""
    records = {record["key"]: record for record in read_results(RESULTS)}
    tables = AllTables(
        Tables(load_experiments(), records), GraphTables(load_peers(), read_graph_records(RESULTS.parent))
    )
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), *sorted((ROOT / "benchmarks").glob("*.md"))]
    texts = {page: page.read_text(encoding="utf-8") for page in pages}
    found = {page: fill(text, tables) for page, text in texts.items() if sections(text)}
    figures = {ASSETS / name: (RESULTS.parent / "figures" / name).read_text(encoding="utf-8") for name in FIGURES}
    found |= {**figures, ASSETS / "clutrr.svg": hops_chart(load_experiments()[0], records)}
    if tables.graphs.outcomes:
        found[ASSETS / "graphs.svg"] = graphs_chart(tables.graphs)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="change nothing, only compare")
    check = parser.parse_args().check
    wrong = 0
    for path, text in made().items():
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            continue
        wrong += 1
        print(f"{path.relative_to(ROOT)}: {'does not agree with the results' if check else 'written'}")
        if not check:
            path.write_text(text, encoding="utf-8")
    return int(check and wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
