"""Calibration of the shares of first answers of the engine chains, on facts that were not used to develop it.

    python benchmarks/chains_calibration.py --data DIR [--datasets umls,kinship] [--draws 3]

As many facts as test has, a quarter at the most, are taken out of train by chance and asked for; the model learns from
the rest, with valid as usual or, in a second row, without it. Other true answers of any split are left out, as on test:
of test nothing else is used. By chance: the error of answers that are right just as often as they say.
"""

from __future__ import annotations

import argparse
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import r5
from r5.bench.graphs.published import load_peers
from r5.data.formats.triples import load_triples
from r5.dataset import Dataset
from r5.knowledge.calibration import calibration_by_chance, calibration_error
from r5.knowledge.top_answers import top_answers


def lines_of(folder: Path, *names: str) -> list[str]:
    """The facts of some files, each once."""
    paths = [folder / f"{name}.txt" for name in names]
    return list(dict.fromkeys(line for path in paths if path.is_file() for line in path.read_text().splitlines()))


def drawn(folder: Path, draw: int) -> tuple[Dataset, int]:
    """The data with some training facts at the head of its test facts, and how many."""
    train, valid, test = (lines_of(folder, *names) for names in (("train", "facts"), ("valid",), ("test",)))
    order = np.random.default_rng(draw).permutation(len(train)).tolist()
    size = min(len(test), len(train) // 4)
    out, rest = [train[place] for place in sorted(order[:size])], [train[place] for place in sorted(order[size:])]
    with tempfile.TemporaryDirectory() as place:
        for name, facts in (("train", rest), ("valid", valid), ("test", [*out, *test])):
            (Path(place) / f"{name}.txt").write_text("\n".join(facts) + "\n")
        return load_triples(place), size


def rows(title: str, folder: Path, draws: int) -> Iterator[str]:
    for draw in range(draws):
        data, size = drawn(folder, draw)
        for name, valid in (("valid", data.valid), ("none", None)):
            model = r5.ChainReasoner(seed=draw).fit(data.train, valid)
            found = top_answers(model, data, data.test[:size])
            said, right = [one.share for one in found], [one.right for one in found]
            error, chance = calibration_error(said, right), calibration_by_chance(said)
            figures = " | ".join(f"{figure:.3f}" for figure in (np.mean(right), np.mean(said), error, chance))
            yield f"| {title} | {draw} | {name} | {len(found):,} | {figures} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--datasets", default="")
    parser.add_argument("--draws", type=int, default=3)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    print("|  | draw and seed | calibrated on | questions | right | said | calibration error | by chance |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for one in load_peers().chosen([name for name in options.datasets.split(",") if name]):
        if (options.data / one.folder).is_dir():
            for row in rows(one.title, options.data / one.folder, options.draws):
                print(row, flush=True)


if __name__ == "__main__":
    main()
