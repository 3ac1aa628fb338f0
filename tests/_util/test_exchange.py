"""Two folders swap places, or nothing happens."""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path

import pytest

from r5._util.exchange import exchange


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
    if not exchange(*two):
        pytest.skip("this disk cannot swap two folders")
    assert (holds(two[0]), holds(two[1])) == (["two"], ["one"])


def test_what_is_not_there_is_not_swapped(two: tuple[Path, Path]) -> None:
    assert not exchange(two[0], two[0].with_name("three"))
    assert holds(two[0]) == ["one"]


def test_systems_without_it_say_so(two: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ctypes, "CDLL", lambda name: object())
    assert not exchange(*two)
    monkeypatch.setattr(sys, "platform", "plan9")
    assert not exchange(*two)
    assert holds(two[0]) == ["one"]
