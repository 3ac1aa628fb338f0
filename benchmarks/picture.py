"""The picture in the README: accuracy by hops on CLUTRR, trained on 2 and 3 hops, beside published figures.

    python benchmarks/picture.py --data DIR

Trains the grammar engine with three seeds, takes the other engine's figures from agent_accuracy.json, and writes
docs/assets/clutrr.svg and the numbers in it to clutrr.json.
"""

from __future__ import annotations

import argparse
import json
from itertools import pairwise
from pathlib import Path

import r5

HERE = Path(__file__).resolve().parent
HOPS = range(4, 11)
PUBLISHED = {  # Table 2 of the R5 paper
    "R5 (paper)": [0.98, 0.99, 0.98, 0.96, 0.97, 0.98, 0.97],
    "CTP_L": [0.98, 0.98, 0.97, 0.96, 0.94, 0.89, 0.89],
    "LSTM": [0.98, 0.95, 0.88, 0.87, 0.81, 0.75, 0.75],
    "GAT": [0.91, 0.76, 0.54, 0.56, 0.54, 0.55, 0.45],
}
COLOURS = ["#0b6e4f", "#1f77b4", "#6b7280", "#b45309", "#a21caf", "#b91c1c"]
WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 720, 360, 56, 24, 170, 48


def measured(folder: Path) -> dict[str, list[float]]:
    """Means over three seeds."""
    data = r5.load(folder / "clutrr" / "data_089907f8")
    runs = [r5.evaluate(r5.GrammarReasoner(seed=seed).fit(data.train), data.test) for seed in range(3)]
    grammar = [sum(run.by_length[k].accuracy for run in runs) / len(runs) for k in HOPS]
    agent = json.loads((HERE / "agent_accuracy.json").read_text())["data_089907f8"]
    paper = [sum(run["by_length"][str(k)] for run in agent) / len(agent) for k in HOPS]
    return {"grammar engine": grammar, "r5 engine": paper}


def labels_apart(heights: list[float], gap: float = 17.0) -> list[float]:
    """Heights for the labels at the lines' ends, in the same order but never closer than the gap."""
    placed = sorted(range(len(heights)), key=lambda i: heights[i])
    shown = list(heights)
    for before, after in pairwise(placed):
        shown[after] = max(shown[after], shown[before] + gap)
    return shown


def drawing(lines: dict[str, list[float]]) -> str:
    """A line chart as SVG that reads on light and dark pages."""
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM

    def x(hop: int) -> float:
        return LEFT + (hop - HOPS[0]) * (right - LEFT) / (HOPS[-1] - HOPS[0])

    def y(accuracy: float) -> float:
        return TOP + (1 - accuracy) * (bottom - TOP) / 0.6

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
        'font-size="13" role="img" aria-label="Accuracy by hops on CLUTRR">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
    ]
    for tick in (0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0):
        parts.append(f'<path d="M{LEFT} {y(tick):.1f}H{right}" stroke="#e5e7eb"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y(tick) + 4:.1f}" text-anchor="end" fill="#374151">{tick:.1f}</text>')
    parts += [f'<text x="{x(k):.1f}" y="{bottom + 20}" text-anchor="middle" fill="#374151">{k}</text>' for k in HOPS]
    middle = (LEFT + right) / 2
    parts.append(
        f'<text x="{middle}" y="{HEIGHT - 8}" text-anchor="middle" fill="#374151">hops (trained on 2 and 3)</text>'
    )
    ends = labels_apart([y(values[-1]) for values in lines.values()])
    for (name, values), colour, end in zip(lines.items(), COLOURS, ends, strict=True):
        points = " ".join(f"{x(k):.1f},{y(value):.1f}" for k, value in zip(HOPS, values, strict=True))
        dash = ' stroke-dasharray="5 4"' if name in PUBLISHED else ""
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2.5"{dash}/>')
        parts.append(f'<text x="{right + 10}" y="{end + 4:.1f}" fill="{colour}">{name} {values[-1]:.2f}</text>')
    return "\n".join([*parts, "</svg>\n"])


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    lines = {**measured(parser.parse_args().data), **PUBLISHED}
    assets = HERE.parent / "docs" / "assets"
    (assets / "clutrr.svg").write_text(drawing(lines))
    (assets / "clutrr.json").write_text(json.dumps({"hops": list(HOPS), "accuracy": lines}, indent=1) + "\n")
    for name, values in lines.items():
        print(f"{name:>16}", *(f"{value:.3f}" for value in values))


if __name__ == "__main__":
    main()
