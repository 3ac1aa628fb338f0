"""Queries that need several paths: accuracy on STaR and on generated queries, speed, growth with edges.

    python benchmarks/many_paths.py [--data DIR] [--seeds 3]

Accuracy is of `GrammarReasoner` with default settings; test data selects nothing. The growth of time is measured in one
run on graphs of 100 to 10,000 edges.
"""

from __future__ import annotations

import argparse
import os
import time
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np

import r5
from r5.data.generators.algebra.algebras import named_algebra
from r5.data.generators.algebra.dataset import generate_algebra, true_rules
from r5.rules.disjunction import compare_tables

ALGEBRAS = ("rcc8", "interval")


def accuracy(model: r5.GrammarReasoner, examples: r5.Examples) -> np.ndarray:
    """Return whether each answer is right."""
    known = np.array(model.vocabulary_.known)
    return known[model.predict_proba(examples).argmax(axis=1)] == examples.vocabulary.names(examples.answers)


def wide_and_deep(algebra: str, questions: int) -> r5.Examples:
    """Return generated queries with three chains of nine relations."""
    made = generate_algebra(algebra=algebra, train=0, valid=0, test=questions, test_lengths=9, test_branches=3, seed=99)
    return made.test


def corrupted(examples: r5.Examples, rate: float, seed: int) -> r5.Examples:
    """Return the examples with a share of wrong edges."""
    rng = np.random.default_rng(seed)
    pool = examples.pool
    size = len(pool.vocabulary)
    wrong = rng.random(pool.number_of_edges) < rate
    other = (pool.relations + rng.integers(1, size, pool.number_of_edges)) % size
    relations = np.where(wrong, other, pool.relations)
    graph = r5.Graph.from_arrays(pool.vocabulary, pool.entities, pool.sources, relations, pool.targets)
    return replace(examples, pool=graph)


def star(folder: Path, seeds: int, questions: int) -> None:
    """Print the accuracy on STaR after training on 4,500 or 540 rows, with and without wrong edges."""
    print("| algebra | rows | wrong edges | seeds | worst file | all files | k = 9, b = 3 | pairs exact | seconds |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for algebra in ALGEBRAS:
        data = r5.load(folder, algebra=algebra)
        deep = wide_and_deep(algebra, questions)
        files = sorted(folder.glob(f"test_{algebra}_*.csv"))
        ends = np.cumsum([0, *(len(r5.load(file).test) for file in files)])
        for rows, rate in ((4500, 0.0), (4500, 0.05), (540, 0.0)):
            found = []
            for seed in range(seeds):
                chosen = np.sort(np.random.default_rng(seed).permutation(len(data.train))[:rows])
                train = corrupted(data.train.select(chosen), rate, seed) if rate else data.train.select(chosen)
                start = time.perf_counter()
                model = r5.GrammarReasoner(seed=seed).fit(train)
                seconds = time.perf_counter() - start
                right = accuracy(model, data.test)
                each = [right[a:b].mean() for a, b in pairwise(ends)]
                table = compare_tables(model.rules_, true_rules(named_algebra(algebra)))
                found.append((min(each), right.mean(), accuracy(model, deep).mean(), table.exact, seconds))
            worst, every, wide, exact, seconds = np.mean(found, axis=0)
            spread = np.std([row[2] for row in found])
            cells = [algebra, f"{rows:,}", f"{rate:.0%}", str(seeds), f"{worst:.3f}", f"{every:.4f}"]
            cells += [f"{wide:.3f} ± {spread:.3f}", f"{exact:.1f} of {table.pairs}", f"{seconds:.1f}"]
            print(f"| {' | '.join(cells)} |", flush=True)


def speed() -> None:
    """Print queries per second at k = 9, b = 3, and the time of one query for growing graphs."""
    for algebra in ALGEBRAS:
        data = generate_algebra(algebra=algebra, train=1500, valid=0, test=2000, test_lengths=9, test_branches=3)
        model = r5.GrammarReasoner(seed=0).fit(data.train)
        model.predict_proba(data.test[:2])
        start = time.perf_counter()
        model.predict_proba(data.test)
        print(f"{algebra}, k = 9, b = 3: {2000 / (time.perf_counter() - start):,.0f} questions a second")
        first = 0.0
        for edges in (100, 1_000, 10_000):
            branches = edges // 10
            triples = []
            for branch in range(branches):
                nodes = ["a", *(f"n{branch}_{place}" for place in range(9)), "b"]
                name = "EQ" if algebra == "rcc8" else "="
                triples += [(s, name, t) for s, t in pairwise(nodes)]
            graph = r5.Graph.from_triples(triples)
            example = r5.Examples.over(graph, [0] * 5, [graph.node("b")] * 5, [-1] * 5)
            model.predict_proba(example)
            start = time.perf_counter()
            model.predict_proba(example)
            seconds = (time.perf_counter() - start) / 5
            first = first or seconds / edges
            print(f"  {edges:>6,} edges: {seconds / edges / first:.2f} times the time an edge of the smallest")


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    default = os.environ.get("R5_DATA", str(Path(__file__).resolve().parents[2] / "shared" / "data"))
    parser.add_argument("--data", type=Path, default=Path(default))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--questions", type=int, default=500, help="generated questions with k = 9, b = 3")
    given = parser.parse_args()
    speed()
    if (given.data / "star").is_dir():
        star(given.data / "star", given.seeds, given.questions)
    else:
        print("the STaR files are not here: set R5_DATA to the folder that holds star/")


if __name__ == "__main__":
    main()
