"""Last lines of `r5 train`: the quality of the model on data that it was not learned from, and the next command."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from r5.dataset import Dataset
    from r5.reasoners.base import Reasoner

__all__ = ["describe_quality", "suggest_command"]


def describe_quality(reasoner: Reasoner) -> str:
    """Return the quality on held-out training or validation data, and the name of that data.

    Figures are those of the training summary: ranks of held-out facts (`chains`), accuracy of cross-validation
    (`grammar`) or of the validation split (`r5` and baselines), else the share of right training answers.
    """
    summary = reasoner.summary_
    held = summary.get("held_out")
    if isinstance(held, Mapping) and "mrr" in held:
        source = "of the valid split" if held["split"] == "valid" else "held out of the training data"
        figures = f"MRR {held['mrr']:.3f}, Hits@10 {held['hits@10']:.3f}"
        # Training does not read the test split, so its facts are wrong answers here; `r5 rank` filters them.
        facts = f"{held['facts']:,} facts {source}"
        return f"held-out quality: {figures} on {facts}; true answers unknown to training count as wrong"
    if isinstance(held, Mapping):
        return f"held-out quality: accuracy {held['accuracy']:.3f} in cross-validation on {held['examples']:,} examples"
    valid = _valid_accuracy(summary)
    if valid is not None:
        return f"held-out quality: accuracy {valid:.3f} on the validation data"
    answers = summary.get("training_answers")
    if isinstance(answers, int | float):
        return f"training accuracy {answers:.3f}; nothing was held out, r5 evaluate measures the quality"
    return "nothing was held out in training: r5 evaluate measures the quality"


def _valid_accuracy(summary: Mapping[str, Any]) -> float | None:
    """Return the validation accuracy of the chosen epoch, if training measured it."""
    history = summary.get("history")
    for row in history if isinstance(history, list | tuple) else ():
        chosen = (row.get("restart"), row.get("epoch")) == (summary.get("best_restart"), summary.get("best_epoch"))
        if chosen and isinstance(row.get("valid_accuracy"), int | float):
            return float(row["valid_accuracy"])
    return None


def suggest_command(reasoner: Reasoner, out: Path, data: str, dataset: Dataset | None) -> str:
    """Return the command to try next with a new model."""
    model = shlex.quote(str(out))
    if reasoner.engine == "chains":
        return f"r5 complete {model} --new 10 --explain"
    if dataset is not None and len(dataset.test):
        return f"r5 evaluate {model} {shlex.quote(data)}"
    return f"r5 rules {model} --top 10"
