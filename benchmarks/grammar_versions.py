"""Training time of the engine grammar at the current and at an older commit.

    python benchmarks/grammar_versions.py [--data DIR] [--since REVISION] [--limit 600] [--only NAME]
        [--out benchmarks/grammar_versions.md]

Data: with DIR GraphLog's re_0; a generated world with paths of up to 15 relations; 50,000 generated examples. Each
training has a process of its own, which compiles the kernels on a small world first. The older version is from the
history of the repository, by default the last commit before an optimisation of the engine. Training that exceeds the
limit, in wall-clock seconds, is stopped. The speed-up is in processor seconds, or in wall-clock seconds if training was
stopped.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent.parent
BEFORE = "3cad611fb071cb4a6702386bce42f7bab0346565"
SETS = ("re_0", "lengths to 15", "50,000 examples")


class Outcome(NamedTuple):
    seconds: float
    processor: float
    accuracy: float


def learn(name: str, folder: str) -> Outcome:
    """Train once in this process, with the version that comes first on the path."""
    from r5.data.formats.examples.graphlog import load_graphlog
    from r5.data.generators.world.dataset import generate_world
    from r5.reasoners.grammar import GrammarReasoner

    for wrong, relations, limit in ((0.0, 10, 100), (0.1, 12, 100), (0.1, 12, 1)):  # compile; with the limit, to sample
        few = generate_world(train=120, test=6, relations=relations, wrong_edges=wrong)
        GrammarReasoner(seed=0, restarts=(0.5, 2.0), path_limit=limit).fit(few.train).score(few.test)
    if name == "re_0":
        data = load_graphlog(Path(folder) / "graphlog" / name)
    elif name == "lengths to 15":
        data = generate_world(
            seed=1, relations=12, rules=24, train=1000, train_lengths=range(2, 16), wrong_edges=0.1, test=500
        )
    else:
        data = generate_world(
            seed=2, relations=15, rules=40, train=50_000, train_lengths=range(2, 7), wrong_edges=0.05, test=500
        )
    clock, processor = time.perf_counter(), time.process_time()
    model = GrammarReasoner(seed=0).fit(data.train)
    took = time.perf_counter() - clock, time.process_time() - processor
    return Outcome(*took, model.score(data.test))


def measured(source: Path, name: str, folder: Path | None, limit: float) -> Outcome | None:
    """Train with the sources of a folder in a new process; return None if it exceeds the limit."""
    command = [sys.executable, str(Path(__file__).resolve()), "--learn", name, "--data", str(folder or "")]
    try:
        done = subprocess.run(
            command,
            env={**os.environ, "PYTHONPATH": str(source)},
            capture_output=True,
            check=False,
            text=True,
            timeout=limit,
        )
    except subprocess.TimeoutExpired:
        return None
    if done.returncode:
        raise SystemExit(done.stderr)
    return Outcome(*json.loads(done.stdout.splitlines()[-1]))


def older(revision: str, folder: Path) -> Path | None:
    """Return the folder of the older sources; None without such a commit."""
    packed = folder / "older.tar"
    try:
        command = ["git", "archive", "--output", str(packed), revision, "src"]
        subprocess.run(command, cwd=HERE, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    with tarfile.open(packed) as archive:
        archive.extractall(folder, filter="data")
    return folder / "src"


def row(name: str, before: Outcome | None, now: Outcome | None, limit: float) -> str:
    def shown(one: Outcome | None) -> str:
        return f"{one.seconds:.1f} | {one.processor:.1f} | {one.accuracy:.3f}" if one else f"over {limit:.0f} | | "

    ratio = ""
    if now is not None:
        ratio = f"{before.processor / now.processor:.1f}" if before else f"over {limit / now.seconds:.1f}"
    return f"| {name} | {shown(before)} | {shown(now)} | {ratio} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--since", default=BEFORE, metavar="REVISION", help="the commit to compare with")
    parser.add_argument("--limit", type=float, default=600.0, help="seconds for each training, data and compiling too")
    parser.add_argument("--only", choices=SETS, help="one set alone")
    parser.add_argument("--learn", choices=SETS, help=argparse.SUPPRESS)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    if options.learn:
        print(json.dumps(learn(options.learn, str(options.data))))
        return
    lines = [
        "| data | before: seconds | processor seconds | accuracy | now: seconds | processor seconds | accuracy "
        "| times faster |",
        "|" + " --- |" * 8,
    ]
    print(*lines, sep="\n")
    with tempfile.TemporaryDirectory() as folder:
        source = older(options.since, Path(folder))
        if source is None:
            raise SystemExit(f"there is no commit {options.since} here to compare with: clone the whole history")
        for name in [options.only] if options.only else SETS:
            if name == "re_0" and options.data is None:
                continue
            before, now = (measured(one, name, options.data, options.limit) for one in (source, HERE / "src"))
            lines.append(row(name, before, now, options.limit))
            print(lines[-1], flush=True)
    if options.out:
        options.out.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
