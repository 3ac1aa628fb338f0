"""Update of the tables and charts in README and docs from the committed results.

    python benchmarks/update_docs.py           # after r5 bench paper and r5 bench graphs --out benchmarks/results
    python benchmarks/update_docs.py --check   # exit code 1 if a page is not up to date

It replaces the sections between <!-- results:NAME --> and <!-- /results -->, and the charts in docs/assets.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path

from r5.bench.charts.hops_chart import draw_hops_chart
from r5.bench.experiments.folder import load_experiments
from r5.bench.graphs.chart import draw_graphs_chart
from r5.bench.graphs.published import load_published_graph_results
from r5.bench.graphs.runs import read_graph_records
from r5.bench.graphs.tables import GraphTables
from r5.bench.records.store import read_results
from r5.bench.tables.answer_in_input import STORY_EXPERIMENT, answer_in_input_table, read_answer_in_input
from r5.bench.tables.experiment_tables import ExperimentTables
from r5.bench.tables.marked_sections import fill_sections, section_names

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "results.json"
ASSETS = ROOT / "docs" / "assets"
FIGURES = ("epochs.svg",)
"""Figures that the docs show unchanged."""


@dataclass(frozen=True)
class AllSections:
    """Sections of both benchmarks, and of the runs with the answer in the input."""

    paper: ExperimentTables
    graphs: GraphTables

    def section(self, name: str) -> str:
        """Return a section by name."""
        if name == "answer-in-input":
            experiment = next(one for one in self.paper.experiments if one.name == STORY_EXPERIMENT)
            runs = read_answer_in_input(RESULTS.parent / "answer_in_input.json")
            return answer_in_input_table(experiment, runs, self.paper.records)
        return (self.graphs if name.startswith("graphs") else self.paper).section(name)


def render_pages() -> dict[Path, str]:
    """Return the current content of each page with sections, and of each chart."""
    records = {record["key"]: record for record in read_results(RESULTS)}
    paper = ExperimentTables(load_experiments(), records)
    graphs = GraphTables(load_published_graph_results(), read_graph_records(RESULTS.parent))
    source = AllSections(paper, graphs)
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), *sorted((ROOT / "benchmarks").glob("*.md"))]
    texts = {page: page.read_text(encoding="utf-8") for page in pages}
    found = {page: fill_sections(text, source) for page, text in texts.items() if section_names(text)}
    figures = {ASSETS / name: (RESULTS.parent / "figures" / name).read_text(encoding="utf-8") for name in FIGURES}
    found |= {**figures, ASSETS / "clutrr.svg": draw_hops_chart(load_experiments()[0], records)}
    for name, inductive in (("graphs.svg", False), ("graphs-inductive.svg", True)):
        if graphs.of_kind(inductive):
            found[ASSETS / name] = draw_graphs_chart(graphs, inductive)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare without writing")
    check = parser.parse_args().check
    outdated = 0
    for path, text in render_pages().items():
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            continue
        outdated += 1
        print(f"{path.relative_to(ROOT)}: {'is not up to date' if check else 'written'}")
        if not check:
            path.write_text(text, encoding="utf-8")
    return int(check and outdated > 0)


if __name__ == "__main__":
    sys.exit(main())
