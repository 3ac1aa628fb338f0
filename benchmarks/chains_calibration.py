"""Calibration of the engine chains: shares of first answers, on training facts that are held out.

    python benchmarks/chains_calibration.py --data DIR [--datasets umls,kinship] [--draws 3]

A random part of train is held out: as many facts as test has, at most a quarter. The model learns from the rest, with
valid or, in a second row, without it. Other true answers of any split are filtered, as in a ranking on test; test has
no other use. By chance: expected error of a perfectly calibrated model with the same shares.
"""

from __future__ import annotations

import argparse
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import r5
from r5.bench.graphs.published import load_published_graph_results
from r5.data.formats.triples import load_triples
from r5.dataset import Dataset
from r5.knowledge.calibration import calibration_by_chance, calibration_error
from r5.knowledge.top_answers import top_answers


def lines_of(folder: Path, *names: str) -> list[str]:
    """Return the distinct facts of some files."""
    paths = [folder / f"{name}.txt" for name in names]
    return list(dict.fromkeys(line for path in paths if path.is_file() for line in path.read_text().splitlines()))


def hold_out_facts(folder: Path, draw: int) -> tuple[Dataset, int]:
    """Return the data with some training facts in front of its test facts, and their number."""
    train, valid, test = (lines_of(folder, *names) for names in (("train", "facts"), ("valid",), ("test",)))
    order = np.random.default_rng(draw).permutation(len(train)).tolist()
    size = min(len(test), len(train) // 4)
    out, rest = [train[place] for place in sorted(order[:size])], [train[place] for place in sorted(order[size:])]
    with tempfile.TemporaryDirectory() as place:
        for name, facts in (("train", rest), ("valid", valid), ("test", [*out, *test])):
            (Path(place) / f"{name}.txt").write_text("\n".join(facts) + "\n")
        return load_triples(place), size


def rows(title: str, folder: Path, draws: int) -> Iterator[str]:
    """Yield the rows of one data set, two per draw."""
    for draw in range(draws):
        data, size = hold_out_facts(folder, draw)
        for name, valid in (("valid", data.valid), ("none", None)):
            model = r5.ChainReasoner(seed=draw).fit(data.train, valid)
            found = top_answers(model, data, data.test[:size])
            shares, right = [one.share for one in found], [one.right for one in found]
            error, chance = calibration_error(shares, right), calibration_by_chance(shares)
            figures = " | ".join(f"{figure:.3f}" for figure in (np.mean(right), np.mean(shares), error, chance))
            yield f"| {title} | {draw} | {name} | {len(found):,} | {figures} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--datasets", default="")
    parser.add_argument("--draws", type=int, default=3)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    print("|  | draw and seed | calibrated on | queries | right | mean share | calibration error | by chance |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for one in load_published_graph_results().select([name for name in options.datasets.split(",") if name]):
        if (options.data / one.folder).is_dir():
            for row in rows(one.title, options.data / one.folder, options.draws):
                print(row, flush=True)


if __name__ == "__main__":
    main()
