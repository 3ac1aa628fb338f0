"""`r5 generate`: what it writes can be read back."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

import r5
from tests.helpers.commands import run

SMALL_KINSHIP = ("--train", 30, "--valid", 5, "--test", 2, "--test-hops", "4-5")


SMALL_WORLD = ("--train", 30, "--valid", 5, "--test", 8)


@pytest.mark.parametrize("style", ["clutrr", "graphlog"])
@pytest.mark.parametrize(("kind", "small"), [("kinship", SMALL_KINSHIP), ("world", SMALL_WORLD)])
def test_generate_writes_what_load_reads(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, kind: str, small: Sequence[object], style: str
) -> None:
    out = tmp_path / "data"
    code, shown, log = run(capsys, "generate", kind, out, "--seed", 3, "--format", style, *small)
    assert (code, shown) == (0, f"{out}\n")
    assert "30 training, 5 validation" in log
    made = {
        "kinship": {"train": 30, "valid": 5, "test": 2, "test_hops": (4, 5)},
        "world": {"train": 30, "valid": 5, "test": 8},
    }[kind]
    again = r5.load(out)
    assert again.train == r5.load(kind, seed=3, **made).train
    assert again.rules is not None


def test_generate_picks_and_prints_a_seed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    _, _, log = run(capsys, "generate", "world", tmp_path / "one", *SMALL_WORLD)
    word, seed = log.splitlines()[0].split()
    assert word == "seed"
    run(capsys, "generate", "world", tmp_path / "two", "--seed", seed, *SMALL_WORLD)
    assert r5.load(tmp_path / "one").test == r5.load(tmp_path / "two").test


def test_generate_keeps_what_is_there_unless_forced(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = tmp_path / "data"
    run(capsys, "generate", "world", out, "--seed", 1, *SMALL_WORLD)
    before = (out / "test.jsonl").read_text()
    code, shown, log = run(capsys, "generate", "world", out, "--seed", 2, *SMALL_WORLD)
    assert (code, shown) == (2, "")
    assert "there already" in log
    assert (out / "test.jsonl").read_text() == before
    assert run(capsys, "generate", "world", out, "--seed", 2, "--force", *SMALL_WORLD)[0] == 0
    assert (out / "test.jsonl").read_text() != before
