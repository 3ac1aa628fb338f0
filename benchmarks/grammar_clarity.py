"""Gain of the setting `clarity` on generated worlds with wrong edges: paths with several answers are rare queries.

    python benchmarks/grammar_clarity.py [--first 8000] [--worlds 40] [--questions 1000]
        [--out benchmarks/grammar_clarity.md]

Data: the worlds of `grammar_worlds.py --any` with wrong edges. The table compares the engine with and without the
setting: accuracy, expected calibration error and seconds of prediction. The engine decides from its training queries
whether to use it. The last rows are means over all worlds, and over the worlds where it is used.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
from grammar_calibration import measured
from grammar_worlds import draw_any_world

from r5.data.generators.world.dataset import generate_world
from r5.reasoners.grammar import GrammarReasoner

HEAD = (
    "| world | relations | rules | examples | wrong edges | clarity | right without | right | error without | error "
    "| seconds without | seconds |"
)


def row(number: int, questions: int) -> tuple[str, list[float]] | None:
    """Return a table row and its figures; None for a world without wrong edges."""
    options = draw_any_world(number).options
    if not options["wrong_edges"]:
        return None
    data = generate_world(**{**options, "test": questions})
    model, plain = (GrammarReasoner(seed=0, clarity=clarity).fit(data.train) for clarity in (None, 0.0))
    figures = []
    for one in (plain, model):
        one.predict_proba(data.test.select(np.arange(10)))  # compile
        start = time.perf_counter()
        _, right, error = measured(one, data.test)
        figures.append((float(right.mean()), error, time.perf_counter() - start))
    (before, first_error, first_seconds), (after, error, seconds) = figures
    kind = f"{len(data.vocabulary)} | {options['rules']} | {len(data.train)} | {options['wrong_edges']:.2f}"
    numbers = [model.learned_.clarity, before, after, first_error, error, first_seconds, seconds]
    return f"| {number} | {kind} | {shown(numbers)} |", numbers


def shown(numbers: list[float]) -> str:
    return (
        f"{numbers[0]:.0f} | "
        + " | ".join(f"{x:.3f}" for x in numbers[1:5])
        + f" | {numbers[5]:.2f} | {numbers[6]:.2f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--first", type=int, default=8000)
    parser.add_argument("--worlds", type=int, default=40)
    parser.add_argument("--questions", type=int, default=1000)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    lines, table = [HEAD, "|" + " --- |" * 12], []
    print(*lines, sep="\n")
    for number in range(options.first, options.first + options.worlds):
        found = row(number, options.questions)
        if found is not None:
            lines.append(found[0])
            table.append(found[1])
            print(found[0], flush=True)
    used = [numbers for numbers in table if numbers[0]]
    for name, some in ((f"mean of {len(table)}", table), (f"mean of {len(used)} with clarity", used)):
        if some:
            lines.append(f"| {name} | | | | | {shown(np.mean(some, axis=0).tolist())} |")
            print(lines[-1])
    if options.out:
        options.out.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
