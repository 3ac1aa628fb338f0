"""Engine grammar on 20 generated worlds, beside the true rules with the true noise model.

    python benchmarks/grammar_worlds.py [--worlds 20] [--first 1000] [--any] [--examples 4000] [--choice] [--limit 300]
        [--out benchmarks/grammar_worlds.md]

The number of a world is the seed of its relations, rules, path lengths and noise. With --any, ranges are wider, and
inverse relations, the number of examples (200 to 4,000, or to --examples) and bodies with several heads vary too.
The gap is the accuracy of the true model minus that of the engine. A true rule that no training path uses cannot be
learned; one column has the accuracy of the true model without such rules. Training that exceeds the limit, in seconds,
keeps the best model so far, and the world is marked with a star.
With --choice, each of the four restarts is also run alone; the last columns are the accuracies of the restart with the
shortest description and of the one with the highest likelihood of the training paths.
Suspicious edges: the area under the precision-recall curve (average precision) over the edges of
the test questions' paths, given the answers; by chance it is the share of wrong edges.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from r5._util.ordering import argmax
from r5._util.runtime.budget import Budget
from r5.bench import worlds
from r5.bench.worlds import World
from r5.data.generators.world.dataset import generate_world
from r5.data.generators.world.graphs import Confusion
from r5.dataset import Dataset
from r5.errors import R5Error
from r5.evaluation import evaluate
from r5.examples import Examples
from r5.grammar.calibration.tuning import build_corpus
from r5.grammar.corpus.corpus import Corpus
from r5.grammar.settings import GrammarSettings
from r5.grammar.training.description_length import description_length
from r5.grammar.training.em import expect
from r5.paths.selection import select_paths
from r5.reasoners.grammar import GrammarReasoner
from r5.rules.ruleset import RuleSet

HEAD = (
    "| world | relations | rules | examples | training lengths | wrong edges | accuracy | true model | gap | recall "
    "| calibration error | suspicious: area | true model | by chance | seconds | true rules that training shows |"
)
MOST_EXAMPLES = 4000
CHOICE = " by description | by likelihood |"


def draw_world(number: int) -> World:
    """Return the world with this number; impossible options are drawn again."""
    for attempt in range(100):
        rng = np.random.default_rng([number, attempt])
        options: dict[str, Any] = {
            "seed": number * 100 + attempt,
            "relations": int(rng.integers(6, 16)),
            "rules": int(rng.integers(10, 41)),
            "train": int(rng.integers(600, 2001)),
            "test": 300,
            "train_lengths": tuple(range(int(rng.integers(2, 4)), int(rng.integers(4, 7)))),
            "test_lengths": tuple(range(4, 10)),
            "wrong_edges": float(rng.choice([0.0, 0.05, 0.1, 0.15])),
            "systematic": bool(rng.integers(2)),
        }
        try:
            return World(generate_world(**options), options)
        except R5Error:
            continue
    raise SystemExit(f"no world has the number {number}")


def shown_rules(data: Dataset) -> RuleSet:
    """The true rules that derive the answer of some training question from its path as it truly is."""
    assert data.rules is not None  # noqa: S101  a generated world knows its rules
    rules = data.rules.with_body_of(2)
    model = GrammarReasoner.from_rules(rules, data.vocabulary)
    place = {name: number for number, name in enumerate(model.names_)}
    paths = [(tuple(place[name] for name in one.graph.vocabulary.names(one.descriptor)),) for one in data.train]
    corpus = Corpus.of(paths, [place[one.answer_name] for one in data.train], len(place))
    plain = model.learned_.model.noiseless
    index, uses = plain.index, expect(plain, corpus).rules
    columns = (index.heads[uses > 0.0], index.lefts[uses > 0.0], index.rights[uses > 0.0])
    used = {tuple(model.names_[n] for n in rule) for rule in zip(*(a.tolist() for a in columns), strict=True)}
    return RuleSet.of(rule for rule in rules if (rule.head, *rule.body) in used)


def true_model(world: World, rules: RuleSet | None = None) -> GrammarReasoner:
    """The true rules, or these of them, all alike, and the noise that the generator uses."""
    data, options = world.data, world.options
    assert data.rules is not None  # noqa: S101  a generated world knows its rules
    model = GrammarReasoner.from_rules(
        rules or data.rules.with_body_of(2), data.vocabulary, GrammarSettings(answer_paths="shortest")
    )
    names = model.names_
    known = [name for name in names if name in {n for rule in data.rules for n in (rule.head, *rule.body)}]
    noise = Confusion(
        len(known), options["wrong_edges"], options["systematic"], np.random.default_rng([options["seed"], 2])
    )
    shares = 0.5 ** np.arange(1, len(known)) if noise.systematic else np.ones(len(known) - 1)
    confusion = np.eye(len(names))
    place = [names.index(name) for name in known]
    for true, others in enumerate(noise.others):
        confusion[place[true], place[true]] = 1.0 - noise.rate
        confusion[place[true], [place[other] for other in others]] = noise.rate * shares / shares.sum()
    grammar = model.learned_.model
    alike = {"weight": np.full(grammar.weight.size, 0.05), "background": np.full(len(names), 1e-9)}
    alike |= {"stop": np.full(len(names), 0.5), "prior": np.full(len(names), 1 / len(names))}
    model.learned_ = replace(model.learned_, model=replace(grammar, confusion=confusion[grammar.index.leaves], **alike))
    return model


def calibration_error(probabilities: np.ndarray, answers: np.ndarray, bins: int = 15) -> float:
    """Return the expected calibration error."""
    sure, right = probabilities.max(axis=1), probabilities.argmax(axis=1) == answers
    place = np.minimum((sure * bins).astype(int), bins - 1)
    return sum(abs(float((right[place == b] - sure[place == b]).sum())) for b in range(bins)) / len(answers)


def average_precision(scores: np.ndarray, wrong: np.ndarray) -> float:
    """Return the area under the precision-recall curve."""
    hits = wrong[np.argsort(-scores, kind="stable")]
    precision = np.cumsum(hits) / np.arange(1, hits.size + 1)
    return float(precision[hits].mean()) if hits.any() else float("nan")


def suspicions(model: GrammarReasoner, examples: Examples) -> tuple[np.ndarray, np.ndarray]:
    """Return the suspicion of each edge of the true paths, and whether it is wrong."""
    scores, wrong = [], []
    for example in examples:
        found = {(s.fact.source, s.fact.target): s for s in model.suspicious_edges(example)}
        true = example.graph.vocabulary.names(example.descriptor)
        entities = [example.graph.entities[node] for node in example.resolution]
        for source, target, relation in zip(entities, entities[1:], true, strict=False):
            if (source, target) in found:
                scores.append(found[source, target].probability)
                wrong.append(found[source, target].fact.relation != relation)
    return np.array(scores), np.array(wrong, dtype=bool)


def choices(data: Dataset, limit: float) -> list[float]:
    """Return the accuracies of the restarts with the shortest description and with the most probable paths."""
    tried = []
    for smoothing in GrammarSettings().restarts:
        model = GrammarReasoner(seed=0, restarts=(smoothing,)).fit(data.train, budget=Budget(limit))
        found = select_paths(data.train, model.settings.training_paths, model.settings)
        corpus = build_corpus(found, data.train, model.names_)
        learned = model.learned_
        length = description_length(learned.model, learned.counts, corpus, model.settings.description_weight)
        tried.append((-length, learned.counts.log_likelihood, model.score(data.test)))
    return [tried[argmax([one[by] for one in tried])][2] for by in (0, 1)]


def row(world: World, number: int, limit: float, choice: bool) -> tuple[str, list[float]]:
    """Return a table row, and its figures for the averages."""
    data, options = world.data, world.options
    start = time.perf_counter()
    model = GrammarReasoner(seed=0).fit(data.train, budget=Budget(limit))
    seconds = time.perf_counter() - start
    truth = true_model(world)
    result = evaluate(model, data.test, data.rules)
    ceiling = evaluate(truth, data.test).accuracy
    shown_ceiling = evaluate(true_model(world, shown_rules(data)), data.test).accuracy
    error = calibration_error(model.predict_proba(data.test), data.test.answers)
    (ours, wrong), (theirs, also_wrong) = suspicions(model, data.test), suspicions(truth, data.test)
    areas = [average_precision(ours, wrong), average_precision(theirs, also_wrong), float(wrong.mean())]
    lengths = options["train_lengths"]
    kind = " systematic" if options["systematic"] and options["wrong_edges"] else ""
    figures = [result.accuracy, ceiling, ceiling - result.accuracy, result.rule_recall or 0.0, error, *areas, seconds]
    shown = " | ".join(f"{x:.3f}" for x in figures[:-1])
    figures.append(shown_ceiling)
    star = "*" if "cut_short" in model.summary_ else ""
    chosen = choices(data, limit) if choice else []
    more = "".join(f" {x:.3f} |" for x in chosen)
    return (
        f"| {number}{star} | {len(data.vocabulary)} | {options['rules']} | {len(data.train)} "
        f"| {lengths[0]}-{lengths[-1]} "
        f"| {options['wrong_edges']:.2f}{kind} | {shown} | {seconds:.1f} | {shown_ceiling:.3f} |{more}"
    ), figures + chosen


def averages(table: list[list[float]]) -> list[str]:
    """Return the last rows: means and worst gap."""
    mean = np.nanmean(np.array(table), axis=0)
    shown = [f"{x:.1f}" if n == 8 else f"{x:.3f}" for n, x in enumerate(mean)]
    worst = max(figures[2] for figures in table)
    learnable = [figures[9] - figures[0] for figures in table]
    told = (
        f"Gap: {mean[2]:.3f} on average, {worst:.3f} at worst; to the true rules that training shows "
        f"{np.mean(learnable):.3f} on average, {max(learnable):.3f} at worst."
    )
    return ["| mean | | | | | | " + " | ".join(shown) + " |", "", told]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worlds", type=int, default=20)
    parser.add_argument("--first", type=int, default=1000)
    parser.add_argument("--any", action="store_true", help="worlds of any kind")
    parser.add_argument("--examples", type=int, default=MOST_EXAMPLES, help="maximum number of examples, with --any")
    parser.add_argument("--choice", action="store_true", help="compare two rules that select a restart")
    parser.add_argument("--limit", type=float, default=300.0, help="seconds of training for each world")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    lines = [HEAD + CHOICE * options.choice, "|" + " --- |" * (18 if options.choice else 16)]
    print(*lines, sep="\n")
    table = []
    for number in range(options.first, options.first + options.worlds):
        world = worlds.draw_world(number, options.examples) if options.any else draw_world(number)
        line, figures = row(world, number, options.limit, options.choice)
        print(line, flush=True)
        lines.append(line)
        table.append(figures)
        if options.out:
            options.out.write_text("\n".join(lines + averages(table)) + "\n")
    print(*averages(table), sep="\n")


if __name__ == "__main__":
    main()
