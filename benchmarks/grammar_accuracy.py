"""Accuracy, rule recall, calibration and training time of the grammar engine; five seeds each, one set of defaults.

    python benchmarks/grammar_accuracy.py [--data DIR] [--seeds 5] [--out benchmarks/grammar_accuracy.md]

With DIR: GraphLog's world_17, re_0 and re_2 and both CLUTRR sets. Always: generated kinship, and groups, whose
multiplication tables are the rules. Models are selected by training likelihood.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import permutations
from pathlib import Path

import numpy as np
from grammar_worlds import calibration_error

from r5.data.builder import DatasetBuilder, Row
from r5.data.formats.examples.clutrr import load_clutrr
from r5.data.formats.examples.graphlog import load_graphlog
from r5.data.generators.kinship.dataset import generate_kinship
from r5.dataset import Dataset
from r5.evaluation import evaluate
from r5.reasoners.grammar import GrammarReasoner
from r5.rules.ruleset import Rule, RuleSet

Table = list[list[int]]


def cyclic(order: int) -> Table:
    return [[(a + b) % order for b in range(order)] for a in range(order)]


def symmetric() -> Table:
    members = list(permutations(range(3)))
    return [[members.index(tuple(one[k] for k in other)) for other in members] for one in members]  # type: ignore[arg-type]


def group(table: Table, wrong: float, seed: int, asked: float = 0.0, questions: int = 500) -> Dataset:
    """Return paths of two and three group elements with their product for training, and paths of twelve for test.

    Edges are wrong with the probabilities `wrong` in training and `asked` in test.
    """
    rng = np.random.default_rng(seed)
    builder = DatasetBuilder("group")
    names = [f"g{n}" for n in range(len(table))]
    for split, count, lengths, rate in (("train", 2000, (2, 3), wrong), ("test", questions, (12,), asked)):
        for _ in range(count):
            path = rng.integers(0, len(table), rng.choice(lengths)).tolist()
            product = path[0]
            for member in path[1:]:
                product = table[product][member]
            shown = [(x + rng.integers(1, len(table))) % len(table) if rng.random() < rate else x for x in path]
            nodes = [str(n) for n in range(len(path) + 1)]
            edges = [(a, names[x], b) for a, x, b in zip(nodes, shown, nodes[1:], strict=False)]
            builder.add(split, Row(edges, "0", nodes[-1], names[product], nodes))
    rules = [Rule(names[table[a][b]], (names[a], names[b])) for a in range(len(table)) for b in range(len(table))]
    return builder.build(RuleSet.of(rules))


def sets(folder: Path | None) -> Iterator[tuple[str, Callable[[int], Dataset], int]]:
    """Yield name, loader by seed, and minimum length of the test paths that count."""
    for name in ("world_17", "re_0", "re_2") if folder else ():
        yield name, lambda _, name=name: load_graphlog(folder / "graphlog" / name), 0
    for name, hops in (("data_089907f8", 4), ("data_db9b8f04", 5)) if folder else ():
        yield name, lambda _, name=name: load_clutrr(folder / "clutrr" / name), hops
    yield "kinship", lambda seed: generate_kinship(seed=seed), 0
    for name, table in (("Z6", cyclic(6)), ("S3", symmetric())):
        for wrong in (0.0, 0.1):
            yield f"{name}, {wrong:.0%} wrong edges", partial(group, table, wrong), 0


def row(name: str, load: Callable[[int], Dataset], hops: int, seeds: int) -> str:
    """Return a table row: ranges over seeds, and the accuracy at the worst length."""
    accuracies, worst, recalls, errors, seconds = [], [], [], [], []
    for seed in range(seeds):
        data = load(seed)
        start = time.perf_counter()
        model = GrammarReasoner(seed=seed).fit(data.train)
        seconds.append(time.perf_counter() - start)
        result = evaluate(model, data.test, data.rules)
        counted = [part.accuracy for length, part in result.by_length.items() if length >= hops]
        accuracies.append(result.accuracy)
        worst.append(min(counted))
        recalls.append(result.rule_recall)
        errors.append(calibration_error(model.predict_proba(data.test), data.test.answers))
    recall = "-" if recalls[0] is None else f"{min(recalls):.2f}"
    return (
        f"| {name} | {min(accuracies):.3f} - {max(accuracies):.3f} | {min(worst):.3f} | {recall} "
        f"| {np.mean(errors):.3f} | {min(seconds):.1f} - {max(seconds):.1f} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    lines = [
        "| data | accuracy | worst length | least recall | calibration error | training seconds |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    print(*lines, sep="\n")
    GrammarReasoner(restarts=(0.5,)).fit(group(cyclic(3), 0.0, 0).train)  # compile
    for name, load, hops in sets(options.data):
        lines.append(row(name, load, hops, options.seeds))
        print(lines[-1], flush=True)
    if options.out:
        options.out.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
