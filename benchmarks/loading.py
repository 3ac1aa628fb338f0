"""Seconds to load a million triples from each format, beside pandas or the format's own library in the same run.

    python benchmarks/loading.py
    python benchmarks/loading.py --triples 100000 --rdf

`--rdf` also reads N-Triples, beside pyoxigraph and rdflib alone. Wall-clock and CPU seconds are printed: on a busy
machine the former say little. Exit code 1 if Parquet takes more than 10 or TSV more than 20 CPU seconds a million
triples.
"""

from __future__ import annotations

import argparse
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas
import pyoxigraph
import rdflib

import r5

SECONDS_WANTED = {"graph.parquet": 10.0, "graph.tsv": 20.0}
"""Maximum CPU seconds per million triples."""


def make_frame(size: int) -> pandas.DataFrame:
    """Return triples between 200,000 entities, a few of them hubs, of 50 relations."""
    rng = np.random.default_rng(0)
    heads, tails = rng.zipf(1.3, size) % 200_000, rng.integers(0, 200_000, size)
    return pandas.DataFrame(
        {
            "head": [f"entity_{number}" for number in heads],
            "relation": [f"relation_{number}" for number in rng.integers(0, 50, size)],
            "tail": [f"entity_{number}" for number in tails],
        }
    )


def write_files(frame: pandas.DataFrame, folder: Path, rdf: bool) -> None:
    """Write the triples in each format."""
    frame.to_parquet(folder / "graph.parquet", index=False)
    frame.to_csv(folder / "graph.tsv", sep="\t", index=False, header=False)
    frame.to_csv(folder / "graph.csv", index=False)
    frame.to_json(folder / "graph.jsonl", orient="records", lines=True)
    with sqlite3.connect(folder / "graph.sqlite") as connection:
        frame.to_sql("triples", connection, index=False)
    connection.close()
    if rdf:
        rows = zip(frame["head"], frame["relation"], frame["tail"], strict=True)
        lines = (" ".join(f"<http://kg.org/{name}>" for name in row) + " .\n" for row in rows)
        (folder / "graph.nt").write_text("".join(lines), encoding="utf-8")


def read_sqlite(path: Path) -> object:
    with sqlite3.connect(path) as connection:
        return pandas.read_sql("select * from triples", connection)


def alone(rdf: bool) -> list[tuple[str, str, Callable[[Path], object]]]:
    """Return file, library and its reader."""
    readers: list[tuple[str, str, Callable[[Path], object]]] = [
        ("graph.parquet", "pandas", pandas.read_parquet),
        ("graph.tsv", "pandas", lambda path: pandas.read_csv(path, sep="\t", header=None)),
        ("graph.csv", "pandas", pandas.read_csv),
        ("graph.jsonl", "pandas", lambda path: pandas.read_json(path, lines=True)),
        ("graph.sqlite", "pandas", read_sqlite),
    ]
    if rdf:
        readers += [
            ("graph.nt", "pyoxigraph", lambda path: list(pyoxigraph.parse(path=str(path)))),
            ("graph.nt", "rdflib", lambda path: rdflib.Graph().parse(path, format="nt")),
        ]
    return readers


def seconds_of(function: Callable[[], object]) -> tuple[float, float]:
    """Return wall-clock and CPU seconds of a call."""
    start, start_cpu = time.perf_counter(), time.process_time()
    function()
    return time.perf_counter() - start, time.process_time() - start_cpu


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--triples", type=int, default=1_000_000)
    parser.add_argument("--rdf", action="store_true", help="also N-Triples")
    options = parser.parse_args()
    r5.load([("a", "b", "c")])  # imports
    slow = []
    print(f"| {options.triples:,} triples | r5.load, s | CPU s | alone, s | CPU s | ratio of CPU |")
    print("| --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        write_files(make_frame(options.triples), Path(folder), options.rdf)
        for name, library, read in alone(options.rdf):
            path = Path(folder) / name
            other, other_cpu = seconds_of(lambda path=path, read=read: read(path))
            ours, ours_cpu = seconds_of(lambda path=path: r5.load(path))
            figures = f"{ours:.1f} | {ours_cpu:.1f} | {other:.1f} | {other_cpu:.1f} | {ours_cpu / other_cpu:.1f}"
            print(f"| {name.removeprefix('graph')}, {library} | {figures} |", flush=True)
            if ours_cpu > SECONDS_WANTED.get(name, np.inf) * options.triples / 1e6:
                slow.append(name)
    if slow:
        sys.exit(f"slower than wanted: {', '.join(slow)}")


if __name__ == "__main__":
    main()
