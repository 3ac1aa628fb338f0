"""Accuracy of the true rules with counted noise, as an upper bound for the engine grammar.

    python benchmarks/grammar_ceiling.py --data DIR [--seeds 5] [--out benchmarks/grammar_ceiling.md]

Data: GraphLog's re_0 and re_2, whose files have the true relations of each path. The reference model has the true
rules, their frequencies and the confusion matrix, as counted in training; and, which no learner can know, as counted in
test. The table compares the engine, which has none of this. Below: the share of wrong edges by path length, and
confidence and accuracy of the engine on held-out quarters of the training queries.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from r5._util.arrays import FloatArray
from r5.data.formats.examples.graphlog import load_graphlog
from r5.dataset import Dataset
from r5.examples import Examples
from r5.grammar.corpus.corpus import Corpus
from r5.grammar.counts import ExpectedCounts
from r5.grammar.model import FittedGrammar
from r5.grammar.rule_index import RuleIndex, every_pair
from r5.grammar.settings import GrammarSettings
from r5.grammar.training.em import expect
from r5.paths.selection import select_paths
from r5.reasoners.grammar import GrammarReasoner

SETS = ("re_0", "re_2")
HEAD = (
    "| data | questions | engine | told what is so in training | the same, all rules alike | told what is so in test |"
)
NOISE = "| data | length | questions in training | wrong edges | in test | wrong edges |"
HELD_OUT = "| data | training questions | sure | right |"
A_LITTLE = 0.05
"""Pseudocount of each confusion; rules have six times as much."""


@dataclass(frozen=True)
class Truth:
    """ExpectedCounts over some examples, in the order of names."""

    uses: dict[tuple[str, str, str], float]
    stops: FloatArray
    seen: FloatArray  # [true, observed]


def seen(examples: Examples) -> Iterator[tuple[tuple[str, ...], tuple[str, ...], str]]:
    """Yield true relations, observed relations and answer of each path."""
    found = select_paths(examples, "shortest", GrammarSettings())
    for question, example in enumerate(examples):
        true = example.graph.vocabulary.names(example.descriptor)
        for row in list(found.rows(question))[:1]:
            observed = found.vocabulary.names(found.sequences[row])
            if len(observed) == len(true):
                yield true, observed, example.answer_name


def counted(data: Dataset, examples: Examples, names: tuple[str, ...]) -> Truth:
    assert data.rules is not None  # noqa: S101  the sets come with their rules
    place = {name: number for number, name in enumerate(names)}
    observed_as = np.full((len(names), len(names)), A_LITTLE) + 2.0 * np.eye(len(names))
    paths, labels = [], []
    for true, observed, answer in seen(examples):
        np.add.at(observed_as, ([place[name] for name in true], [place[name] for name in observed]), 1.0)
        paths.append((tuple(place[name] for name in true),))
        labels.append(place[answer])
    rules = GrammarReasoner.from_rules(data.rules.with_body_of(2), data.vocabulary)
    numbers = {name: number for number, name in enumerate(rules.names_)}
    to = [numbers[name] for name in names]
    corpus = Corpus.of([(tuple(to[n] for n in path[0]),) for path in paths], [to[n] for n in labels], len(numbers))
    plain = rules.learned_.model.noiseless
    counts, index = expect(plain, corpus), plain.index
    columns = (index.heads.tolist(), index.lefts.tolist(), index.rights.tolist(), counts.rules.tolist())
    uses = {(rules.names_[h], rules.names_[a], rules.names_[b]): n for h, a, b, n in zip(*columns, strict=True)}
    stops = np.bincount(index.leaf_true, counts.leaves, minlength=len(numbers))[to]
    return Truth(uses, stops, observed_as)


def accuracy(model: GrammarReasoner, data: Dataset, truth: Truth, alike: bool) -> float:
    """Return the accuracy of the true rules with counted frequencies and noise.

    Args:
        model: A trained model, for its vocabulary and paths.
        data: The data set.
        truth: The counts.
        alike: Whether all rules have the same weight.
    """
    names, relations = model.names_, len(model.names_)
    place = {name: number for number, name in enumerate(names)}
    assert data.rules is not None  # noqa: S101  as above
    rules = [(r.head, *r.body) for r in data.rules.with_body_of(2) if {r.head, *r.body} <= place.keys()]
    columns = ([place[rule[k]] for rule in rules] for k in range(3))
    index = RuleIndex.of(relations, *columns, confusions=every_pair(relations), open=True)
    keys = zip(*((names[n] for n in part.tolist()) for part in (index.heads, index.lefts, index.rights)), strict=True)
    uses = np.array([truth.uses.get(key, 0.0) + 6 * A_LITTLE for key in keys])
    stops = truth.stops + 1.0
    total = np.bincount(index.heads, uses, minlength=relations) + stops
    seen_as = truth.seen[index.leaves]
    told = replace(
        model.learned_.model,
        index=index,
        weight=np.full(uses.size, 0.05) if alike else uses / total[index.heads],
        stop=np.full(relations, 0.5) if alike else stops / total,
        background=np.full(relations, 1e-9),
        confusion=seen_as / truth.seen.sum(axis=1)[index.leaf_true],
        stray=np.zeros(relations),
        prior=np.full(relations, 1.0 / relations),
    )
    one = GrammarReasoner()
    counts = ExpectedCounts(uses, seen_as, np.zeros(relations), 0.0, 0.0, index)
    one._keep(model.vocabulary_, names, FittedGrammar(told, counts))
    one.policy_, one.summary_ = model.policy_, model.summary_
    return one.score(data.test)


def noise(name: str, data: Dataset) -> Iterator[str]:
    """Yield the share of wrong edges by path length."""
    wrong: list[dict[int, list[int]]] = []
    for examples in (data.train, data.test):
        lengths: dict[int, list[int]] = {}
        for true, observed, _ in seen(examples):
            lengths.setdefault(len(true), []).append(sum(a != b for a, b in zip(true, observed, strict=True)))
        wrong.append(lengths)
    for length in sorted(set(wrong[0]) | set(wrong[1])):
        shown = []
        for lengths in wrong:
            count = len(lengths.get(length, []))
            shown += [str(count), f"{sum(lengths[length]) / (count * length):.3f}" if count else ""]
        yield f"| {name} | {length} | " + " | ".join(shown) + " |"


def held_out(name: str, data: Dataset) -> str:
    """Return confidence and accuracy on training queries, each quarter held out in turn."""
    order = np.random.default_rng(0).permutation(len(data.train))
    sure, right = [], []
    for part in range(4):
        asked = data.train.select(np.sort(order[part::4]))
        model = GrammarReasoner(seed=0).fit(data.train.select(np.sort(np.delete(order, np.s_[part::4]))))
        chances, columns = model.predict_proba(asked), np.array(model.vocabulary_.known)
        sure.append(chances.max(axis=1))
        right.append(columns[chances.argmax(axis=1)] == np.array(asked.vocabulary.names(asked.answers)))
    return f"| {name} | {len(data.train)} | {np.concatenate(sure).mean():.3f} | {np.concatenate(right).mean():.3f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    sets = {name: load_graphlog(options.data / "graphlog" / name) for name in SETS}
    lines = [HEAD, "|" + " --- |" * 6]
    for name, data in sets.items():
        models = [GrammarReasoner(seed=seed).fit(data.train) for seed in range(options.seeds)]
        scores = [model.score(data.test) for model in models]
        told = [counted(data, examples, models[0].names_) for examples in (data.train, data.test)]
        figures = [
            accuracy(models[0], data, truth, alike)
            for truth, alike in ((told[0], False), (told[0], True), (told[1], False))
        ]
        shown = " | ".join(f"{x:.3f}" for x in figures)
        lines.append(f"| {name} | {len(data.test)} | {min(scores):.3f} - {max(scores):.3f} | {shown} |")
    lines += ["", NOISE, "|" + " --- |" * 6, *(line for name, data in sets.items() for line in noise(name, data))]
    lines += ["", HELD_OUT, "|" + " --- |" * 4, *(held_out(name, data) for name, data in sets.items())]
    print(*lines, sep="\n")
    if options.out:
        options.out.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
