"""Where results are kept: a file for each run as soon as it is done, and all of them together as JSON and CSV."""

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
"""What is kept of a run: its figures, and all that is needed to do it again."""
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
    """Keep the record of a run that is done; whole or not at all."""
    text = json.dumps(record, indent=1, ensure_ascii=False) + "\n"
    write_text(out / "runs" / f"{record['key']}.json", text, force=True)


def read_records(out: Path) -> dict[str, Record]:
    """What is known in a folder of results, by key: the runs by themselves, and those in `results.json`."""
    together = out / "results.json"
    found = {record["key"]: record for record in read_results(together)} if together.is_file() else {}
    for path in list_files(out / "runs", "*.json"):
        record = _checked(parse_json(read_text(path), path), path)
        found[record["key"]] = record
    return found


def read_results(path: Path) -> list[Record]:
    """The runs in a file that `write_results` wrote."""
    content = parse_json(read_text(path), path)
    if not isinstance(content, dict) or content.get("format") != FORMAT or not isinstance(content.get("runs"), list):
        raise DataError(f"is not a file of results of the format {FORMAT}", path)
    return [_checked(record, path) for record in content["runs"]]


def write_results(out: Path, records: Iterable[Record]) -> None:
    """All runs in `results.json`, and a line for each in `results.csv`."""
    ordered = sorted(records, key=lambda record: str(record["key"]))
    content = {"format": FORMAT, "runs": ordered}
    write_text(out / "results.json", json.dumps(content, indent=1, ensure_ascii=False) + "\n", force=True)
    write_text(out / "results.csv", as_csv(ordered), force=True)


def as_csv(records: Sequence[Record]) -> str:
    """One line a run; what has parts of its own stands there as JSON."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for record in records:
        writer.writerow([_field(record.get(name)) for name in _COLUMNS])
    return text.getvalue()


def _field(value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else value


def _checked(record: Any, path: Path) -> Record:
    if not isinstance(record, dict) or any(key not in record for key in _NEEDED):
        raise DataError(f"is not the record of a run: expected {', '.join(_NEEDED)}", path)
    return record
