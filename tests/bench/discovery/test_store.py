"""Tables of `r5 bench discovery`, from made-up records."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from r5.bench.discovery.store import discovery_jobs, discovery_tables, read_records


def record(seed: int, p_at_n: float, gaps: list[float]) -> dict[str, Any]:
    measures = {"p_at_100": 0.5, "recall_at_100": 1.0, "p_at_n": p_at_n, "average_precision": 0.9, "n": 50}
    calibration = {"gaps": gaps, "n": 100}
    return {
        "key": f"library-{seed}_0_valid", "data": f"library-{seed}", "seed": 0, "valid": True,
        "probability": measures, "confidence": {**measures, "p_at_n": 0.4},
        "calibration": {"closed_world": calibration, "test": calibration, "level": 0.2},
        "search_seconds": 2.0, "peak_megabytes": 300 + seed,
    }  # fmt: skip


def test_rows_have_means_over_runs_and_the_calibration_error_is_pooled() -> None:
    records = {one["key"]: one for one in (record(0, 0.8, [10.0, 0.0]), record(1, 0.9, [-6.0, 2.0]))}
    row = discovery_tables(records).splitlines()[2]
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert cells[:2] == ["library", "2"]
    assert cells[4] == "0.850 ± 0.071" and cells[6] == "0.400 ± 0.000"
    assert cells[7:] == ["0.030", "0.030", "2.0", "301"]  # (|10 - 6| + |2|) / 200


def test_libraries_run_with_and_without_valid() -> None:
    jobs = discovery_jobs(None, 3, ["library"])
    assert len(jobs) == 20 and len({job.key for job in jobs}) == 20
    assert sum(job.valid for job in jobs) == 10


def test_the_committed_tables_are_those_of_the_committed_records() -> None:
    folder = Path(__file__).resolve().parents[3] / "benchmarks" / "results"
    written = (folder / "discovery.md").read_text(encoding="utf-8")
    assert written == f"# Missing and wrong facts\n\n{discovery_tables(read_records(folder))}"
