"""Compile the kernels that most tests use: `python -m tests.helpers.compiling grammar`, or `others`.

Processes that run tests side by side would each compile them; two that compile half of them each are done in
half the time, and what they compile is kept on disk for all.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import r5

PARTS = ("grammar", "others")


def compile_kernels() -> None:
    """Compile what is not there yet, a process for each part."""
    from r5._util.kernels.disk_cache import source_digest

    kept = Path(os.environ.get("NUMBA_CACHE_DIR", Path(r5.__file__).parent))
    if any(kept.rglob(f"*{source_digest()}*.nbi")):
        return
    started = [subprocess.Popen([sys.executable, "-m", __name__, part]) for part in PARTS]
    for process in started:
        process.wait()  # where it fails, a test will tell


def main(part: str) -> None:
    """Use what is to be compiled."""
    data = r5.load("world", train=20, valid=2, test=5, wrong_edges=0.2)
    if part == "grammar":
        r5.find_paths(data.test, "trail", limit=1, nodes=True)
        model = r5.GrammarReasoner(seed=0, restarts=(0.5,)).fit(data.train)
        model.predict_many(data.test)
        model.suspicious_edges(data.test[0])
        regions = r5.load("rcc8", train=40, valid=0, test=2)
        r5.GrammarReasoner(seed=0, restarts=(0.5,), evidence="every").fit(regions.train).predict_many(regions.test)
        return
    # What needs no paths comes first: by the time they are wanted, the other process has compiled their kernels.
    library = r5.load("library", members=10, books=10)
    chains = r5.ChainReasoner(seed=0, epochs=1).fit(library.train)
    r5.rank(chains, library.test, (library.train.pool,))
    r5.R5Reasoner(seed=0, epochs=1).fit(data.train).predict_many(data.test)


if __name__ == "__main__":
    main(sys.argv[1])
