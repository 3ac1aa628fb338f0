"""Two folders swap atomically, or nothing happens."""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path

import pytest

from r5._util.files.swap import swap_paths


@pytest.fixture
def two(tmp_path: Path) -> tuple[Path, Path]:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / name).touch()
    return tmp_path / "one", tmp_path / "two"


def holds(folder: Path) -> list[str]:
    return [entry.name for entry in folder.iterdir()]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux is asked for it")
def test_folders_swap_places(two: tuple[Path, Path]) -> None:
    if not swap_paths(*two):
        pytest.skip("this disk cannot swap two folders")
    assert (holds(two[0]), holds(two[1])) == (["two"], ["one"])


def test_a_missing_path_is_not_swapped(two: tuple[Path, Path]) -> None:
    assert not swap_paths(two[0], two[0].with_name("three"))
    assert holds(two[0]) == ["one"]


def test_systems_without_the_call_return_false(two: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ctypes, "CDLL", lambda name: object())
    assert not swap_paths(*two)
    monkeypatch.setattr(sys, "platform", "plan9")
    assert not swap_paths(*two)
    assert holds(two[0]) == ["one"]
