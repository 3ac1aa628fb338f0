"""Other settings for the story encoders below their published figures, on held-out training stories.

    python benchmarks/story_trials.py --data DATA --out benchmarks/story_trials.md

A tenth of the training stories is held out. The encoders answer its stories, and longer stories composed from them, up
to twice as long as any training story. Test data is not used.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import r5
from r5.baselines.networks.held_out import compose_longer, hold_out
from r5.bench.markdown import dataset_label, format_share, markdown_table

ENCODERS = ("cnn", "cnnh", "mha", "lstm", "gru")
TRIALS: dict[str, dict[str, Any]] = {
    "as they are": {},
    "100 epochs, all of them": {"epochs": 100, "patience": 0},
    "the epoch by longer stories": {"held_out": "long"},
    "dropout .3": {"dropout": 0.3},
    "learning rate .0003": {"learning_rate": 0.0003},
    "200 units or filters": {"hidden": 200},
}
SEED = 0
HELD_OUT_SEED = 20
"""Seed of the held-out stories; the seed of an encoder decides which stories select its epoch."""


def report(name: str, rows: Sequence[Sequence[str]]) -> str:
    """Return the page."""
    head = ["encoder", "trial", "stories as they are", "longer stories"]
    about = (__doc__ or "").split("\n\n")[2].replace("\n", " ").strip()
    made = f"{dataset_label(name)}, seed {SEED}. Made with `python benchmarks/story_trials.py --data DATA --out FILE`."
    return "\n\n".join(["# Trials of story encoders", about, made, markdown_table(head, rows, keep=2)]) + "\n"


def main() -> None:
    """Train each encoder with each setting; write the page after each training."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="data folder")
    parser.add_argument("--name", default="data_089907f8", help="set of stories")
    parser.add_argument("--encoders", default=",".join(ENCODERS), help="names of encoders")
    parser.add_argument("--out", type=Path, help="file of the page")
    arguments = parser.parse_args()
    train, held_out = hold_out(r5.load(arguments.data / "clutrr" / arguments.name).train, HELD_OUT_SEED)
    test_sets = (held_out, compose_longer(held_out, HELD_OUT_SEED))
    rows: list[list[str]] = []
    for name in arguments.encoders.split(","):
        for trial, settings in TRIALS.items():
            model = r5.BaselineReasoner(f"story-{name}", seed=SEED, **settings).fit(train)
            rows.append([name.upper(), trial, *(format_share(r5.evaluate(model, one).accuracy) for one in test_sets)])
            print(*rows[-1], sep="\t", flush=True)
            if arguments.out:
                arguments.out.write_text(report(arguments.name, rows), encoding="utf-8")


if __name__ == "__main__":
    main()
