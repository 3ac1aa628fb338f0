"""Training time of the engine chains at the current and at an older commit, in alternating runs.

    python benchmarks/chains_versions.py --data DIR [--datasets umls,family] [--since REVISION] [--turns 2]

Each training has a process of its own, which compiles the kernels on a small library first. The older version is from
the history of the repository. The table shows the fastest run of each version, the speed-up in processor seconds, and
the MRR on valid, which both versions use in the same way.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

from grammar_versions import HERE, Outcome, older

BEFORE = "af3a8a50c73117bdb054aee6e5ba35527fb950b5"


def learn(folder: Path) -> Outcome:
    """Train once in this process, with the version that comes first on the path."""
    import r5
    from r5.data.formats.triples import load_triples

    warnings.simplefilter("ignore")
    small, data = r5.load("library", members=20, books=12), load_triples(folder)
    r5.rank(r5.ChainReasoner(seed=0).fit(small.train, small.valid), small.test)
    clock, processor = time.perf_counter(), time.process_time()
    model = r5.ChainReasoner(seed=0).fit(data.train, data.valid)
    took = time.perf_counter() - clock, time.process_time() - processor
    return Outcome(*took, r5.rank(model, data.valid, (data.train.pool, data.valid, data.test)).mrr)


def measured(source: Path, folder: Path) -> Outcome:
    """Train with the sources of a folder in a new process."""
    command = [sys.executable, str(Path(__file__).resolve()), "--learn", str(folder)]
    environment = {**os.environ, "PYTHONPATH": str(source)}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True, text=True)
    return Outcome(*json.loads(done.stdout.splitlines()[-1]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--datasets", default="umls-30,umls,family,kinship")
    parser.add_argument("--since", default=BEFORE, metavar="REVISION", help="commit of the older version")
    parser.add_argument("--turns", type=int, default=2)
    parser.add_argument("--learn", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.learn:
        print(json.dumps(learn(options.learn)))
        return
    if options.data is None:
        parser.error("--data is required: the folder of the knowledge graphs")
    print(
        "| data | before: seconds | processor seconds | MRR | now: seconds | processor seconds | MRR | times faster |"
    )
    print("|" + " --- |" * 8)
    with tempfile.TemporaryDirectory() as folder:
        source = older(options.since, Path(folder))
        if source is None:
            raise SystemExit(f"there is no commit {options.since} here to compare with: clone the whole history")
        for name in options.datasets.split(","):
            turns = [
                [measured(one, options.data / "kg" / name) for one in (source, HERE / "src")]
                for _ in range(options.turns)
            ]
            both = [min(version, key=lambda one: one.processor) for version in zip(*turns, strict=True)]
            figures = " | ".join(f"{one.seconds:.1f} | {one.processor:.1f} | {one.accuracy:.3f}" for one in both)
            print(f"| {name} | {figures} | {both[0].processor / both[1].processor:.2f} |", flush=True)


if __name__ == "__main__":
    main()
