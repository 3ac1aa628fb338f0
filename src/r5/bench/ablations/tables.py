"""Tables of an ablation study: figures of each data set, and mean changes with standard errors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from r5.bench.ablations.study import Ablation
from r5.bench.markdown import dataset_label, format_share, markdown_table

__all__ = ["ablation_tables"]

Records = Mapping[tuple[str, str], Mapping[str, Any]]

_KINDS: dict[str, Callable[[Mapping[str, Any]], bool]] = {
    "no wrong edges": lambda options: options["wrong_edges"] == 0,
    "wrong edges": lambda options: options["wrong_edges"] > 0,
    "at most 500 examples": lambda options: options["train"] <= 500,
    "no path of two": lambda options: options["train_lengths"][0] > 2,
}
"""Kinds of worlds, by their options."""
_MEASURES = {
    "Accuracy": "accuracy",
    "MRR on valid": "mrr",
    "MRR on valid, new entities": "new_mrr",
    "Calibration error": "calibration_error",
}
"""Measures by title; a table without figures is left out."""


def ablation_tables(study: Ablation, records: Records) -> str:
    """Return the tables as Markdown, one for each measure and one of seconds."""
    base = study.rows[0].name
    sets = [name for name in (*study.data, *study.graphs) if (name, base) in records]
    groups = _groups(study, records)
    parts = []
    for title, measure in _MEASURES.items():
        if not any(
            measure in records[name, base] for name in [*sets, *(one for some in groups.values() for one in some)]
        ):
            continue
        decimals = 3 if measure == "accuracy" else 4
        lines = []
        for row in study.rows:
            cells = [format_share(records.get((name, row.name), {}).get(measure), decimals) for name in sets]
            changes = [_change(records, some, (base, row.name), measure) for some in groups.values()]
            lines.append([row.name, *cells, *changes])
        parts.append(markdown_table([title, *map(_label, sets), *groups], lines, keep=1))
    worlds = [data for data, row in records if row == base and data.startswith("world-")]
    header = ["Seconds", *map(_label, sets), "worlds, training", "worlds, answering"]
    lines = []
    for row in study.rows:
        cells = [_number(records.get((name, row.name), {}).get("training_seconds")) for name in sets]
        found = [records[name, row.name] for name in worlds if (name, row.name) in records]
        means = [[one[key] for one in found] for key in ("training_seconds", "answering_seconds")]
        lines.append([row.name, *cells, *(_number(float(np.mean(some))) if some else "" for some in means)])
    parts.append(markdown_table(header, lines, keep=1))
    return "\n\n".join(parts) + "\n"


def _groups(study: Ablation, records: Records) -> dict[str, list[str]]:
    """Return the groups of worlds and graphs that have records, by name and size."""
    base = study.rows[0].name
    there = [data for data, row in records if row == base]
    worlds = [data for data in there if data.startswith("world-")]
    groups: dict[str, Sequence[str]] = {"all worlds": worlds}
    groups |= {
        name: [world for world in worlds if matches(records[world, base]["options"])]
        for name, matches in _KINDS.items()
    }
    groups["shifted"] = [data for data in there if data.startswith("shifted-")]
    groups["all graphs"] = [data for data in there if data in study.graphs]
    groups |= {name: [data for data in some if data in there] for name, some in study.groups.items()}
    return {f"{name} ({len(some)})": list(some) for name, some in groups.items() if some}


def _label(name: str) -> str:
    """Return the usual name of a data set; the last part of a folder."""
    return name.rsplit("/", 1)[1] if "/" in name else dataset_label(name)


def _change(records: Records, sets: Sequence[str], rows: tuple[str, str], measure: str) -> str:
    """Return the mean of the first row, or the mean change to another row with its standard error."""
    base, row = rows
    both = [name for name in sets if measure in records.get((name, row), {})]
    if not both:
        return ""
    if row == base:
        return format_share(float(np.mean([records[name, base][measure] for name in both])))
    changes = np.array([records[name, row][measure] - records[name, base][measure] for name in both])
    error = changes.std(ddof=1) / np.sqrt(changes.size) if changes.size > 1 else 0.0
    return f"{changes.mean():+.4f} ± {error:.4f}"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.1f}" if value >= 1.0 else f"{value:.2f}"
