"""Speed of the charts of the engine grammar, and growth of time and memory.

    python benchmarks/grammar_speed.py [--out benchmarks/grammar_speed.md]

All times are processor seconds. Prediction: paths of length 6 over 20 relations on one core, against a dense, batched
PyTorch chart in log space in the same run. Growth: one EM step and the answers, over up to 200 paths, for 20, 200 and
1,000 relations with five rules each. Curves: exponent of the growth with examples, rules and path length, by least
squares over logarithms. Training: whole training on the union of worlds with 20 relations and 40 rules over distinct
names, in wall-clock seconds on all cores.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

import numpy as np
import torch

from r5._util.ragged import Ragged
from r5.data.builder import DatasetBuilder, Row
from r5.data.generators.world.dataset import generate_world
from r5.dataset import Dataset
from r5.grammar.corpus.corpus import Corpus
from r5.grammar.counts import ExpectedCounts
from r5.grammar.inference.answers import answer
from r5.grammar.model import Grammar
from r5.grammar.rule_index import RuleIndex, every_pair
from r5.grammar.settings import GrammarSettings
from r5.grammar.training.em import Pseudocounts, expect, maximise
from r5.grammar.training.trainer import learn
from r5.reasoners.grammar import GrammarReasoner

Outcome = TypeVar("Outcome")


def random_model(relations: int, rules: int, seed: int = 0, open_: bool = True) -> Grammar:
    """Return a grammar with random rules."""
    rng = np.random.default_rng(seed)
    heads, lefts, rights = rng.integers(0, relations, (3, rules))
    mistakes = every_pair(relations) if open_ and relations <= 66 else None
    index = RuleIndex.of(relations, heads, lefts, rights, confusions=mistakes, open=open_)
    uses = rng.uniform(1.0, 100.0, len(index))
    true, observed = index.leaves
    leaves = np.where(true == observed, rng.uniform(1.0, 100.0, relations)[true], 0.0)
    counts = ExpectedCounts(uses, leaves, np.ones(relations), 0.0, 0.0, index)
    return maximise(counts, Pseudocounts(count_floor=1e-4 if open_ else 0.0, wrong=1.0 / relations))


def random_paths(relations: int, length: int, count: int, seed: int = 1) -> list[tuple[int, ...]]:
    return list(map(tuple, np.random.default_rng(seed).integers(0, relations, (count, length)).tolist()))


def torch_posterior(model: Grammar, paths: list[tuple[int, ...]]) -> torch.Tensor:
    """Return the answers of a dense chart in log space."""
    relations, length = model.relations, len(paths[0])
    index = model.index
    weight = torch.tensor(np.tile(model.background[:, None, None], (1, relations, relations)))
    place = tuple(torch.tensor(ids.astype(np.int64)) for ids in (index.heads, index.lefts, index.rights))
    weight[place] += torch.tensor(model.weight)
    flat = weight.reshape(relations, -1).T
    words = torch.tensor(paths)
    leaves = torch.tensor((model.confusion_matrix * model.stop[:, None]).T.copy())[words].log()
    chart = {(i, i + 1): leaves[:, i] for i in range(length)}
    for size in range(2, length + 1):
        for i in range(length - size + 1):
            parts = [
                (chart[i, k][:, :, None] + chart[k, i + size][:, None, :]).reshape(len(paths), -1)
                for k in range(i + 1, i + size)
            ]
            pairs = torch.stack(parts).logsumexp(dim=0)
            top = pairs.max(dim=1, keepdim=True).values
            chart[i, i + size] = ((pairs - top).exp() @ flat).log() + top
    return (chart[0, length] + torch.tensor(model.prior).log()).softmax(dim=1)


def timed(action: Callable[[], object], repeats: int = 3) -> float:
    """Return the minimum processor seconds of several runs, after one that compiles."""
    action()
    seconds = []
    for _ in range(repeats):
        start = time.process_time()
        action()
        seconds.append(time.process_time() - start)
    return min(seconds)


def prediction_table() -> list[str]:
    torch.set_num_threads(1)
    paths = random_paths(20, 6, 20_000)
    few = paths[:2000]
    starts, rows = np.arange(len(paths) + 1), Ragged.of(paths)
    lines = ["| rules with weight | paths a second | PyTorch chart | ratio |", "| --- | --- | --- | --- |"]
    for rules in (100, 400, 8000):
        model = random_model(20, rules)
        ours = len(paths) / timed(partial(answer, model, starts, rows))
        theirs = len(few) / timed(partial(torch_posterior, model, few), repeats=1)
        same = np.abs(
            answer(model, starts[: len(few) + 1], Ragged.of(few)).posterior - torch_posterior(model, few).numpy()
        )
        if same.max() > 1e-9:
            raise SystemExit(f"the two charts differ by {same.max()}")
        lines.append(f"| {len(model.index)} | {ours:,.0f} | {theirs:,.0f} | {ours / theirs:.0f} |")
    return lines


def derived_paths(model: Grammar, length: int, count: int) -> tuple[list[tuple[int, ...]], list[int]]:
    """Return random paths that the rules derive, and their heads."""
    rng = np.random.default_rng(2)
    index = model.index
    bodies: dict[int, list[tuple[int, int]]] = {}
    for head, left, right in zip(index.heads.tolist(), index.lefts.tolist(), index.rights.tolist(), strict=True):
        bodies.setdefault(head, []).append((left, right))
    paths, labels = [], []
    while len(paths) < count:
        label = int(rng.choice(list(bodies)))
        path = [label]
        while len(path) < length and (places := [n for n, relation in enumerate(path) if relation in bodies]):
            place = int(rng.choice(places))
            choices = bodies[path[place]]
            path[place : place + 1] = choices[rng.integers(len(choices))]
        if len(path) == length:
            paths.append(tuple(path))
            labels.append(label)
    return paths, labels


def measured(action: Callable[[], Outcome]) -> tuple[float, float, Outcome]:
    """Return processor seconds, peak growth of memory in megabytes and the result of an action in a new process."""
    context = multiprocessing.get_context("fork")
    heard, said = context.Pipe()

    def run() -> None:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        start = time.process_time()
        outcome = action()
        seconds = time.process_time() - start
        said.send((seconds, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024, outcome))

    process = context.Process(target=run)
    process.start()
    seconds, megabytes, outcome = heard.recv()
    process.join()
    return seconds, megabytes, outcome


def _done(action: Callable[[], object]) -> None:
    action()


def growth_table() -> list[str]:
    lines = [
        "| relations | rules | length | paths | a step of learning, s | MB | answers, s | MB |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for relations in (20, 200, 1000):
        # With few relations, training considers all rules and confusions, otherwise those that paths suggest.
        learning = random_model(relations, 5 * relations, open_=relations <= 66)
        asked = random_model(relations, 5 * relations)
        for length, count in ((4, 200), (10, 200), (30, 20), (100, 2)):
            paths, labels = derived_paths(learning, length, count)
            corpus = Corpus.of([(path,) for path in paths], labels, relations)
            starts, rows = np.arange(count + 1), Ragged.of(paths)
            step = measured(partial(_done, partial(expect, learning, corpus)))[:2]
            answers = measured(partial(_done, partial(answer, asked, starts, rows)))[:2]
            figures = " | ".join(f"{seconds:.3f} | {megabytes:.0f}" for seconds, megabytes in (step, answers))
            lines.append(f"| {relations} | {5 * relations} | {length} | {count} | {figures} |")
    return lines


def exponent(sizes: Sequence[float], seconds: Sequence[float]) -> float:
    """Return the exponent of the growth of seconds with size."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def noisy(paths: list[tuple[int, ...]], relations: int, share: float = 0.05) -> list[tuple[int, ...]]:
    """Return the paths with a share of wrong edges."""
    rng = np.random.default_rng(3)
    return [tuple(int(rng.integers(relations)) if rng.random() < share else x for x in path) for path in paths]


