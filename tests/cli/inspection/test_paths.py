"""`r5 paths`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.helpers.commands import run


def test_paths_lists_relations_and_entities(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    family = tmp_path / "family.tsv"
    family.write_text("Ann\tmother\tEve\nEve\tbrother\tTom\nAnn\tuncle\tTom\n")
    code, shown, _ = run(capsys, "paths", family, "--split", "train", "--index", 2)
    assert code == 0
    assert shown == "Ann -> Tom: uncle\n  Ann -mother-> Eve -brother-> Tom\n"
    found = json.loads(run(capsys, "paths", family, "--split", "train", "--index", 2, "--json")[1])
    assert found["paths"] == [{"relations": ["mother", "brother"], "entities": ["Ann", "Eve", "Tom"]}]
    assert found["complete"] is True
    assert run(capsys, "paths", family, "--split", "train")[1].endswith("no path\n")
