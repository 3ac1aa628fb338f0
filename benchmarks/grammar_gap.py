"""Worlds with a gap: would the true rules have been chosen, and what do they answer once learned with?

    python benchmarks/grammar_gap.py [--out benchmarks/grammar_gap.md] [3036 3029 ...]

For worlds of `grammar_worlds.py --any`: the accuracy of the engine as it is and without learning by the answers
(`answer_runs=0`), and that of the true rules with the true noise; then that of a learner that is given the
true rules and has only weights and confusions to learn, from the same questions. The descriptions, of what the engine
found and of the true rules, both with weights that suit the answers, are what the engine would choose between: where
that of the true rules is the longer one, the questions do not tell them from others; where it is the shorter one, the
search has not come to them.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np
from grammar_worlds import draw_any_world, true_model

from r5.grammar.calibration.tuning import build_corpus
from r5.grammar.model import Grammar
from r5.grammar.rule_index import RuleIndex, every_pair
from r5.grammar.training.description_length import description_length
from r5.grammar.training.discriminative import fit_discriminative
from r5.paths.select import select_paths
from r5.reasoners.grammar import GrammarReasoner

HEAD = (
    "| world | examples | without answers | accuracy | recall | true rules, learned with | true model "
    "| description | of the true rules |"
)
WORLDS = (3036, 3029, 2027, 10129, 10237, 10238, 10263, 10584)


def true_rules(reasoner: GrammarReasoner, rules: list[tuple[str, ...]]) -> Grammar:
    """The model of a reasoner with the true rules in place of its own."""
    place = {name: number for number, name in enumerate(reasoner.names_)}
    known = [tuple(place[name] for name in rule) for rule in rules if set(rule) <= place.keys()]
    size = len(place)
    support = RuleIndex.of(size, *np.array(known).T, confusions=every_pair(size), open=True)
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
    corpus = build_corpus(paths, data.train, reasoner.names_)
    lengths = []
    for model in (reasoner.learned_.model, true_rules(reasoner, rules)):
        fitted, counts = fit_discriminative(model, corpus, settings)
        lengths.append(description_length(fitted, counts, corpus, settings.description_weight))
    reasoner.learned_ = replace(reasoner.learned_, model=fitted, counts=counts)
    recall = len(found.intersection(rules)) / len(rules)
    figures = [plain, accuracy, recall, reasoner.score(data.test), true_model(world).score(data.test)]
    shown = " | ".join(f"{figure:.3f}" for figure in figures)
    return f"| {number} | {len(data.train)} | {shown} | {lengths[0]:.0f} | {lengths[1]:.0f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description_weight=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
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
