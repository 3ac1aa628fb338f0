"""Loss of MRR on valid if the engine chains keeps at most 2,000 rules.

    python benchmarks/chains_pruning.py --data DIR --out benchmarks/chains_pruning.md

Settings are selected on valid, hence the table is on valid too. Seed 0. Data sets that are not in DIR are skipped.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path

import r5
from r5.bench.graphs.published import load_published_graph_results
from r5.bench.markdown import format_share, markdown_table
from r5.data.formats.triples import load_triples

LIMIT = 2_000


def row(title: str, folder: Path) -> list[str]:
    """Return MRR and number of rules, with all rules and with at most `LIMIT`."""
    data = load_triples(folder)
    cells = [title]
    figures = []
    for settings in ({}, {"rules_limit": LIMIT}):
        model = r5.ChainReasoner(seed=0, **settings).fit(data.train, data.valid)
        figures.append(r5.rank(model, data.valid, (data.train.pool, data.valid, data.test)).mrr)
        cells += [f"{model.summary_['rules']:,}", format_share(figures[-1])]
    return [*cells, f"{figures[0] - figures[1]:+.3f}"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--datasets", default="")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    rows = []
    for one in load_published_graph_results().select([name for name in options.datasets.split(",") if name]):
        if (options.data / one.folder).is_dir():
            rows.append(row(one.title, options.data / one.folder))
            print(" | ".join(rows[-1]), flush=True)
    head = ["", "all rules", "MRR on valid", "few rules", "MRR on valid", "loss"]
    text = "# Few rules\n\n" + markdown_table(head, rows) + "\n"
    if options.out:
        options.out.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
