"""Expected calibration error of the engine grammar, and the error expected by chance.

    python benchmarks/grammar_calibration.py [--data DIR] [--worlds 20] [--out benchmarks/grammar_calibration.md]

Data: the worlds of `grammar_worlds.py` with wrong edges, 3,000 test queries each; with DIR, GraphLog's world_17, re_0
and re_2 and both CLUTRR sets; groups with equal noise in training and test; worlds and groups with more or less noise
in test. The last ones have three rows: with defaults, with the true share of wrong edges (setting `wrong_edges`), and
with its estimate from the test paths (`estimate_wrong_edges`).

By chance: expected error of a perfectly calibrated model with the same probabilities, over 200 draws. True model: true
rules with the true noise model. It is not calibrated either, as generated worlds have no queries whose path the rules
merge to several answers.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from grammar_accuracy import cyclic, group, symmetric
from grammar_worlds import World, calibration_error, draw_world, true_model

from r5.data.formats.examples.clutrr import load_clutrr
from r5.data.formats.examples.graphlog import load_graphlog
from r5.data.generators.world.dataset import generate_world
from r5.examples import Examples
from r5.reasoners.grammar import GrammarReasoner

QUESTIONS = 3000
DRAWS = 200


class Case(NamedTuple):
    name: str
    train: Examples
    test: Examples
    wrong: float | None = None
    """Share of wrong edges in test, if it differs from training."""
    truth: GrammarReasoner | None = None


def worlds(count: int) -> Iterator[Case]:
    """Yield the generated worlds with wrong edges."""
    for number in range(1000, 1000 + count):
        options = {**draw_world(number).options, "test": QUESTIONS}
        if options["wrong_edges"]:
            data = generate_world(**options)
            name = f"world {number}, {options['wrong_edges']:.0%} wrong"
            yield Case(name, data.train, data.test, truth=true_model(World(data, options)))


def real(folder: Path) -> Iterator[Case]:
    for name in ("world_17", "re_0", "re_2"):
        data = load_graphlog(folder / "graphlog" / name)
        yield Case(name, data.train, data.test)
    for name in ("data_089907f8", "data_db9b8f04"):
        data = load_clutrr(folder / "clutrr" / name)
        yield Case(f"CLUTRR {name}", data.train, data.test)


def like() -> Iterator[Case]:
    """Yield groups with equal noise in training and test."""
    for name, table in (("Z6", cyclic(6)), ("S3", symmetric())):
        for wrong in (0.05, 0.1):
            data = group(table, wrong, 0, asked=wrong, questions=QUESTIONS)
            yield Case(f"{name}, {wrong:.0%} wrong in training and in test", data.train, data.test)


def unlike() -> Iterator[Case]:
    """Yield worlds and groups with different noise in training and test."""
    for learned, asked in ((0.1, 0.0), (0.0, 0.1), (0.05, 0.15)):
        for seed in (1, 2):
            kind = {"seed": seed, "relations": 12, "rules": 20, "train": 1500, "systematic": False}
            train = generate_world(**kind, wrong_edges=learned, test=QUESTIONS).train
            test = generate_world(**kind, wrong_edges=asked, test=QUESTIONS).test
            yield Case(f"a world, {learned:.0%} wrong in training, {asked:.0%} in test ({seed})", train, test, asked)
    for name, table in (("Z6", cyclic(6)), ("S3", symmetric())):
        data = group(table, 0.1, 0)
        yield Case(f"{name}, 10% wrong in training, 0% in test", data.train, data.test, 0.0)


def rows(case: Case) -> Iterator[str]:
    model = GrammarReasoner(seed=0).fit(case.train)
    truth = "" if case.truth is None else f"{measured(case.truth, case.test)[2]:.3f}"
    yield f"| {case.name} | {row(model, case.test)} | {truth} |"
    if case.wrong is not None:
        model.set_params(wrong_edges=case.wrong)
        yield f"| the same, told | {row(model, case.test)} | |"
        model.set_params(wrong_edges=None)
        estimate = model.estimate_wrong_edges(case.test)
        model.set_params(wrong_edges=estimate)
        yield f"| the same, estimated to be {estimate:.1%} | {row(model, case.test)} | |"


def measured(model: GrammarReasoner, test: Examples) -> tuple[np.ndarray, np.ndarray, float]:
    """Return the probability of each answer, its correctness, and the calibration error."""
    chances = model.predict_proba(test)
    column = {name: number for number, name in enumerate(model.vocabulary_.known)}
    answers = np.array([column.get(name, -1) for name in test.vocabulary.names(test.answers)])
    sure, right = chances.max(axis=1), chances.argmax(axis=1) == answers
    return sure, right, calibration_error(chances, answers)


def row(model: GrammarReasoner, test: Examples) -> str:
    sure, right, error = measured(model, test)
    heat = model.learned_.temperature
    return f"{len(test)} | {right.mean():.3f} | {sure.mean():.3f} | {heat:.2f} | {error:.3f} | {by_chance(sure):.3f}"


def by_chance(sure: np.ndarray) -> float:
    """Return the expected calibration error of a perfectly calibrated model with these probabilities."""
    rng = np.random.default_rng(0)
    both = np.stack([sure, np.zeros(sure.size)], axis=1)  # column 0 is the given answer, column 1 any other
    drawn = (rng.random((DRAWS, sure.size)) >= sure).astype(np.int64)
    return float(np.mean([calibration_error(both, answers) for answers in drawn]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--worlds", type=int, default=20)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    lines = [
        "| data | questions | right | sure | temperature | calibration error | by chance | true model |",
        "|" + " --- |" * 8,
    ]
    print(*lines, sep="\n")
    for cases in (real(options.data) if options.data else (), like(), unlike(), worlds(options.worlds)):
        for case in cases:
            for line in rows(case):
                lines.append(line)
                print(line, flush=True)
    if options.out:
        options.out.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
