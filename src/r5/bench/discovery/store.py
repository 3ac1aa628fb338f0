"""Records of `r5 bench discovery`: one JSON file with all runs, and the tables made of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from r5._util.files.reading import parse_json, read_text
from r5._util.files.writing import write_text
from r5.bench.discovery.runs import DiscoveryJob, run_one
from r5.errors import DataError

__all__ = ["discovery_jobs", "discovery_tables", "read_records", "run_all"]

FORMAT = 1
_LIBRARIES = 10
_GRAPHS = {
    "umls": "kg/umls",
    "umls-30": "kg/umls-30",
    "family": "kg/family",
    "kinship": "kg/kinship",
    "codex-s": "kg/codex-s",
    "wn18rr": "kg/wn18rr",
    "fb15k-237": "kg/fb15k-237",
}
_LARGE = ("codex-s", "wn18rr", "fb15k-237")
"""Graphs that are run with one seed."""
_AUDITED = ("umls", "family", "wn18rr")
_ASIDE = ("umls", "family")
"""Graphs that are also run without `valid`."""


def discovery_jobs(root: Path | None, seeds: int, wanted: Sequence[str]) -> list[DiscoveryJob]:
    """Return the runs: generated libraries, and the graphs that are there.

    Args:
        root: The data folder; None for the libraries alone.
        seeds: Seeds of each small graph.
        wanted: Names of data sets, `library` for the generated ones; all by default.
    """
    jobs = []
    if not wanted or "library" in wanted:
        for seed in range(_LIBRARIES):
            options = (("books", 60), ("members", 60), ("seed", seed))
            name = f"library-{seed}"
            jobs += [DiscoveryJob(name, "library", options, 0, valid, valid) for valid in (True, False)]
    for name, folder in _GRAPHS.items():
        if root is None or not (root / folder).is_dir() or (wanted and name not in wanted):
            continue
        for seed in range(1 if name in _LARGE else seeds):
            jobs.append(DiscoveryJob(name, str(root / folder), (), seed, True, name in _AUDITED))
            if name in _ASIDE:
                jobs.append(DiscoveryJob(name, str(root / folder), (), seed, False))
    return jobs


def run_all(jobs: Iterable[DiscoveryJob], out: Path, done: Callable[[DiscoveryJob], None] | None = None) -> None:
    """Run each job in a process of its own; each record is written as soon as it is there."""
    records = read_records(out)
    for job in jobs:
        with ProcessPoolExecutor(max_workers=1, mp_context=get_context("spawn")) as pool:
            records[job.key] = pool.submit(run_one, job).result()
        ordered = [records[key] for key in sorted(records)]
        text = json.dumps({"format": FORMAT, "runs": ordered}, indent=1, ensure_ascii=False) + "\n"
        write_text(out / "discovery.json", text, force=True)
        if done is not None:
            done(job)


def read_records(out: Path) -> dict[str, dict[str, Any]]:
    """Return the records of a folder, by key."""
    path = out / "discovery.json"
    if not path.is_file():
        return {}
    content = parse_json(read_text(path), path)
    if not isinstance(content, dict) or content.get("format") != FORMAT or not isinstance(content.get("runs"), list):
        raise DataError(f"is not a file of results of the format {FORMAT}", path)
    return {record["key"]: record for record in content["runs"]}


def discovery_tables(records: dict[str, dict[str, Any]]) -> str:
    """Return the tables as Markdown: mean and, for several runs, standard deviation.

    The calibration error is over the facts of all runs together.
    """
    groups: dict[tuple[str, bool], list[dict[str, Any]]] = {}
    for record in records.values():
        name = "library" if record["data"].startswith("library") else record["data"]
        groups.setdefault((name, record["valid"]), []).append(record)
    order = ["library", *_GRAPHS]
    keys = sorted(groups, key=lambda key: (order.index(key[0]), not key[1]))
    lines = [
        "| data | runs | P@100 | recall@100 | P@n | average precision | P@n by confidence | "
        "calibration, closed world | calibration, test | seconds for 1,000 | MB |",
        "| --- " * 11 + "|",
    ]
    for key in keys:
        runs = groups[key]
        cells = [
            key[0] + ("" if key[1] else ", without valid"),
            str(len(runs)),
            *(
                _shown([run["probability"][name] for run in runs])
                for name in ("p_at_100", "recall_at_100", "p_at_n", "average_precision")
            ),
            _shown([run["confidence"]["p_at_n"] for run in runs]),
            *(_pooled([run["calibration"][name] for run in runs]) for name in ("closed_world", "test")),
            f"{mean(run['search_seconds'] for run in runs):.1f}",
            f"{max(run['peak_megabytes'] for run in runs)}",
        ]
        lines.append("| " + " | ".join(cells) + " |")
    lines += ["", "| audit, 2 % of the tails replaced | runs | AUC | P@n | seconds |", "| --- " * 5 + "|"]
    for key in keys:
        found = [run["audit"] for run in groups[key] if "audit" in run]
        if found:
            figures = [_shown([one[name] for one in found]) for name in ("auc", "p_at_n")]
            seconds = f"{mean(one['seconds'] for one in found):.1f}"
            lines.append("| " + " | ".join([key[0], str(len(found)), *figures, seconds]) + " |")
    pairs = [run["pairs"] for run in records.values() if "pairs" in run and run["valid"]]
    if pairs:
        said, silent = (mean(one[name] for one in pairs) for name in ("known_said", "unrelated_silent"))
        total = sum(one["n"] for one in pairs)
        lines += [
            "",
            f"Pairs in libraries: of {total:,} known facts {said:.3f} are said to be in the graph; "
            f'of as many unrelated pairs {silent:.3f} are answered "cannot say".',
        ]
    return "\n".join(lines) + "\n"


def _pooled(calibrations: list[dict[str, Any]]) -> str:
    """Calibration error over the facts of all runs; `gaps` as `calibration_gaps` returns them."""
    bins = zip(*(one["gaps"] for one in calibrations), strict=True)
    return f"{sum(abs(sum(one)) for one in bins) / max(sum(one['n'] for one in calibrations), 1):.3f}"


def _shown(values: list[float]) -> str:
    spread = f" ± {stdev(values):.3f}" if len(values) > 1 else ""
    return f"{mean(values):.3f}{spread}"
