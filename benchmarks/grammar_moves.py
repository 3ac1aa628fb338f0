"""Local moves on learned grammars: rules dropped, added or given another head.

    python benchmarks/grammar_moves.py [--data DIR] [--worlds 20] [--out benchmarks/grammar_moves.md]

Each move is followed by some training steps and kept if the description gets shorter. Two descriptions are compared:
rules and answers given the paths, which the engine uses to select a restart; and named rules, paths and answers. Data:
the worlds of `grammar_worlds.py` and, with DIR, GraphLog's world_17, re_0 and re_2. "26 (20)" means 26 rules, 20 of
them true. Test data selects nothing.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from grammar_worlds import draw_world

from r5.data.formats.examples.graphlog import load_graphlog
from r5.dataset import Dataset
from r5.evaluation import evaluate
from r5.grammar.calibration.tuning import build_corpus
from r5.grammar.corpus.corpus import Corpus
from r5.grammar.counts import ExpectedCounts
from r5.grammar.model import Grammar
from r5.grammar.rule_index import RuleIndex, every_pair
from r5.grammar.training.description_length import description_length
from r5.grammar.training.em import expect, log_head_counts, maximise
from r5.grammar.training.schedule import sparse_prior
from r5.paths.selection import select_paths
from r5.reasoners.grammar import GrammarReasoner

STEPS = 6
ENOUGH = 0.2
SUGGESTIONS = 20
Rules = frozenset[tuple[int, int, int]]


@dataclass(frozen=True)
class Fit:
    """A grammar after some more training steps, with its two description lengths."""

    model: Grammar
    counts: ExpectedCounts
    of_answers: float
    of_paths: float

    @property
    def rules(self) -> Rules:
        index, used = self.model.index, self.model.weight > 0.0
        return frozenset(zip(*(a[used].tolist() for a in (index.heads, index.lefts, index.rights)), strict=True))


@dataclass(frozen=True)
class Bench:
    reasoner: GrammarReasoner
    corpus: Corpus

    def fit(self, before: ExpectedCounts, rules: Rules, uses: float = 0.0, steps: int = STEPS) -> Fit:
        """Train with these rules alone; `uses` is the initial count of new ones."""
        relations = self.corpus.relations
        columns = np.array(sorted(rules)).reshape(-1, 3).T
        prior = sparse_prior(self.reasoner.settings, relations)
        counts = before.align(RuleIndex.of(relations, *columns, confusions=every_pair(relations), open=True))
        model = maximise(replace(counts, rules=np.maximum(counts.rules, uses)), prior)
        for _ in range(steps):
            counts = expect(model, self.corpus)
            model = maximise(counts, prior)
        price = self.reasoner.settings.description_weight
        costs = price * log_head_counts(counts) + np.log(relations**3)  # rule identity and count
        paths = float(costs[model.weight > 0.0].sum()) - expect(model, self.corpus).log_likelihood
        return Fit(model, counts, description_length(model, counts, self.corpus, price), paths)

    def accuracy(self, fit: Fit, data: Dataset) -> float:
        learned = self.reasoner.learned_
        self.reasoner.learned_ = replace(learned, model=fit.model, counts=fit.counts)
        accuracy = evaluate(self.reasoner, data.test).accuracy
        self.reasoner.learned_ = learned
        return accuracy

    def without(self, fit: Fit, length: Callable[[Fit], float]) -> Fit:
        """Drop rules one after the other while the description gets shorter."""
        while True:
            uses = dict(zip(fit.model.index.keys.tolist(), fit.counts.rules.tolist(), strict=True))
            size = self.corpus.relations
            order = sorted(fit.rules, key=lambda rule: (uses[(rule[1] * size + rule[2]) * size + rule[0]], rule))
            tried = (self.fit(fit.counts, fit.rules - {rule}) for rule in order)
            shorter = next((one for one in tried if length(one) < length(fit) - ENOUGH), None)
            if shorter is None:
                return fit
            fit = shorter

    def additions(self, fit: Fit, length: Callable[[Fit], float]) -> int:
        """Count the most probable other rules shorten the description, added or as replacement."""
        relations = self.corpus.relations
        prior = replace(sparse_prior(self.reasoner.settings, relations), count_floor=0.01)
        every = expect(maximise(fit.counts.align(RuleIndex.full(relations)), prior), self.corpus)
        index = every.index
        order = np.argsort(-every.rules, kind="stable")
        likely = zip(*(a[order].tolist() for a in (index.heads, index.lefts, index.rights)), strict=True)
        new = [rule for rule in likely if rule not in fit.rules][:SUGGESTIONS]
        better = 0
        for rule in new:
            rivals = [one for one in fit.rules if one[1:] == rule[1:]]
            tried = [fit.rules | {rule}, *((fit.rules | {rule}) - {rival} for rival in rivals)]
            better += any(length(self.fit(fit.counts, one, uses=5.0)) < length(fit) - ENOUGH for one in tried)
        return better


def row(name: str, data: Dataset) -> str:
    reasoner = GrammarReasoner(seed=0).fit(data.train)
    found = select_paths(data.train, reasoner.settings.training_paths, reasoner.settings)
    bench = Bench(reasoner, build_corpus(found, data.train, reasoner.names_))
    place = {name: number for number, name in enumerate(reasoner.names_)}
    assert data.rules is not None  # noqa: S101  all these sets know their rules
    known = [(rule.head, *rule.body) for rule in data.rules.with_body_of(2)]
    true = frozenset((place[h], place[a], place[b]) for h, a, b in known if {h, a, b} <= place.keys())
    counts = reasoner.learned_.counts
    first = bench.fit(counts, Fit(reasoner.learned_.model, counts, 0.0, 0.0).rules, steps=1)
    settled = bench.fit(counts, first.rules)  # rules that vanish with further training are no effect of a move
    truth = bench.fit(counts, true, uses=5.0, steps=3 * STEPS)

    def shown(fit: Fit) -> str:
        return f"{len(fit.rules)} ({len(fit.rules & true)}) | {bench.accuracy(fit, data):.3f}"

    cells = [name, shown(first), f"{first.of_answers:.1f}", shown(truth), f"{truth.of_answers:.1f}"]
    for length in (_of_answers, _of_paths):
        cells += [shown(bench.without(settled, length)), str(bench.additions(settled, length))]
    return "| " + " | ".join(cells) + " |"


def _of_answers(fit: Fit) -> float:
    return fit.of_answers


def _of_paths(fit: Fit) -> float:
    return fit.of_paths


def sets(folder: Path | None, count: int) -> Iterator[tuple[str, Dataset]]:
    for name in ("world_17", "re_0", "re_2") if folder else ():
        yield name, load_graphlog(folder / "graphlog" / name)
    for number in range(1000, 1000 + count):
        world = draw_world(number)
        if world.options["wrong_edges"]:
            yield str(number), world.data


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--worlds", type=int, default=20)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    lines = [
        "| data | rules found | accuracy | description | true rules, learned with | accuracy | description "
        "| dropped by answers | accuracy | additions that shorten it | dropped by paths | accuracy | additions |",
        "|" + " --- |" * 13,
    ]
    print(*lines, sep="\n")
    for name, data in sets(options.data, options.worlds):
        lines.append(row(name, data))
        print(lines[-1], flush=True)
    if options.out:
        options.out.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
