"""Bulk prediction: pairs per second and memory of `r5 predict --pairs` on the kinship model.

Run `python benchmarks/predict_pairs.py [--pairs N]`: test queries of kinship (4 to 10 hops, 20,000 families in one
graph), answered from file to file, in processor seconds of one core.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import r5
from r5.cli.answering.predict_pairs import PairsRequest, predict_pairs

FAMILIES = 20_000


def write_questions(folder: Path, count: int) -> None:
    """Write one graph of many families, and a file of pairs that repeats its queries."""
    data = r5.load("kinship", train=1, test=FAMILIES, seed=1).test
    edges, pairs = [], []
    for number, example in enumerate(data):
        edges += [f"{s} {number}\t{r}\t{t} {number}\n" for s, r, t in example.graph.triples()]
        pairs.append(f"{example.source} {number}\t{example.target} {number}\n")
    (folder / "families.tsv").write_text("".join(edges))
    with (folder / "pairs.tsv").open("w") as file:
        file.writelines(pairs[number % FAMILIES] for number in range(count))


def measure(folder: Path, suffix: str, explain: bool) -> None:
    """Answer all pairs in this process, and print seconds and peak memory."""
    out = folder / f"answers{suffix}"
    asked = PairsRequest(
        str(folder / "model"), str(folder / "families.tsv"), folder / "pairs.tsv", explain, False, "test"
    )
    start = time.process_time()
    predict_pairs(asked, out, True, [], quiet=True)
    print(time.process_time() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def run(folder: Path, suffix: str, explain: bool = False) -> tuple[float, float]:
    """Return processor seconds and peak megabytes of a new process."""
    words = [sys.executable, __file__, "--measure", str(folder), suffix, *(["--explain"] if explain else [])]
    environment = {**os.environ, "NUMBA_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(words, check=True, capture_output=True, text=True, env=environment)
    seconds, megabytes = done.stdout.split()[-2:]
    return float(seconds), float(megabytes)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--pairs", type=int, default=400_000)
    options.add_argument("--measure", nargs=2, metavar=("FOLDER", "SUFFIX"))
    options.add_argument("--explain", action="store_true")
    given = options.parse_args()
    if given.measure:
        measure(Path(given.measure[0]), given.measure[1], given.explain)
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        r5.GrammarReasoner(seed=0).fit(r5.load("kinship").train).save(folder / "model")
        write_questions(folder, 4096)
        base, small = run(folder, ".tsv")
        explained, _ = run(folder, ".tsv", explain=True)
        print(f"start, reading {FAMILIES:,} families and 4,096 pairs: {base:.1f} s, {small:.0f} MB")
        print(f"with explanations: {4096 / (explained - base):,.0f} pairs/s")
        write_questions(folder, given.pairs)
        for suffix in (".tsv", ".csv", ".jsonl", ".parquet"):
            seconds, megabytes = run(folder, suffix)
            rate = (given.pairs - 4096) / (seconds - base)
            print(f"{given.pairs:,} pairs to {suffix}: {rate:,.0f} pairs/s, {megabytes:.0f} MB")


if __name__ == "__main__":
    main()
