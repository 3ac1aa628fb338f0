"""Scaling of the engine chains: seconds and memory of training on generated graphs of several sizes.

    python benchmarks/chains_scale.py --facts 50000,1000000,5000000 --relations 20
    python benchmarks/chains_scale.py --facts 50000,1000000,5000000 --relations 1000

Relations and entities have skewed frequencies: the first relation has a hundred times the facts of the hundredth, and
the first of a million entities has one fact in fifty. Rules `r(x, z) <= s(x, y), t(y, z)`, one for each third relation,
generate two thirds of the facts. Some of the derived facts are held out and ranked. Each graph has a process of its
own, whose peak memory is reported; seconds are processor seconds.
"""

from __future__ import annotations

import argparse
import functools
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import r5
from r5._util.runtime.budget import Budget
from r5.chains.training import fitting, relation_trainer
from r5.relations import Vocabulary

ENTITIES_A_FACT = 0.2
HELD_OUT = 300
EXCEPTIONS = 0.1
"""Share of derived facts that are false."""


def generated(facts: int, relations: int, seed: int = 0) -> tuple[r5.Graph, r5.Examples]:
    """Return a graph in which relation 3 k follows from 3 k + 1 and 3 k + 2, and held-out derived facts."""
    rng = np.random.default_rng(seed)
    nodes = max(int(facts * ENTITIES_A_FACT), 10)
    groundings = int(facts * 2 / 3 / (3 - EXCEPTIONS))
    group = _zipf(rng, relations // 3, groundings)
    x, y, z = (_skewed(rng, nodes, groundings) for _ in range(3))
    holds = rng.random(groundings) >= EXCEPTIONS
    chance = facts - 2 * groundings - int(holds.sum())
    parts = [
        (x[holds], 3 * group[holds], z[holds]),
        (x, 3 * group + 1, y),
        (y, 3 * group + 2, z),
        (_skewed(rng, nodes, chance), _zipf(rng, relations, chance), _skewed(rng, nodes, chance)),
    ]
    held = rng.choice(int(holds.sum()), min(HELD_OUT, facts // 50), replace=False)
    asked = [column[held] for column in parts[0]]
    parts[0] = tuple(np.delete(column, held) for column in parts[0])
    sources, kinds, targets = (np.concatenate(columns).astype(np.int32) for columns in zip(*parts, strict=True))
    names, words = tuple(f"e{n}" for n in range(nodes)), Vocabulary(tuple(f"r{n}" for n in range(relations)))
    graph = r5.Graph.from_arrays(words, names, sources, kinds, targets)
    return graph, r5.Examples.over(graph, asked[0], asked[2], asked[1])


def _zipf(rng: np.random.Generator, size: int, count: int) -> np.ndarray:
    """Return random numbers below `size`, the nth with probability proportional to 1 / n."""
    shares = 1 / np.arange(1, size + 1)
    return rng.choice(size, count, p=shares / shares.sum())


def _skewed(rng: np.random.Generator, nodes: int, count: int) -> np.ndarray:
    """Return random numbers below `nodes`, small ones more often: the first of a million has probability 0.01."""
    return (nodes * rng.random(count) ** 3).astype(np.int64)


class Clock:
    """Processor seconds by part of the training."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    def around(self, place: Any, name: str, part: str) -> None:
        """Measure all further calls of a function."""
        inner: Callable[..., Any] = getattr(place, name)

        @functools.wraps(inner)
        def timed(*given: Any, **named: Any) -> Any:
            start = time.thread_time()
            try:
                return inner(*given, **named)
            finally:
                self.seconds[part] = self.seconds.get(part, 0.0) + time.thread_time() - start

        setattr(place, name, timed)


def measured(facts: int, relations: int, threads: int) -> dict[str, float]:
    """Train once, with compiled kernels."""
    r5.ChainReasoner(seed=0).fit(r5.load("library", members=20, books=12).train)
    graph, held = generated(facts, relations)
    clock = Clock()
    clock.around(relation_trainer.RelationTrainer, "_chains", "mining")
    clock.around(relation_trainer, "build_queries", "features")
    clock.around(relation_trainer, "train_weights", "weights")
    clock.around(fitting, "fit_exclusion_strength", "tuning")
    for name in ("calibrate_temperature", "count_confidences", "calibrate_facts"):
        clock.around(fitting, name, "calibration")
    start, used = time.perf_counter(), time.process_time()
    model = r5.ChainReasoner(seed=0).fit(graph, budget=Budget(threads=threads))
    seconds, used = time.perf_counter() - start, time.process_time() - used
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)
    ranking = r5.rank(model, held)
    return {
        "facts": graph.number_of_edges,
        "relations": relations,
        "seconds": round(seconds, 1),
        "cpu_seconds": round(used, 1),
        **{part: round(value, 1) for part, value in clock.seconds.items()},
        "milliseconds_a_fact": round(1000 * used / graph.number_of_edges, 3),
        "peak_megabytes": round(memory),
        "rules": sum(len(target) for target in model.model_.targets.values()),
        "mrr": round(ranking.mrr, 3),
        "ranks_a_second": round(ranking.n / ranking.seconds, 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--facts", default="50000,200000")
    parser.add_argument("--relations", type=int, default=1000)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--one", action="store_true", help="measure the first size in this process")
    chosen = parser.parse_args()
    sizes = [int(size) for size in chosen.facts.split(",")]
    if chosen.one:
        print(json.dumps(measured(sizes[0], chosen.relations, chosen.threads)))
        return
    for size in sizes:
        command = [sys.executable, __file__, "--one", "--facts", str(size), "--relations", str(chosen.relations)]
        subprocess.run([*command, "--threads", str(chosen.threads)], check=True)


if __name__ == "__main__":
    main()
