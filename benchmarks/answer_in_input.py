"""What encoders of CLUTRR's stories reach when the answer is in what they read.

    python benchmarks/answer_in_input.py --data DATA > benchmarks/answer_in_input.md

The public code of the published encoders has two variants. One reads the story and, apart from it, the pair that is
asked about. The other reads one sequence in which the fact that is asked for stands in front of the story, its relation
included, at test time too. This is not an experiment about reasoning: it shows what figures such a leak gives.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

import r5
from r5.bench.experiments import load_experiments

ENCODERS = ("rnn", "lstm", "gru", "cnnh", "cnn", "mha")
SET = "data_db9b8f04"


def with_the_answer(examples: r5.Examples) -> r5.Examples:
    """The same examples, with the fact that is asked for in front of the story."""
    found = []
    for example in examples:
        graph = example.graph
        told = [(example.source, str(example.answer_name), example.target), *graph.triples()]
        leaking = r5.Graph.from_triples(told, graph.vocabulary)

        def node(old: int, names: tuple[str, ...] = graph.entities, new: r5.Graph = leaking) -> int:
            return new.node(names[old])

        query = r5.Query(node(example.query.source), node(example.query.target))
        resolution = tuple(node(old) for old in example.resolution)
        found.append(replace(example, graph=leaking, query=query, resolution=resolution))
    return r5.Examples.of(found, examples.vocabulary)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="the folder of all data")
    parser.add_argument("--encoders", default=",".join(ENCODERS), help="some of them, by name")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    experiment = next(one for one in load_experiments() if one.name == "clutrr-k234")
    data = r5.load(arguments.data / "clutrr" / SET)
    train, test = with_the_answer(data.train), with_the_answer(data.test)
    print("# The answer in the input\n")
    print(" ".join((__doc__ or "").split("\n\n")[2].split()) + f" CLUTRR, 2 to 4 hops, seed {arguments.seed}.\n")
    print("| encoder |  | " + " | ".join(f"{hop} hops" for hop in experiment.hops) + " |")
    print("| --- | --- |" + " --- |" * len(experiment.hops))
    for name in arguments.encoders.split(","):
        known = experiment.figure(f"{name.upper()}_s", SET)
        model = r5.NeuralReasoner(f"story-{name}", seed=arguments.seed).fit(train)
        reached = {hop: one.accuracy for hop, one in r5.evaluate(model, test).by_length.items()}
        for what, figures in (("published", known.by_length if known else {}), ("the answer in its input", reached)):
            cells = (f"{figures[hop]:.3f}".removeprefix("0") for hop in experiment.hops)
            print(f"| {name.upper()} | {what} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
