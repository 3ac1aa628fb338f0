"""Table of story encoders whose input contains the answer, beside published figures and runs without the leak."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from r5._util.files.reading import parse_json, read_text
from r5.bench.experiments.experiment import Experiment
from r5.bench.markdown import format_share, markdown_table
from r5.bench.records.store import Record
from r5.bench.records.summary import summarize
from r5.errors import DataError

__all__ = ["STORY_EXPERIMENT", "answer_in_input_table", "read_answer_in_input"]

STORY_EXPERIMENT = "clutrr-k234"
"""Experiment with the stories that the encoders read."""
_NEEDED = ("system", "seed", "by_length")


def read_answer_in_input(path: Path) -> list[dict[str, Any]]:
    """Return the runs that `benchmarks/answer_in_input.py` wrote, one per encoder.

    Raises:
        DataError: The file has another content.
    """
    found = parse_json(read_text(path), path)
    if not isinstance(found, list) or not all(isinstance(one, dict) and set(_NEEDED) <= set(one) for one in found):
        raise DataError(f"is not a list of runs with {', '.join(_NEEDED)}", path)
    return found


def answer_in_input_table(
    experiment: Experiment, leaks: Sequence[Mapping[str, Any]], records: Mapping[str, Record]
) -> str:
    """Return three rows per encoder: published, with the answer in its input, and without it.

    Args:
        experiment: The experiment with the published figures.
        leaks: Runs with the answer in the input.
        records: Runs without it; the table shows their mean over seeds.
    """
    clean = {one.row.name: one for one in summarize(experiment, records)}
    rows = []
    for leak in leaks:
        system, hops = leak["system"], experiment.hops
        known = next((one for one in experiment.published if one.system == system), None)
        ours = clean.get(system)
        reached = {int(hop): figure for hop, figure in leak["by_length"].items()}
        means = {hop: mean.value for hop, mean in ours.by_length.items()} if ours else {}
        rows.append([system, "published", *(format_share(known.by_length.get(hop) if known else None) for hop in hops)])
        rows.append([system, "**the answer in its input**", *(format_share(reached.get(hop)) for hop in hops)])
        rows.append([system, "reads the story, the pair apart", *(format_share(means.get(hop)) for hop in hops)])
    return markdown_table(["system", "", *(f"{hop} hops" for hop in experiment.hops)], rows, keep=2)
