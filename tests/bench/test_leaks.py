"""The table of encoders that find the answer in what they read, from made-up figures."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from r5.bench.leaks import LEAKING, leak_table, read_leaks
from r5.errors import DataError
from tests.helpers.records import EXPERIMENTS, records_of

LEAKS = [{"system": "CNN_s", "seed": 0, "by_length": {"5": 0.995, "10": 0.9}}]


def test_the_published_figure_the_leak_and_an_honest_run_one_below_the_other() -> None:
    lengths = {"5": {"n": 10, "accuracy": 0.8}, "10": {"n": 10, "accuracy": 0.25}}
    records = records_of(LEAKING, "CNN_s", "data_db9b8f04", [0.5, 0.5], by_length=lengths)
    assert leak_table(EXPERIMENTS[LEAKING], LEAKS, records).splitlines() == [
        "| system |  | 5 hops | 6 hops | 7 hops | 8 hops | 9 hops | 10 hops |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
        "| CNN_s | published | 1.000 | 1.000 | .980 | .950 | .930 | .920 |",
        "| CNN_s | **the answer in its input** | .995 |  |  |  |  | .900 |",
        "| CNN_s | reads the story, the pair apart | .800 |  |  |  |  | .250 |",
    ]


def test_what_was_kept_is_read_and_anything_else_refused(tmp_path: Path) -> None:
    path = tmp_path / "kept.json"
    path.write_text(json.dumps(LEAKS))
    assert read_leaks(path) == LEAKS
    path.write_text('[{"system": "CNN_s"}]')
    with pytest.raises(DataError, match="is not a list of runs with system, seed, by_length"):
        read_leaks(path)
