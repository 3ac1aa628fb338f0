"""Other settings for the story encoders that stay below the published figures, on training stories held out.

    python benchmarks/story_trials.py --data DATA --out benchmarks/story_trials.md

Of the training stories a tenth is held out before anything is learned. Asked are its stories as they are, and longer
ones put together from it, up to twice as long as any of training. Test data has no part in it.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import r5
from r5.baselines.networks.held_out import compose_longer, hold_out
from r5.bench.markdown import label, share, table

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
APART = 20
"""Decides which stories are held out; the encoders' own seed decides which they choose their epoch by."""


def report(name: str, rows: Sequence[Sequence[str]]) -> str:
    """The page."""
    head = ["encoder", "trial", "stories as they are", "longer stories"]
    about = (__doc__ or "").split("\n\n")[2].replace("\n", " ").strip()
    made = f"{label(name)}, seed {SEED}. Made with `python benchmarks/story_trials.py --data DATA --out FILE`."
    return "\n\n".join(["# Trials of story encoders", about, made, table(head, rows, keep=2)]) + "\n"


def main() -> None:
    """Train each encoder with each setting, and write the page after each."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="the folder of all data")
    parser.add_argument("--name", default="data_089907f8", help="the set of stories")
    parser.add_argument("--encoders", default=",".join(ENCODERS), help="some of them, by name")
    parser.add_argument("--out", type=Path, help="the page")
    arguments = parser.parse_args()
    train, apart = hold_out(r5.load(arguments.data / "clutrr" / arguments.name).train, APART)
    asked = (apart, compose_longer(apart, APART))
    rows: list[list[str]] = []
    for name in arguments.encoders.split(","):
        for trial, settings in TRIALS.items():
            model = r5.BaselineReasoner(f"story-{name}", seed=SEED, **settings).fit(train)
            rows.append([name.upper(), trial, *(share(r5.evaluate(model, one).accuracy) for one in asked)])
            print(*rows[-1], sep="\t", flush=True)
            if arguments.out:
                arguments.out.write_text(report(arguments.name, rows), encoding="utf-8")


if __name__ == "__main__":
    main()
