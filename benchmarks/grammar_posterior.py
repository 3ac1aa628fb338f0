"""Calibration of the exact posterior on generated worlds, from rules, noise and the distribution of queries.

    python benchmarks/grammar_posterior.py [--questions 3000] [--mistakes 3] [--out FILE] [1000 1013 ...]

For worlds of `grammar_worlds.py`. The rules merge the path of a generated query to exactly one answer; a grammar with
the true rules and noise does not use that. The exact posterior sums over all true relation sequences with a limited
number of wrong edges: a sequence counts if the rules merge it to one answer, with the probability of the generator. The
table has the expected calibration error of this posterior, of the true model and of the engine, and the error by
chance.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from grammar_calibration import by_chance
from grammar_worlds import World, calibration_error, draw_world, true_model
from numba import njit

from r5.data.generators.world.dataset import generate_world
from r5.data.generators.world.descriptors import Descriptors
from r5.examples import Examples
from r5.paths.selection import select_paths
from r5.reasoners.grammar import GrammarReasoner

HEAD = "| world | questions | answers | right | sure | calibration error | by chance |"
EVENLY = 20_000
"""Maximum number of derivations that the generator enumerates; of more it draws a sample."""


@njit
def ways(path, rules, relations):  # type: ignore[no-untyped-def]
    """Return the number of derivations of a path for each relation, by rules [rules, 3] (head, left, right)."""
    length = path.size
    cells = np.zeros((length, length + 1, relations))
    for size in range(1, length + 1):
        for start in range(length - size + 1):
            cell = cells[start, start + size]
            if size == 1:
                cell[path[start]] = 1.0
            for middle in range(start + 1, start + size):
                left, right = cells[start, middle], cells[middle, start + size]
                for n in range(rules.shape[0]):
                    cell[rules[n, 0]] += left[rules[n, 1]] * right[rules[n, 2]]
    return cells[0, length]


@njit
def add_up(path, at, mistakes, likely, world, shares):  # type: ignore[no-untyped-def]
    """Add the answers of all sequences that differ from a path at some positions from `at` on."""
    rules, confusion, trees = world
    relations = confusion.shape[0]
    found = ways(path, rules, relations)
    if (found > 0.0).sum() == 1:
        answer = found.argmax()
        shares[answer] += likely * (found[answer] / trees[answer] if trees[answer] > 0.0 else 1.0)
    if mistakes:
        for place in range(at, path.size):
            shown = path[place]
            for true in range(relations):
                if true != shown and confusion[true, shown] > 0.0:
                    path[place] = true
                    other = likely * confusion[true, shown] / confusion[shown, shown]
                    add_up(path, place + 1, mistakes - 1, other, world, shares)
            path[place] = shown


def posterior(world: World, truth: GrammarReasoner, test: Examples, mistakes: int) -> np.ndarray:
    """Return the exact posterior of each relation, [queries, relations]."""
    assert world.data.rules is not None  # noqa: S101  a generated world knows its rules
    place = {name: number for number, name in enumerate(truth.names_)}
    rules = np.array([[place[n] for n in (one.head, *one.body)] for one in world.data.rules.with_body_of(2)])
    grammar = truth.learned_.model
    confusion = np.zeros((len(place), len(place)))
    confusion[grammar.index.leaves] = grammar.confusion
    drawn = Descriptors(world.data.rules)
    found = select_paths(test, "shortest", truth.settings)
    words = found.in_words_of(truth.names_)
    shares = np.zeros((len(test), len(place)))
    for question in range(len(test)):
        path = words[int(found.starts[question])].astype(np.int64)
        trees = np.zeros(len(place))
        counts = drawn.trees(path.size)
        if sum(counts) > EVENLY:
            trees[[place[name] for name in drawn.names]] = counts
        add_up(path, 0, mistakes, 1.0, (rules, confusion, trees), shares[question])
    total = shares.sum(axis=1, keepdims=True)
    return np.divide(shares, total, out=np.zeros_like(shares), where=total > 0.0)


def rows(number: int, questions: int, mistakes: int) -> list[str]:
    options = {**draw_world(number).options, "test": questions}
    world = World(generate_world(**options), options)
    test, truth = world.data.test, true_model(world)
    place = {name: n for n, name in enumerate(truth.names_)}
    answers = np.array([place[name] for name in test.vocabulary.names(test.answers)])
    lines = [line(number, "one who knows all", posterior(world, truth, test, mistakes), answers)]
    for name, model in (("true model", truth), ("engine", GrammarReasoner(seed=0).fit(world.data.train))):
        column = {known: n for n, known in enumerate(model.vocabulary_.known)}
        chances = model.predict_proba(test)
        theirs = np.array([column.get(one, -1) for one in test.vocabulary.names(test.answers)])
        lines.append(line(number, name, chances, theirs))
    return lines


def line(number: int, name: str, chances: np.ndarray, answers: np.ndarray) -> str:
    sure, right = chances.max(axis=1), chances.argmax(axis=1) == answers
    figures = (right.mean(), sure.mean(), calibration_error(chances, answers), by_chance(sure))
    return f"| {number} | {answers.size} | {name} | " + " | ".join(f"{x:.3f}" for x in figures) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("worlds", type=int, nargs="*", default=(1000, 1013))
    parser.add_argument("--questions", type=int, default=3000)
    parser.add_argument("--mistakes", type=int, default=3)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    lines = [HEAD, "|" + " --- |" * 7]
    print(*lines, sep="\n")
    for number in options.worlds:
        for one in rows(number, options.questions, options.mistakes):
            lines.append(one)
            print(one, flush=True)
    if options.out:
        options.out.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
