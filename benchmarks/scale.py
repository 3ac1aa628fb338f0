"""Beyond one machine: what Ray costs beside threads, corpora in files, a large graph, and what more workers would do.

`python benchmarks/scale.py overhead|paths|graph|model [--paths N]` needs two cores for itself and prints Markdown; what
it printed is in `scale.md`. The data are chains of a group of 15 relations with one edge in fifty wrong.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import r5
from r5.grammar.candidates import even_model
from r5.grammar.corpus import Corpus
from r5.grammar.em import expect
from r5.grammar.learning import learn
from r5.grammar.model import Support
from r5.grammar.settings import GrammarSettings
from r5.parallel.packing import pack
from r5.reasoners.many import _Elsewhere, _shareable

RELATIONS = 15
SHORT = {"restarts": (0.5, 2.0), "annealing_steps": 7, "sparse_steps": 3, "slower": 1}
BANDWIDTH = 1.25e9
"""Bytes a second of the network that the projection assumes: 10 Gbit/s."""


def chains(count: int, lengths: tuple[int, ...], seed: int) -> tuple[list[tuple[int, ...]], list[int]]:
    """Random paths in the cyclic group and their sums; one edge in fifty is another one than it should be."""
    rng = np.random.default_rng(seed)
    paths, labels = [], []
    for length in rng.choice(lengths, count).tolist():
        true = rng.integers(0, RELATIONS, length)
        wrong = rng.random(length) < 0.02
        paths.append(tuple(np.where(wrong, rng.integers(0, RELATIONS, length), true).tolist()))
        labels.append(int(true.sum() % RELATIONS))
    return paths, labels


def corpus_of(count: int, seed: int = 0) -> Corpus:
    paths, labels = chains(count, (2, 3, 4, 5, 6), seed)
    return Corpus.of([(path,) for path in paths], labels, RELATIONS)


def memory(processes: list[int]) -> float:
    """Megabytes of these processes, what they share counted once."""
    total = 0
    for process in processes:
        with suppress(OSError, StopIteration):
            lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
            total += next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return total / 1024


@contextmanager
def watched(processes: list[int]) -> Iterator[dict[str, float]]:
    """The most memory of each process, and of all at once, while something goes on."""
    most: dict[str, float] = {"all": 0.0}
    done = threading.Event()

    def look() -> None:
        while not done.wait(0.3):
            each = {f"{place}": memory([process]) for place, process in enumerate(processes)}
            for name, amount in {**each, "all": sum(each.values())}.items():
                most[name] = max(most.get(name, 0.0), amount)

    looking = threading.Thread(target=look, daemon=True)
    looking.start()
    try:
        yield most
    finally:
        done.set()
        looking.join()


def digest(arrays: Any) -> str:
    return hashlib.sha256(b"".join(np.ascontiguousarray(array).tobytes() for array in arrays)).hexdigest()[:12]


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    found = work()
    return time.perf_counter() - start, found


def overhead(count: int) -> None:
    """The same training on one core, on two threads and on two Ray workers, in one run."""
    settings = GrammarSettings(seed=0, **SHORT)  # type: ignore[arg-type]
    learn(corpus_of(2000), settings)  # compiles
    corpus = corpus_of(count)
    rows = []
    for name in ("serial", "local", "ray"):
        with r5.open_cluster(name, 2) as cluster:
            learn(corpus_of(2000), settings, cluster=cluster)
            mine = getattr(cluster, "processes", [os.getpid()])
            with watched(mine) as most:
                seconds, learned = timed(lambda there=cluster: learn(corpus, settings, cluster=there))
        rows.append((name, seconds, digest([learned.counts.rules, learned.counts.leaves]), most))
    one, two = rows[0][1], rows[1][1]
    print(f"{count:,} paths ({len(corpus.questions):,} distinct, {len(corpus.pieces())} batches), {SHORT}\n")
    print("| cluster | seconds | to one core | to two threads | a worker, MB | bits |\n" + "| --- " * 6 + "|")
    for name, seconds, bits, most in rows:
        each = " and ".join(f"{most[key]:,.0f}" for key in sorted(most) if key != "all")
        print(
            f"| `{name}` | {seconds:.1f} | {one / seconds:.2f} times as fast | {seconds / two:.2f} | {each} | {bits} |"
        )


def write_shard(folder: Path, size: int, number: int) -> int:
    """One file of paths, by its number."""
    paths, labels = chains(size, (2, 3, 4, 5), number)
    with (folder / f"{number:03}.jsonl").open("w") as file:
        for path, label in zip(paths, labels, strict=True):
            file.write(json.dumps({"path": [f"r{x}" for x in path], "answer": f"r{label}"}) + "\n")
    return size


def paths(count: int) -> None:
    """Training from files that the workers read."""
    folder = Path(tempfile.mkdtemp()) / "train.paths"
    folder.mkdir()
    shards = 20
    try:
        with r5.open_cluster("ray", 2) as cluster:
            cluster.map(partial(write_shard, folder, count // shards), list(range(shards)))
            small = {"restarts": (0.5,), "annealing_steps": 1, "sparse_steps": 1}
            ticks: list[float] = []
            model = r5.GrammarReasoner(seed=0, **small)  # type: ignore[arg-type]
            with watched([os.getpid(), *cluster.processes]) as most:  # type: ignore[attr-defined]
                seconds, _ = timed(
                    lambda: model.fit(
                        r5.PathShards.of(folder), progress=lambda _: ticks.append(time.perf_counter()), cluster=cluster
                    )
                )
        step = ticks[-1] - ticks[-2]
        size = sum(file.stat().st_size for file in folder.iterdir()) / 2**20
        print(f"{count:,} paths in {shards} files of {size:,.0f} MB, two workers: {seconds:.0f} s in all, ", end="")
        print(f"{step:.1f} s for a step with all of them, {count / step:,.0f} paths a second.\n")
        print(f"Most memory: {most['all']:,.0f} MB in all; this process {most['0']:,.0f} MB, ", end="")
        print(f"the workers {most['1']:,.0f} and {most['2']:,.0f} MB.")
    finally:
        shutil.rmtree(folder.parent)


def graph(edges: int, questions: int) -> None:
    """Questions about one large graph in Ray's object store."""
    nodes = edges // 10
    rng = np.random.default_rng(0)
    words = r5.Vocabulary(tuple(f"r{x}" for x in range(RELATIONS)))
    ends = rng.integers(0, nodes, (2, edges), dtype=np.int32)
    kinds = rng.integers(0, RELATIONS, edges, dtype=np.int32)
    names = tuple(map(str, range(nodes)))
    seconds, large = timed(lambda: r5.Graph.from_arrays(words, names, ends[0], kinds, ends[1]))
    print(f"{edges:,} edges between {nodes:,} entities, made in {seconds:.0f} s; ", end="")
    order = large.leaving
    sources = rng.integers(0, nodes, questions).astype(np.int32)
    at = sources.copy()
    for _ in range(2):
        degree = np.maximum(order.offsets[at + 1] - order.offsets[at], 1)
        step = np.minimum(order.offsets[at] + rng.integers(0, 1 << 30, questions) % degree, edges - 1)
        at = large.targets[order.edges[step]]
    train = corpus_examples(2000, words)
    model = r5.GrammarReasoner(seed=0, restarts=(0.5,), answer_paths="shortest").fit(train)
    with r5.open_cluster("ray", 2) as cluster:
        start = time.perf_counter()
        shared = cluster.share(_shareable(large))
        ask = _Elsewhere(cluster.share(pack(model)), shared, False)
        batches = [(sources[k : k + 4096], at[k : k + 4096]) for k in range(0, questions, 4096)]
        put = time.perf_counter() - start
        with watched([os.getpid(), *cluster.processes]) as most:  # type: ignore[attr-defined]
            seconds, answers = timed(lambda: [one for part in cluster.stream(ask, batches) for one in part])
    known = sum(answer.relation is not None for answer in answers)
    print(f"{put:.0f} s to prepare and share it.\n")
    print(f"{questions:,} questions in {seconds:.0f} s on two workers, {questions / seconds:,.0f} a second; ", end="")
    print(f"{known:,} answered.\n\nMost memory: {most['all']:,.0f} MB in all (what is shared counted once); ", end="")
    print(f"this process {most['0']:,.0f} MB, the workers {most['1']:,.0f} and {most['2']:,.0f} MB.")


