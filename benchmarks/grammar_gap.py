"""Worlds where the engine grammar falls short: description length and accuracy of the true rules.

    python benchmarks/grammar_gap.py [--out benchmarks/grammar_gap.md] [3036 3029 ...]

For worlds of `grammar_worlds.py --any`: accuracy of the engine with and without discriminative training
(`answer_runs=0`), of the true rules with the true noise, and of the true rules with weights and noise learned from the
same examples. The engine selects by description length. If that of the true rules is longer, the examples do not
determine the rules; if it is shorter, the search did not find them.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np
from grammar_worlds import draw_any_world, true_model

from r5.grammar.by_answers import settled
from r5.grammar.choosing import description_length
from r5.grammar.model import GrammarModel, Support, every_pair
from r5.grammar.tuning import corpus_of
from r5.paths.selection import select_paths
from r5.reasoners.grammar import GrammarReasoner

HEAD = (
    "| world | examples | without answers | accuracy | recall | true rules, learned with | true model "
    "| description | of the true rules |"
)
WORLDS = (3036, 3029, 2027, 10129, 10237, 10238, 10263, 10584)


def true_rules(reasoner: GrammarReasoner, rules: list[tuple[str, ...]]) -> GrammarModel:
    """Return the model of a reasoner with the true rules instead of the learned ones."""
    place = {name: number for number, name in enumerate(reasoner.names_)}
    known = [tuple(place[name] for name in rule) for rule in rules if set(rule) <= place.keys()]
    size = len(place)
    support = Support.of(size, *np.array(known).T, mistakes=every_pair(size), open=True)
    return replace(reasoner.learned_.model, support=support, weight=np.ones(len(support)))


def row(number: int) -> str:
    world = draw_any_world(number)
    data = world.data
    assert data.rules is not None  # noqa: S101  a generated world knows its rules
    rules = [(rule.head, *rule.body) for rule in data.rules.with_body_of(2)]
    plain = GrammarReasoner(seed=0, answer_runs=0).fit(data.train).score(data.test)
    reasoner = GrammarReasoner(seed=0).fit(data.train)
    accuracy, found = reasoner.score(data.test), {(rule.head, *rule.body) for rule in reasoner.rules_}
    settings = reasoner.settings
    paths = select_paths(data.train, settings.training_paths, settings)
    corpus = corpus_of(paths, data.train, reasoner.names_)
    lengths = []
    for model in (reasoner.learned_.model, true_rules(reasoner, rules)):
        fitted, counts = settled(model, corpus, settings)
        lengths.append(description_length(fitted, counts, corpus, settings.description))
    reasoner.learned_ = replace(reasoner.learned_, model=fitted, counts=counts)
    recall = len(found.intersection(rules)) / len(rules)
    figures = [plain, accuracy, recall, reasoner.score(data.test), true_model(world).score(data.test)]
    shown = " | ".join(f"{figure:.3f}" for figure in figures)
    return f"| {number} | {len(data.train)} | {shown} | {lengths[0]:.0f} | {lengths[1]:.0f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("worlds", type=int, nargs="*", default=WORLDS)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    lines = [HEAD, "|" + " --- |" * 9]
    print(*lines, sep="\n")
    for number in options.worlds:
        lines.append(row(number))
        print(lines[-1], flush=True)
        if options.out:
            options.out.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
