"""`r5 rank`: metrics and warnings, with an engine whose ranks are known."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.answering.test_complete import run
from tests.helpers.completing import StandIn


@pytest.fixture
def placed(monkeypatch: pytest.MonkeyPatch) -> StandIn:
    found = StandIn()
    monkeypatch.setattr("r5.cli.common.models.load_prepared", lambda path, command, quiet=False: found)
    return found


@pytest.fixture
def data(tmp_path: Path) -> Path:
    (tmp_path / "train.txt").write_text("Ann mother Eve\nTom mother Eve\n")
    (tmp_path / "test.txt").write_text("Ann mother Eve\nSue mother Eve\nTom aunt Eve\n")
    return tmp_path


def test_json_has_the_keys_of_the_contract(placed: StandIn, data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("rank", "m", str(data), "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert list(found) == ["mrr", "hits", "n", "ties", "both_sides", "by_relation", "by_direction", "seconds", "graph"]
    assert found["mrr"] == pytest.approx((1 / 2 + 1 / 4) / 2)
    assert found["hits"] == {"1": 0.0, "3": 0.5, "10": 1.0}
    assert (found["n"], found["ties"], found["both_sides"]) == (6, "realistic", True)
    assert found["by_relation"]["aunt"]["n"] == 2
    assert found["by_direction"]["head"]["mrr"] == 0.25
    assert run("rank", "m", str(data), "--json", "--ties", "optimistic") == 0
    assert json.loads(capsys.readouterr().out)["hits"]["1"] == 0.5
    assert len(placed.known) == 3  # the training graph, valid and test


def test_the_table_and_the_warnings(placed: StandIn, data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("rank", "m", str(data)) == 0
    shown = capsys.readouterr()
    assert shown.out.splitlines()[1].split() == ["all", "6", "0.375", "0.000", "0.500", "1.000"]
    assert "1 of 3 facts of test are in the graph" in shown.err
    assert "1 entities of test, in 1 of 3 facts, have no edge in the graph" in shown.err


def test_invalid_data_is_an_error(placed: StandIn, data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("rank", "m", str(data), "--split", "valid") == 2
    assert "the valid split has no facts" in capsys.readouterr().err
    assert run("rank", "m", "kinship", "--load", "train=3", "--load", "valid=1", "--load", "test=1") == 2
    assert "do not share one graph" in capsys.readouterr().err
    assert run("rank", "m", str(data), "--ties", "lucky") == 2