def corpus_examples(count: int, words: r5.Vocabulary) -> r5.Examples:
    paths, labels = chains(count, (2, 3), 7)
    examples = []
    for path, label in zip(paths, labels, strict=True):
        chain = r5.Graph.from_triples([(str(k), f"r{x}", str(k + 1)) for k, x in enumerate(path)], words)
        examples.append(r5.Example(chain, r5.Query(0, len(path)), label))
    return r5.Examples.of(examples)


def model(count: int) -> None:
    """Steps on one and two workers and corpora of several sizes, and what follows for more of both."""
    grammar = even_model(Support.full(RELATIONS), noise=0.1)
    rows = []
    for workers in (1, 2):
        with r5.open_cluster("ray", workers) as cluster:
            for size in (count // 4, count // 2, count):
                there = corpus_of(size).on(cluster)
                expect(grammar, there)
                seconds = min(timed(lambda corpus=there: expect(grammar, corpus))[0] for _ in range(3))
                rows.append((workers, size, seconds))
                there.held.release()
            empty = min(timed(lambda where=cluster: where.map(abs, [1]))[0] for _ in range(20))
    sizes = np.array([[1.0, size / workers] for workers, size, _ in rows])
    (fixed, each), *_ = np.linalg.lstsq(sizes, np.array([seconds for *_, seconds in rows]), rcond=None)
    out, back = len(pack(grammar)), 8 * (len(grammar.support) + grammar.support.leaf_true.size + RELATIONS)
    arrays = np.ones(back // 8)
    adding = min(timed(lambda: arrays + arrays)[0] for _ in range(20))
    print("| workers | paths | seconds a step |\n| --- | --- | --- |")
    for workers, size, seconds in rows:
        print(f"| {workers} | {size:,} | {seconds:.3f} |")
    print(
        f"\nFitted: {1e6 * each:.1f} µs a path and step, {1000 * max(fixed, 0.0):.1f} ms a step whatever its size ",
        end="",
    )
    print(
        f"(an empty round trip takes {1000 * empty:.1f} ms). A step sends {out:,} bytes to each machine and gets ",
        end="",
    )
    print(
        f"{back:,} bytes a sum; adding two takes {1e6 * adding:.1f} µs.\n\nProjection, not measured: machines of ",
        end="",
    )
    print("8 workers, 10 Gbit/s at the head, each worker sends 2 log2(batches a worker) sums at the most.\n")
    print("| paths | workers | compute, s | network, s | adding, s | a step, s | of perfect |\n" + "| --- " * 7 + "|")
    for paths_in_all in (2_000_000, 200_000_000):
        for workers in (8, 64, 512):
            batches = max(paths_in_all / workers / 17_000, 1.0)
            sums = workers * (1 + 2 * np.log2(batches))
            compute = each * paths_in_all / workers
            network = (out * max(workers / 8, 1) + back * sums) / BANDWIDTH
            whole = compute + network + adding * sums + max(fixed, empty)
            shares = f"{compute:.3f} | {network:.4f} | {adding * sums:.4f} | {whole:.3f} | {compute / whole:.0%}"
            print(f"| {paths_in_all:,} | {workers} | {shares} |")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("what", choices=("overhead", "paths", "graph", "model"))
    options.add_argument("--paths", type=int)
    options.add_argument("--edges", type=int, default=20_000_000)
    options.add_argument("--questions", type=int, default=100_000)
    given = options.parse_args()
    if given.what == "overhead":
        overhead(given.paths or 200_000)
    elif given.what == "paths":
        paths(given.paths or 2_000_000)
    elif given.what == "graph":
        graph(given.edges, given.questions)
    else:
        model(given.paths or 40_000)


if __name__ == "__main__":
    main()
