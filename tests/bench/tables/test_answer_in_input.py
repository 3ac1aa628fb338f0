"""Table of story encoders whose input contains the answer, from synthetic figures."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from r5.bench.tables.answer_in_input import STORY_EXPERIMENT, answer_in_input_table, read_answer_in_input
from r5.errors import DataError
from tests.helpers.records import EXPERIMENTS, records_of

LEAKS = [{"system": "CNN_s", "seed": 0, "by_length": {"5": 0.995, "10": 0.9}}]


def test_each_encoder_has_published_leaking_and_clean_rows() -> None:
    lengths = {"5": {"n": 10, "accuracy": 0.8}, "10": {"n": 10, "accuracy": 0.25}}
    records = records_of(STORY_EXPERIMENT, "CNN_s", "data_db9b8f04", [0.5, 0.5], by_length=lengths)
    assert answer_in_input_table(EXPERIMENTS[STORY_EXPERIMENT], LEAKS, records).splitlines() == [
        "| system |  | 5 hops | 6 hops | 7 hops | 8 hops | 9 hops | 10 hops |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
        "| CNN_s | published | 1.000 | 1.000 | .980 | .950 | .930 | .920 |",
        "| CNN_s | **the answer in its input** | .995 |  |  |  |  | .900 |",
        "| CNN_s | reads the story, the pair apart | .800 |  |  |  |  | .250 |",
    ]


def test_other_content_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "kept.json"
    path.write_text(json.dumps(LEAKS))
    assert read_answer_in_input(path) == LEAKS
    path.write_text('[{"system": "CNN_s"}]')
    with pytest.raises(DataError, match="is not a list of runs with system, seed, by_length"):
        read_answer_in_input(path)
