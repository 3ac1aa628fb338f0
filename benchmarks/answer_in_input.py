"""Accuracy of CLUTRR story encoders whose input contains the answer.

    python benchmarks/answer_in_input.py --data DATA      # then benchmarks/update_docs.py, for answer_in_input.md

The public code of the published encoders has two variants. One reads the story and, separately, the pair of the query.
The other reads one sequence that begins with the fact of the query, including its relation, at test time too. This is
not an experiment about reasoning: it shows the figures that such a leak gives.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import r5
from r5.bench.environment import describe
from r5.bench.experiments.folder import load_experiments
from r5.bench.tables.answer_in_input import STORY_EXPERIMENT, read_answer_in_input

ENCODERS = ("rnn", "lstm", "gru", "cnnh", "cnn", "mha")
KEPT = Path(__file__).resolve().parent / "results" / "answer_in_input.json"


def prepend_answers(examples: r5.Examples) -> r5.Examples:
    """Return the examples with the fact of the query in front of the story."""
    found = []
    for example in examples:
        graph = example.graph
        facts = [(example.source, str(example.answer_name), example.target), *graph.triples()]
        leaking = r5.Graph.from_triples(facts, graph.vocabulary)

        def node(old: int, names: tuple[str, ...] = graph.entities, new: r5.Graph = leaking) -> int:
            return new.node(names[old])

        query = r5.Query(node(example.query.source), node(example.query.target))
        resolution = tuple(node(old) for old in example.resolution)
        found.append(replace(example, graph=leaking, query=query, resolution=resolution))
    return r5.Examples.of(found, examples.vocabulary)


def run(name: str, seed: int, train: r5.Examples, test: r5.Examples) -> dict[str, Any]:
    """Train one encoder, and return its accuracy by hops."""
    model = r5.BaselineReasoner(f"story-{name}", seed=seed).fit(train)
    reached = {str(hop): one.accuracy for hop, one in r5.evaluate(model, test).by_length.items()}
    return {"system": f"{name.upper()}_s", "seed": seed, "commit": describe()["commit"], "by_length": reached}


def main() -> None:
    """Run the chosen encoders, and write the figures of each as soon as it is done."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="data folder")
    parser.add_argument("--encoders", default=",".join(ENCODERS), help="names of encoders")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=KEPT, help="file of the figures; it keeps those of other encoders")
    arguments = parser.parse_args()
    experiment = next(one for one in load_experiments() if one.name == STORY_EXPERIMENT)
    data = r5.load(arguments.data / "clutrr" / next(iter(experiment.data)))
    train, test = prepend_answers(data.train), prepend_answers(data.test)
    for name in arguments.encoders.split(","):
        found = run(name, arguments.seed, train, test)
        kept = read_answer_in_input(arguments.out) if arguments.out.is_file() else []
        kept = [one for one in kept if one["system"] != found["system"]]
        order = [f"{encoder.upper()}_s" for encoder in ENCODERS]
        kept = sorted([*kept, found], key=lambda one: order.index(one["system"]))
        arguments.out.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
        shares = (f"{figure:.3f}".removeprefix("0") for figure in found["by_length"].values())
        print(found["system"], *shares, flush=True)


if __name__ == "__main__":
    main()
