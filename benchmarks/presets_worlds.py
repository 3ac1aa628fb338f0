"""Both presets of the engine `r5` on held-out generated worlds, beside `grammar` and the true rules.

    python benchmarks/presets_worlds.py [--worlds 20] [--first 2000] [--out benchmarks/presets_worlds.md]

The worlds are those of `grammar_worlds.py` with other numbers, which were not used in development.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from grammar_worlds import draw_world, true_model

from r5.evaluation import evaluate
from r5.reasoners.base import Reasoner
from r5.reasoners.grammar import GrammarReasoner
from r5.reasoners.r5 import R5Reasoner

_HEAD = (
    "| world | relations | rules | examples | training lengths | wrong edges | `paper` | recall | `auto` | recall "
    "| `grammar` | recall | true rules |"
)


def row(number: int) -> tuple[str, list[float]]:
    """Return a table row, and its figures for the averages."""
    world = draw_world(number)
    data, options = world.data, world.options
    models: list[Reasoner] = [R5Reasoner(seed=0, preset="paper"), R5Reasoner(seed=0), GrammarReasoner(seed=0)]
    figures = []
    for model in models:
        result = evaluate(model.fit(data.train), data.test, data.rules)
        figures += [result.accuracy, result.rule_recall or 0.0]
    figures.append(evaluate(true_model(world), data.test).accuracy)
    lengths = options["train_lengths"]
    kind = " systematic" if options["systematic"] and options["wrong_edges"] else ""
    return (
        f"| {number} | {len(data.vocabulary)} | {options['rules']} | {options['train']} | {lengths[0]}-{lengths[-1]} "
        f"| {options['wrong_edges']:.2f}{kind} | " + " | ".join(f"{x:.3f}" for x in figures) + " |"
    ), figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worlds", type=int, default=20)
    parser.add_argument("--first", type=int, default=2000)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    lines = [_HEAD, "|" + " --- |" * 13]
    print(*lines, sep="\n")
    table = []
    for number in range(options.first, options.first + options.worlds):
        line, figures = row(number)
        print(line, flush=True)
        lines.append(line)
        table.append(figures)
    lines.append("| mean | | | | | | " + " | ".join(f"{x:.3f}" for x in np.mean(table, axis=0)) + " |")
    print(lines[-1])
    if options.out:
        options.out.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
