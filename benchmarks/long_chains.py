"""Accuracy on chains much longer than in training: engines `r5` and `grammar` on generated families.

    python benchmarks/long_chains.py > benchmarks/long_chains.md

Training has chains of 2 and 3 relations, test has 15, 20, 25 and 30; default settings.
"""

from __future__ import annotations

import statistics

import r5

_HOPS = (15, 20, 25, 30)
_SEEDS = (0, 1, 2)


def _accuracies(engine: str, seed: int) -> list[float]:
    data = r5.load("kinship", test=50, test_hops=_HOPS, families=8, seed=seed)
    model: r5.Reasoner = r5.R5Reasoner(seed=seed) if engine == "r5" else r5.GrammarReasoner(seed=seed)
    found = r5.evaluate(model.fit(data.train), data.test)
    return [found.by_length[hops].accuracy for hops in _HOPS]


def main() -> None:
    print("# Chains far longer than those learned from\n")
    print(
        "Generated families (`kinship`), 2,000 chains of 2 and 3 relations to learn from, 50 of each length to answer;"
    )
    print(f"defaults, seeds {', '.join(map(str, _SEEDS))}: mean ± spread. `python benchmarks/long_chains.py`\n")
    print("| engine | " + " | ".join(f"{hops} relations" for hops in _HOPS) + " |")
    print("| --- |" + " --- |" * len(_HOPS))
    for engine in ("r5", "grammar"):
        runs = [_accuracies(engine, seed) for seed in _SEEDS]
        cells = [f"{statistics.mean(some):.3f} ± {statistics.pstdev(some):.3f}" for some in zip(*runs, strict=True)]
        print(f"| `{engine}` | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
