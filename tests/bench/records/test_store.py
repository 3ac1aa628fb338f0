"""Result files: one per run, all runs together, and invalid ones."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from r5.bench.experiments.plan import Run
from r5.bench.records.store import read_records, read_results, write_record, write_results
from r5.errors import DataError
from tests.helpers.records import record

FIRST = record(Run("re_0", "r5", {"preset": "paper"}, 0), 0.75)
SECOND = record(Run("re_0", "grammar", {}, 1), 0.5)


def test_records_are_read_as_written(tmp_path: Path) -> None:
    assert read_records(tmp_path) == {}
    write_record(tmp_path, FIRST)
    assert read_records(tmp_path) == {FIRST["key"]: FIRST}
    write_results(tmp_path, [FIRST, SECOND])
    assert read_results(tmp_path / "results.json") == sorted([FIRST, SECOND], key=lambda one: one["key"])
    assert read_records(tmp_path) == {FIRST["key"]: FIRST, SECOND["key"]: SECOND}


def test_the_file_of_a_run_overrides_results_json(tmp_path: Path) -> None:
    write_results(tmp_path, [FIRST])
    write_record(tmp_path, {**FIRST, "accuracy": 0.25})
    assert read_records(tmp_path)[FIRST["key"]]["accuracy"] == 0.25


def test_the_csv_file_has_one_line_per_run(tmp_path: Path) -> None:
    write_results(tmp_path, [FIRST, SECOND])
    with (tmp_path / "results.csv").open(newline="") as file:
        lines = list(csv.DictReader(file))
    assert [(line["engine"], line["accuracy"], line["seed"]) for line in lines] == [
        ("grammar", "0.5", "1"),
        ("r5", "0.75", "0"),
    ]
    assert json.loads(lines[1]["settings"]) == {"preset": "paper"}
    assert json.loads(lines[1]["libraries"]) == {"numpy": "2.0"}


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("runs/a.json", "{}", "is not the record of a run"),
        ("runs/a.json", "[1]", "is not the record of a run"),
        ("runs/a.json", '{"key":', "is not valid JSON"),
        ("results.json", '{"format": 2, "runs": []}', "is not a results file of format 1"),
        ("results.json", "[]", "is not a results file"),
        ("results.json", '{"format": 1, "runs": [{}]}', "is not the record of a run"),
    ],
)
def test_invalid_results_are_errors_that_name_the_file(tmp_path: Path, name: str, content: str, words: str) -> None:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(content)
    with pytest.raises(DataError, match=words) as error:
        read_records(tmp_path)
    assert str(path) in str(error.value)
