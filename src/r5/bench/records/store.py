"""Store of results: one file per finished run, and all runs combined as JSON and CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from r5._util.files.reading import list_files, parse_json, read_text
from r5._util.files.writing import write_text
from r5.errors import DataError

__all__ = ["FORMAT", "Record", "read_records", "read_results", "write_record", "write_results"]

FORMAT = 1
Record = Mapping[str, Any]
"""Figures of a run, with everything that is needed to repeat it."""
_NEEDED = ("key", "data", "engine", "seed", "accuracy", "by_length", "version")
_COLUMNS = (
    "key",
    "data",
    "engine",
    "seed",
    "accuracy",
    "n",
    "rule_recall",
    "invalid_ratio",
    "training_seconds",
    "answering_seconds",
    "by_length",
    "protocol",
    "settings",
    "hyperparameters",
    "examples",
    "version",
    "commit",
    "python",
    "libraries",
    "data_sha256",
)


def write_record(out: Path, record: Record) -> None:
    """Write the record of a finished run atomically."""
    text = json.dumps(record, indent=1, ensure_ascii=False) + "\n"
    write_text(out / "runs" / f"{record['key']}.json", text, force=True)


def read_records(out: Path) -> dict[str, Record]:
    """Return the records in a folder of results by key; the file of a single run overrides `results.json`."""
    combined = out / "results.json"
    found = {record["key"]: record for record in read_results(combined)} if combined.is_file() else {}
    for path in list_files(out / "runs", "*.json"):
        record = _check_record(parse_json(read_text(path), path), path)
        found[record["key"]] = record
    return found


def read_results(path: Path) -> list[Record]:
    """Return the records in a file that `write_results` wrote.

    Raises:
        DataError: The file has another format.
    """
    content = parse_json(read_text(path), path)
    if not isinstance(content, dict) or content.get("format") != FORMAT or not isinstance(content.get("runs"), list):
        raise DataError(f"is not a results file of format {FORMAT}", path)
    return [_check_record(record, path) for record in content["runs"]]


def write_results(out: Path, records: Iterable[Record]) -> None:
    """Write all records to `results.json`, and one line per record to `results.csv`."""
    ordered = sorted(records, key=lambda record: str(record["key"]))
    content = {"format": FORMAT, "runs": ordered}
    write_text(out / "results.json", json.dumps(content, indent=1, ensure_ascii=False) + "\n", force=True)
    write_text(out / "results.csv", to_csv(ordered), force=True)


def to_csv(records: Sequence[Record]) -> str:
    """Return one line per record; nested fields are JSON."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for record in records:
        writer.writerow([_csv_field(record.get(name)) for name in _COLUMNS])
    return text.getvalue()


def _csv_field(value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else value


def _check_record(record: Any, path: Path) -> Record:
    if not isinstance(record, dict) or any(key not in record for key in _NEEDED):
        raise DataError(f"is not the record of a run: expected {', '.join(_NEEDED)}", path)
    return record
