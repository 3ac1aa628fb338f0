"""How fast the grammar engine's charts are, and how time and memory grow.

    python benchmarks/grammar_speed.py [--out benchmarks/grammar_speed.md]

Prediction: paths of length 6 over 20 relations on one core, beside a straightforward PyTorch chart
(dense, batched, in log space) in the same run. Growth: one step of expectation-maximisation and
the answers, over 200 random paths, for 20, 200 and 1,000 relations with five rules each.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import torch

from r5.grammar.corpus import Corpus
from r5.grammar.decoding import answer
from r5.grammar.em import Counts, Pseudocounts, expect, maximise
from r5.grammar.model import GrammarModel, Support
from r5.ragged import Ragged


def random_model(relations: int, rules: int, seed: int = 0, open_: bool = True) -> GrammarModel:
    """A grammar with so many random rules."""
    rng = np.random.default_rng(seed)
    heads, lefts, rights = rng.integers(0, relations, (3, rules))
    mistakes = np.ones((relations, relations), dtype=bool) if open_ else None
    support = Support.of(relations, heads, lefts, rights, mistakes=mistakes, open=open_)
    uses = rng.uniform(1.0, 100.0, len(support))
    leaves = np.diag(rng.uniform(1.0, 100.0, relations))
    counts = Counts(support, uses, leaves, np.ones(relations), 0.0, 0.0)
    return maximise(counts, Pseudocounts(floor=1e-4 if open_ else 0.0, wrong=1.0 / relations))


def random_paths(relations: int, length: int, count: int, seed: int = 1) -> list[tuple[int, ...]]:
    return list(map(tuple, np.random.default_rng(seed).integers(0, relations, (count, length)).tolist()))


def torch_posterior(model: GrammarModel, paths: list[tuple[int, ...]]) -> torch.Tensor:
    """The same answers by a dense chart in log space: what one would write first."""
    relations, length = model.relations, len(paths[0])
    support = model.support
    weight = torch.tensor(np.tile(model.background[:, None, None], (1, relations, relations)))
    place = tuple(torch.tensor(ids.astype(np.int64)) for ids in (support.heads, support.lefts, support.rights))
    weight[place] += torch.tensor(model.weight)
    flat = weight.reshape(relations, -1).T
    words = torch.tensor(paths)
    leaves = torch.tensor(model.emission)[words].log()
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
    """The least seconds of several runs, after one that compiles."""
    action()
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        action()
        seconds.append(time.perf_counter() - start)
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
        lines.append(f"| {len(model.support)} | {ours:,.0f} | {theirs:,.0f} | {ours / theirs:.0f} |")
    return lines


def grown(action: Callable[[], object]) -> float:
    """By how many megabytes the memory of a process grows at most while it does something."""
    context = multiprocessing.get_context("fork")
    heard, said = context.Pipe()

    def run() -> None:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        action()
        said.send((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)

    process = context.Process(target=run)
    process.start()
    megabytes: float = heard.recv()
    process.join()
    return megabytes


def growth_table() -> list[str]:
    lines = [
        "| relations | rules | length | paths | a step of learning, s | MB | answers, s | MB |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for relations in (20, 200, 1000):
        for length in (4, 10, 30, 100):
            count = 200 if length <= 30 else 20
            paths = random_paths(relations, length, count)
            learning = random_model(relations, 5 * relations, open_=relations <= 66)
            asked = random_model(relations, 5 * relations)
            corpus = Corpus.of([(path,) for path in paths], [path[0] for path in paths], relations)
            starts, rows = np.arange(count + 1), Ragged.of(paths)
            figures = []
            for action in (partial(expect, learning, corpus), partial(answer, asked, starts, rows)):
                figures += [f"{timed(action, repeats=1):.3f}", f"{grown(action):.0f}"]
            lines.append(f"| {relations} | {5 * relations} | {length} | {count} | {' | '.join(figures)} |")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    lines = ["Prediction, one core, 20 relations, paths of length 6:", "", *prediction_table()]
    lines += ["", "Growth, five rules a relation:", "", *growth_table()]
    print(*lines, sep="\n")
    if options.out:
        options.out.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
