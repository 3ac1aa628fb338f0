"""Scaling beyond one machine: overhead of Ray, corpora in files, a large graph, and a projection to more workers.

`python benchmarks/scale.py overhead|paths|graph|model|agent [--paths N]` needs two idle cores and prints
Markdown; its output is in `scale.md`. The data are chains over a cyclic group of 15 relations with 2 % wrong edges.
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
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

import r5
from r5.agent.episode import Episode, play
from r5.agent.training.training import Training, TrainingQuery
from r5.grammar.corpus.batches import make_batch
from r5.grammar.corpus.corpus import Corpus
from r5.grammar.rule_index import RuleIndex
from r5.grammar.settings import GrammarSettings
from r5.grammar.training.em import expect
from r5.grammar.training.rule_candidates import uniform_grammar
from r5.grammar.training.trainer import learn
from r5.parallel.pickling import pack
from r5.paths.selection import select_paths
from r5.reasoners.batch_answers import _RemoteAnswerer, _with_neighbours
from r5.reasoners.r5_training import training_queries

RELATIONS = 15
SHORT = {"restarts": (0.5, 2.0), "annealing_steps": 7, "sparse_steps": 3}
BANDWIDTH = 1.25e9
"""Network bandwidth of the projection in bytes per second: 10 Gbit/s."""


def chains(count: int, lengths: tuple[int, ...], seed: int) -> tuple[list[tuple[int, ...]], list[int]]:
    """Return random paths in the cyclic group and their sums, with 2 % wrong edges."""
    rng = np.random.default_rng(seed)
    paths, labels = [], []
    for length in rng.choice(lengths, count).tolist():
        true = rng.integers(0, RELATIONS, length)
        wrong = rng.random(length) < 0.02
        paths.append(tuple(np.where(wrong, rng.integers(0, RELATIONS, length), true).tolist()))
        labels.append(int(true.sum() % RELATIONS))
    return paths, labels


def build_corpus(count: int, seed: int = 0) -> Corpus:
    paths, labels = chains(count, (2, 3, 4, 5, 6), seed)
    return Corpus.of([(path,) for path in paths], labels, RELATIONS)


def memory(processes: list[int]) -> float:
    """Return the megabytes of some processes; shared memory is counted once."""
    total = 0
    for process in processes:
        with suppress(OSError, StopIteration):
            lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
            total += next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return total / 1024


def family() -> list[int]:
    """Return the ids of this process and of all its descendants, including those of Ray."""
    found, rest = [], [os.getpid()]
    while rest:
        process = rest.pop()
        found.append(process)
        with suppress(OSError):
            rest += [int(child) for child in Path(f"/proc/{process}/task/{process}/children").read_text().split()]
    return found


def spent(processes: list[int]) -> list[float]:
    """Return the processor seconds of each process so far."""
    fields = [Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split() for process in processes]
    return [(int(one[11]) + int(one[12])) / os.sysconf("SC_CLK_TCK") for one in fields]


@contextmanager
def watched(workers: list[int]) -> Iterator[dict[str, float]]:
    """Measure the peak memory of this process, of each worker, and of all descendants together.

    The sampling interval is long, since sampling takes time.
    """
    most: dict[str, float] = {}
    done = threading.Event()

    def look() -> None:
        over = False
        while not over:
            over = done.wait(2.0)
            now = {"all": memory(family()), "here": memory([os.getpid()])}
            now |= {f"worker {place}": memory([process]) for place, process in enumerate(workers)}
            for name, amount in now.items():
                most[name] = max(most.get(name, 0.0), amount)

    looking = threading.Thread(target=look, daemon=True)
    looking.start()
    try:
        yield most
    finally:
        done.set()
        looking.join()


def each(most: dict[str, float]) -> str:
    """Return the peak memory of each worker as text, or of this process if it does the work."""
    found = [f"{amount:,.0f}" for name, amount in sorted(most.items()) if name.startswith("worker")]
    return " and ".join(found) or f"{most['here']:,.0f}"


def digest(arrays: Any) -> str:
    return hashlib.sha256(b"".join(np.ascontiguousarray(array).tobytes() for array in arrays)).hexdigest()[:12]


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    found = work()
    return time.perf_counter() - start, found


def overhead(count: int) -> None:
    """Print the time of one training on one core, two threads and two Ray workers, the fastest of three runs each."""
    settings = GrammarSettings(seed=0, **SHORT)  # type: ignore[arg-type]
    few, corpus = build_corpus(2000), build_corpus(count)
    print(f"{count:,} paths ({corpus.distinct_examples:,} distinct, {len(corpus.plans())} batches), {SHORT}\n")
    best: dict[str, tuple[float, str]] = {}
    with ExitStack() as stack:
        clusters = {name: stack.enter_context(r5.open_cluster(name, 2)) for name in ("serial", "local", "ray")}
        for cluster in clusters.values():
            learn(few, settings, cluster=cluster)  # compiles
        for _ in range(3):
            for name, cluster in clusters.items():
                workers = getattr(cluster, "processes", [])
                before = spent([os.getpid(), *workers])
                with watched(workers) as most:
                    seconds, learned = timed(lambda there=cluster: learn(corpus, settings, cluster=there))
                after = spent([os.getpid(), *workers])
                busy = ", ".join(f"{last - first:.1f}" for first, last in zip(before, after, strict=True))
                bits = digest([learned.counts.rules, learned.counts.leaves])
                best[name] = min(best.get(name, (np.inf, "")), (seconds, f"{busy} | {each(most)} | {bits}"))
    one, two = best["serial"][0], best["local"][0]
    print("| cluster | seconds | to one core | to two threads | processor s, here and workers | a worker, MB | bits |")
    print("| --- " * 7 + "|")
    for name, (seconds, rest) in best.items():
        print(f"| `{name}` | {seconds:.1f} | {one / seconds:.2f} times as fast | {seconds / two:.2f} | {rest} |")


def write_shard(folder: Path, size: int, number: int) -> int:
    """Write one file of paths."""
    paths, labels = chains(size, (2, 3, 4, 5), number)
    with (folder / f"{number:03}.jsonl").open("w") as file:
        for path, label in zip(paths, labels, strict=True):
            file.write(json.dumps({"path": [f"r{x}" for x in path], "answer": f"r{label}"}) + "\n")
    return size


def paths(count: int) -> None:
    """Print the time of training from files that the workers read."""
    folder = Path(tempfile.mkdtemp()) / "train.paths"
    folder.mkdir()
    shards = 20
    try:
        with r5.open_cluster("ray", 2) as cluster:
            cluster.map(partial(write_shard, folder, count // shards), list(range(shards)))
            small = {"restarts": (0.5,), "annealing_steps": 1, "sparse_steps": 1}
            ticks: list[float] = []
            model = r5.GrammarReasoner(seed=0, **small)  # type: ignore[arg-type]
            with watched(cluster.processes) as most:  # type: ignore[attr-defined]
                seconds, _ = timed(
                    lambda: model.fit(
                        r5.PathShards.of(folder), progress=lambda _: ticks.append(time.perf_counter()), cluster=cluster
                    )
                )
        step = ticks[-1] - ticks[-2]
        size = sum(file.stat().st_size for file in folder.iterdir()) / 2**20
        print(f"{count:,} paths in {shards} files of {size:,.0f} MB, two workers: {seconds:.0f} s in all, ", end="")
        print(f"{step:.1f} s for a step with all of them, {count / step:,.0f} paths a second.\n")
        print(f"Most memory: {most['all']:,.0f} MB in all, Ray's own processes and store counted; ", end="")
        print(f"this process {most['here']:,.0f} MB, the workers {each(most)} MB.")
    finally:
        shutil.rmtree(folder.parent)


def graph(edges: int, questions: int) -> None:
    """Print the time of queries about one large graph in the object store of Ray."""
    nodes = edges // 10
    rng = np.random.default_rng(0)
    words = r5.Vocabulary(tuple(f"r{x}" for x in range(RELATIONS)))
    ends = rng.integers(0, nodes, (2, edges), dtype=np.int32)
    kinds = rng.integers(0, RELATIONS, edges, dtype=np.int32)
    names = tuple(map(str, range(nodes)))
    seconds, large = timed(lambda: r5.Graph.from_arrays(words, names, ends[0], kinds, ends[1]))
    print(f"{edges:,} edges between {nodes:,} entities, made in {seconds:.0f} s; ", end="")
    order = large.outgoing
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
        shared = cluster.share(_with_neighbours(large))
        ask = _RemoteAnswerer(cluster.share(pack(model)), shared, False)
        batches = [(sources[k : k + 4096], at[k : k + 4096]) for k in range(0, questions, 4096)]
        put = time.perf_counter() - start
        with watched(cluster.processes) as most:  # type: ignore[attr-defined]
            seconds, answers = timed(lambda: [one for part in cluster.stream(ask, batches) for one in part])
    known = sum(answer.relation is not None for answer in answers)
    print(f"{put:.0f} s to prepare and share it.\n")
    print(f"{questions:,} questions in {seconds:.0f} s on two workers, {questions / seconds:,.0f} a second; ", end="")
    print(f"{known:,} answered.\n\nMost memory: {most['all']:,.0f} MB in all, what is shared counted once; ", end="")
    print(f"this process {most['here']:,.0f} MB, the workers {each(most)} MB.")


def corpus_examples(count: int, words: r5.Vocabulary) -> r5.Examples:
    paths, labels = chains(count, (2, 3), 7)
    examples = []
    for path, label in zip(paths, labels, strict=True):
        chain = r5.Graph.from_triples([(str(k), f"r{x}", str(k + 1)) for k, x in enumerate(path)], words)
        examples.append(r5.Example(chain, r5.Query(0, len(path)), label))
    return r5.Examples.of(examples)


def model(count: int) -> None:
    """Print step times on one and two workers for several corpora, and a projection to more of both.

    The projection is fitted to processor seconds of the workers.
    """
    grammar = uniform_grammar(RuleIndex.full(RELATIONS), noise=0.1)
    corpora = [build_corpus(size) for size in (count // 4, count // 2, count)]
    rows = []
    for workers in (1, 2):
        for corpus in corpora:  # each with a new Ray, which does not always free memory
            with r5.open_cluster("ray", workers) as cluster:
                there = corpus.distribute(cluster)
                expect(grammar, there)
                processes = cluster.processes  # type: ignore[attr-defined]
                before = spent(processes)
                with watched(processes) as most:
                    whole = min(timed(lambda held=there: expect(grammar, held))[0] for _ in range(8))
                busy = max(last - first for first, last in zip(before, spent(processes), strict=True)) / 8
                rows.append((workers, int(corpus.weight), work_of_busiest(corpus, workers), whole, most, busy))
                empty = min(timed(lambda where=cluster: where.map(abs, [1]))[0] for _ in range(20))
                calls = timed(lambda where=cluster: list(where.stream(abs, range(500))))[0] / 500
    given = np.array([[1.0, work] for _, _, work, *_ in rows])
    (fixed, split), *_ = np.linalg.lstsq(given, np.array([busy for *_, busy in rows]), rcond=None)
    path = split * work_of_busiest(corpora[-1], 1) / corpora[-1].weight
    out, back = len(pack(grammar)), 8 * (len(grammar.index) + grammar.index.leaf_true.size + RELATIONS)
    arrays = np.ones(back // 8)
    adding = min(timed(lambda: arrays + arrays)[0] for _ in range(20))
    print("| workers | paths | fastest step, s | processor s of the busiest worker | as fitted | a worker, MB |")
    print("| --- " * 6 + "|")
    for workers, size, work, whole, most, busy in rows:
        print(f"| {workers} | {size:,} | {whole:.3f} | {busy:.3f} | {fixed + split * work:.3f} | {each(most)} |")
    print(
        f"\nFitted to the splits of distinct stretches that the busiest worker has: {1e6 * split:.2f} µs a split ",
        end="",
    )
    print(
        f"and step, which is {1e6 * path:.1f} µs a path, and {1000 * fixed:.1f} ms a step whatever its size; ", end=""
    )
    print(f"an empty round trip takes {1000 * empty:.1f} ms, a call among many {1000 * calls:.2f} ms. ", end="")
    print(f"A step sends {out:,} bytes to each machine and gets {back:,} bytes a sum; adding two ", end="")
    print(f"takes {1e6 * adding:.1f} µs.\n")
    project(path, max(fixed, 0.0) + empty, calls, adding, out, back)


def work_of_busiest(corpus: Corpus, workers: int) -> int:
    """Return the number of split points of the distinct spans of a worker's batches, the size of its charts."""
    each_batch = np.array([int((batch.spans.lengths - 1).sum()) for batch in map(make_batch, corpus.plans())])
    bounds = [each_batch.size * number // workers for number in range(workers + 1)]
    return max(int(each_batch[first:last].sum()) for first, last in pairwise(bounds))


def project(path: float, fixed: float, calls: float, adding: float, out: int, back: int) -> None:
    """Print the time of a step on more workers, from the times of its parts."""
    print(
        "Projection, not measured: machines of 8 workers, 10 Gbit/s at the head, each worker is called once a ", end=""
    )
    print("step and sends 1 + 2 log2(batches a worker) sums at the most.\n")
    print("| paths | workers | compute, s | calls, s | network, s | adding, s | a step, s | computing |")
    print("| --- " * 8 + "|")
    for paths_in_all in (2_000_000, 200_000_000):
        for workers in (8, 64, 512):
            batches = max(paths_in_all / workers / 17_000, 1.0)
            sums = workers * (1 + 2 * np.log2(batches))
            compute, called = path * paths_in_all / workers, calls * workers
            network = (out * max(workers / 8, 1) + back * sums) / BANDWIDTH
            whole = fixed + compute + called + network + adding * sums
            shares = f"{compute:.3f} | {called:.3f} | {network:.4f} | {adding * sums:.4f} | {whole:.3f}"
            print(f"| {paths_in_all:,} | {workers} | {shares} | {compute / whole:.0%} |")


def agent(train: int) -> None:
    """Print the times of the engine `r5`: parallel restarts, and the cost of distributing the episodes of a batch."""
    data = r5.load("world", train=train, test=5, valid=0)
    settings = {"seed": 0, "restarts": 4, "pool_rules": True, "epochs": 3, "patience": 0}
    rows = []
    for name in ("serial", "ray"):
        with r5.open_cluster(name, 2) as cluster:
            r5.R5Reasoner(**{**settings, "epochs": 1}).fit(data.train.select(range(20)), cluster=cluster)
            model = r5.R5Reasoner(**settings)
            seconds, _ = timed(lambda one=model, where=cluster: one.fit(data.train, cluster=where))
            rows.append((name, seconds, digest(model.learned_.arrays.values())))
            empty = min(timed(lambda where=cluster: where.map(abs, [1]))[0] for _ in range(20))
    print(f"{train} questions, {settings}:\n\n| cluster | seconds | bits |\n" + "| --- " * 3 + "|")
    for name, seconds, bits in rows:
        print(f"| `{name}` | {seconds:.1f} | {bits} |")
    found = select_paths(data.train, model.settings_.training_paths, model.settings_, nodes=False)
    training = Training(model.vocabulary_, model.settings_, training_queries(found, data.train))
    training.run_epoch()
    size = model.settings_.episodes_per_update
    batches = [training.queries[start : start + size] for start in range(0, len(training.queries), size)]

    def play_all(part: int) -> float:
        """Return the milliseconds per batch of playing its episodes in parts."""
        pieces = [batch[start : start + part] for batch in batches for start in range(0, len(batch), part)]
        seconds, _ = timed(lambda: [played(training, piece) for piece in pieces])
        return 1000 * seconds / len(pieces)

    whole, half = play_all(size), play_all(size // 2)
    every, _ = timed(training.run_epoch)
    sent = len(pack((training.memory.arrays, training.trainer.arrays() if training.trainer else None)))
    back = len(pack(played(training, batches[0])))
    print(f"\nA batch of {size} episodes: {whole:.1f} ms to play, {half:.1f} ms for half of it; with what is ", end="")
    print(f"learned from it {1000 * every / len(batches):.1f} ms. Memory and network to send before each: ", end="")
    print(f"{sent:,} bytes to each worker, {back:,} bytes of episodes back; an empty round trip takes ", end="")
    print(f"{1000 * empty:.1f} ms.")


def played(training: Training, queries: Sequence[TrainingQuery]) -> list[Episode]:
    """Return episodes as in training, some of them with a masked answer."""
    paths, targets = [query.paths for query in queries], training._targets(queries)
    return play(training.states, training.forest, paths, targets, training.settings, training.rng)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("what", choices=("overhead", "paths", "graph", "model", "agent"))
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
    elif given.what == "agent":
        agent(given.paths or 400)
    else:
        model(given.paths or 200_000)


if __name__ == "__main__":
    main()