def curve_table() -> list[str]:
    """Seconds for growing examples, rules and lengths, and their exponents."""
    lines = ["| what grows | sizes | seconds | exponent |", "| --- | --- | --- | --- |"]

    def add(name: str, sizes: Sequence[int], seconds: list[float]) -> None:
        shown = ", ".join(f"{size:,}" for size in sizes), ", ".join(f"{one:.3g}" for one in seconds)
        lines.append(f"| {name} | {shown[0]} | {shown[1]} | {exponent(sizes, seconds):.2f} |")

    truth = random_model(12, 30, open_=False)
    drawn = [derived_paths(truth, length, 25_000) for length in (2, 3, 4, 5)]
    paths = noisy([path for some, _ in drawn for path in some], 12)
    labels = [label for _, some in drawn for label in some]
    order = np.random.default_rng(4).permutation(len(paths)).tolist()
    sizes, seconds = (1_000, 3_000, 10_000, 30_000, 100_000), []
    for size in sizes:
        some = order[:size]
        corpus = Corpus.of([(paths[n],) for n in some], [labels[n] for n in some], 12)
        seconds.append(measured(partial(_done, partial(learn, corpus, GrammarSettings(restarts=(0.5,)))))[0])
    add("examples: one restart from first to last, 12 relations, paths of 2 to 5", sizes, seconds)

    sizes, seconds = (50, 100, 200, 400, 800), []
    for size in sizes:
        model = random_model(20, size)
        corpus = Corpus.of([(path,) for path in random_paths(20, 8, 300)], [0] * 300, 20)
        seconds.append(timed(partial(expect, model, corpus)))
    add("rules with weight: a step, 20 relations, 300 paths of 8", sizes, seconds)

    sizes, seconds = (8, 16, 32, 64, 128), []
    for size in sizes:
        corpus = Corpus.of([(path,) for path in random_paths(20, size, 5)], [0] * 5, 20)
        seconds.append(timed(partial(expect, random_model(20, 100), corpus)))
    add("length of paths: a step, 20 relations, 100 rules, 5 paths", sizes, seconds)
    return lines


