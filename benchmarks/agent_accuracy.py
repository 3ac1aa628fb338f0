"""Accuracy and rule recall of the r5 engine on the paper's data sets, with ablations; several seeds each.

    python benchmarks/agent_accuracy.py --data DIR [--seeds 3] [--sets re_0,re_2] [--ablations NAME ...] [--out FILE]

Models are chosen by their training fit; test data is looked at once, at the end.
"""

from __future__ import annotations

import argparse
import json
import statistics
from pathlib import Path
from typing import Any

from r5.data.clutrr import load_clutrr
from r5.data.graphlog import load_graphlog
from r5.dataset import Dataset
from r5.evaluation import evaluate
from r5.reasoners.r5 import R5Reasoner

FAMILIES = {
    "world_17": "graphlog",
    "re_0": "graphlog-few",
    "re_2": "graphlog-long",
    "data_089907f8": "clutrr",
    "data_db9b8f04": "clutrr",
}
ABLATIONS: dict[str, dict[str, Any]] = {
    "without network": {"network": False},
    "n = 1": {"invented": 1},
    "extra features": {"extra_features": True},
    "equate = 0": {"equate": 0.0},
    "8 simulations": {"simulations": 8},
    "8 simulations without network": {"simulations": 8, "network": False},
}


def load(folder: Path, name: str) -> Dataset:
    if name.startswith("data_"):
        return load_clutrr(folder / "clutrr" / name)
    return load_graphlog(folder / "graphlog" / name)


def measure(data: Dataset, name: str, seed: int, changes: dict[str, Any]) -> dict[str, Any]:
    """Train with one seed and evaluate on the test split."""
    model = R5Reasoner(seed=seed, family=FAMILIES[name], **changes).fit(data.train)
    result = evaluate(model, data.test, data.rules)
    return {
        "seed": seed,
        "accuracy": round(result.accuracy, 4),
        "rule_recall": result.rule_recall,
        "invalid_ratio": round(result.invalid_ratio, 4),
        "by_length": {str(k): round(part.accuracy, 4) for k, part in sorted(result.by_length.items())},
        "training_seconds": round(model.summary_["seconds"], 1),
        "training_fit": round(model.summary_["training_fit"], 4),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--sets", default=",".join(FAMILIES))
    parser.add_argument("--ablations", nargs="*", help="Which, by name; all where none is named.")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    chosen: dict[str, dict[str, Any]] = {"": {}}
    if options.ablations is not None:
        chosen = {name: ABLATIONS[name] for name in options.ablations or ABLATIONS}
    found: dict[str, list[dict[str, Any]]] = {}
    for name in options.sets.split(","):
        data = load(options.data, name)
        for variant, changes in chosen.items():
            label = f"{name}, {variant}" if variant else name
            found[label] = [measure(data, name, seed, changes) for seed in range(options.seeds)]
            mean = statistics.mean(run["accuracy"] for run in found[label])
            print(f"{label}: mean accuracy {mean:.4f}", json.dumps(found[label]), flush=True)
            if options.out is not None:
                options.out.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
