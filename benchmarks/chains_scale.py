"""How the engine chains grows: seconds and memory to learn from generated graphs of more and more facts.

    python benchmarks/chains_scale.py --facts 10000,20000,40000 --relations 50
    python benchmarks/chains_scale.py --facts 1000000,5000000 --relations 1000

Entities have skewed degrees: few have very many edges. One relation in ten follows from two others. Each graph is
learned from in a process of its own, whose peak memory is told; seconds are those of the processor.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time

import numpy as np

import r5
from r5._util.budget import Budget
from r5.relations import Vocabulary

ENTITIES_A_FACT = 0.2


def generated(facts: int, relations: int, seed: int = 0) -> r5.Graph:
    """A graph in which relation 10 k follows from 10 k + 1 and 10 k + 2, and all else is by chance."""
    rng = np.random.default_rng(seed)
    nodes = max(int(facts * ENTITIES_A_FACT), 10)
    drawn = int(facts * 0.95)
    heads = _skewed(rng, nodes, drawn)
    tails = _skewed(rng, nodes, drawn)
    kinds = rng.integers(relations, size=drawn)
    kinds[kinds % 10 == 0] += 1
    kinds = np.minimum(kinds, relations - 1)
    # What follows: an edge of kind 10 k + 1 and the first edge of kind 10 k + 2 from where it ends.
    second = np.flatnonzero(kinds % 10 == 2)
    keys = tails.astype(np.int64) * relations + kinds + 1
    wanted = heads[second].astype(np.int64) * relations + kinds[second]
    order = np.argsort(wanted, kind="stable")
    first = np.flatnonzero(kinds % 10 == 1)
    places = np.searchsorted(wanted[order], keys[first])
    fits = places < wanted.size
    first, places = first[fits], places[fits]
    fits = wanted[order][places] == keys[first]
    first, places = first[fits], order[places[fits]]
    chosen = rng.permutation(first.size)[: facts - drawn]
    more = (heads[first[chosen]], kinds[first[chosen]] - 1, tails[second[places[chosen]]])
    names = tuple(f"e{n}" for n in range(nodes))
    columns = (np.concatenate([one, two]) for one, two in zip((heads, kinds, tails), more, strict=True))
    sources, steps, targets = (column.astype(np.int32) for column in columns)
    return r5.Graph.from_arrays(Vocabulary(tuple(f"r{n}" for n in range(relations))), names, sources, steps, targets)


def _skewed(rng: np.random.Generator, nodes: int, count: int) -> np.ndarray:
    """Numbers below `nodes`, the smaller the more often: the first of a million is drawn once in a hundred times."""
    return np.minimum((nodes ** rng.random(count) * (1 + rng.random(count))).astype(np.int64), nodes) - 1


def measured(facts: int, relations: int, threads: int) -> dict[str, float]:
    """Learn once; kernels are compiled before."""
    r5.ChainReasoner(seed=0).fit(r5.load("library", members=20, books=12).train)
    graph = generated(facts, relations)
    start, used = time.perf_counter(), time.process_time()
    model = r5.ChainReasoner(seed=0).fit(graph, budget=Budget(threads=threads))
    seconds, used = time.perf_counter() - start, time.process_time() - used
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)
    return {
        "facts": graph.number_of_edges,
        "relations": relations,
        "seconds": round(seconds, 1),
        "cpu_seconds": round(used, 1),
        "milliseconds_a_fact": round(1000 * used / graph.number_of_edges, 3),
        "peak_megabytes": round(memory),
        "rules": sum(len(target.bodies) for target in model.model_.targets.values()),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--facts", default="10000,20000,40000")
    parser.add_argument("--relations", type=int, default=50)
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