def many_worlds(worlds: int, each: int) -> Dataset:
    """Return the union of several worlds over distinct relation names."""
    builder = DatasetBuilder("many worlds")
    for number in range(worlds):
        world = generate_world(
            seed=number, relations=20, rules=40, train=each, valid=6, test=max(400 // worlds, 6), side_edges=1.0
        )
        for split in ("train", "test"):
            for example in world.split(split):
                edges = [(a, f"{number}:{name}", b) for a, name, b in example.graph.triples()]
                row = Row(edges, example.source, example.target, f"{number}:{example.answer_name}")
                builder.add(split, row)
    return builder.build()


def training_table() -> list[str]:
    lines = [
        "| relations | examples | training, s | MB | rules | accuracy | answers a second |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for worlds, each in ((1, 500), (7, 150), (34, 150), (67, 150)):
        data = many_worlds(worlds, each)

        def run(data: Dataset = data) -> tuple[float, int, float, float]:
            start = time.perf_counter()
            model = GrammarReasoner(seed=0).fit(data.train)
            trained = time.perf_counter()
            accuracy = model.score(data.test)
            return trained - start, len(model.rules_), accuracy, len(data.test) / (time.perf_counter() - trained)

        _, megabytes, (seconds, rules, accuracy, rate) = measured(run)
        figures = f"{seconds:.1f} | {megabytes:.0f} | {rules:,} | {accuracy:.3f} | {rate:,.0f}"
        lines.append(f"| {len(data.vocabulary):,} | {len(data.train):,} | {figures} |")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    expect(random_model(5, 10), Corpus.of([((0, 1),)], [0], 5))  # compile
    few = generate_world(train=50, test=6)
    GrammarReasoner(dense_rules=0, annealing_steps=1, sparse_steps=1).fit(few.train).score(few.test)
    growth = growth_table()  # first: this process is forked, so it should be small
    curves = curve_table()
    training = training_table()
    lines = ["Prediction, one core, 20 relations, paths of length 6:", "", *prediction_table()]
    lines += ["", "Growth, five rules a relation:", "", *growth]
    lines += ["", "Curves, one core:", "", *curves]
    lines += ["", "Training from first to last, worlds side by side:", "", *training]
    print(*lines, sep="\n")
    if options.out:
        options.out.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
