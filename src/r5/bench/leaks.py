"""What encoders reach that find the answer in what they read, beside the published figures and an honest run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from r5._util.files.reading import parse_json, read_text
from r5.bench.experiments import Experiment
from r5.bench.markdown import share, table
from r5.bench.store import Record
from r5.bench.summary import summaries
from r5.errors import DataError

__all__ = ["LEAKING", "leak_table", "read_leaks"]

LEAKING = "clutrr-k234"
"""The experiment whose stories are read."""
_NEEDED = ("system", "seed", "by_length")


def read_leaks(path: Path) -> list[dict[str, Any]]:
    """What `benchmarks/answer_in_input.py` kept: one run for each encoder."""
    found = parse_json(read_text(path), path)
    if not isinstance(found, list) or not all(isinstance(one, dict) and set(_NEEDED) <= set(one) for one in found):
        raise DataError(f"is not a list of runs with {', '.join(_NEEDED)}", path)
    return found


def leak_table(experiment: Experiment, leaks: Sequence[Mapping[str, Any]], records: Mapping[str, Record]) -> str:
    """Three lines for each encoder; the honest one is the mean over the seeds that were run."""
    honest = {one.row.name: one for one in summaries(experiment, records)}
    rows = []
    for leak in leaks:
        system, hops = leak["system"], experiment.hops
        known = next((one for one in experiment.published if one.system == system), None)
        ours = honest.get(system)
        reached = {int(hop): figure for hop, figure in leak["by_length"].items()}
        means = {hop: mean.value for hop, mean in ours.by_length.items()} if ours else {}
        rows.append([system, "published", *(share(known.by_length.get(hop) if known else None) for hop in hops)])
        rows.append([system, "**the answer in its input**", *(share(reached.get(hop)) for hop in hops)])
        rows.append([system, "reads the story, the pair apart", *(share(means.get(hop)) for hop in hops)])
    return table(["system", "", *(f"{hop} hops" for hop in experiment.hops)], rows, keep=2)
