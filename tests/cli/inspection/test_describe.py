"""`r5 describe`."""

from __future__ import annotations

import json

import pytest

from tests.helpers.commands import run


def test_describe_prints_statistics(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("describe", "world", "--load", "train=20", "--load", "test=6")
    code, shown, _ = run(capsys, *arguments)
    assert code == 0
    assert "train                     20" in shown
    assert json.loads(run(capsys, *arguments, "--json")[1])["train"] == 20
