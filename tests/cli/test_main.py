"""Program `r5`: messages and exit codes."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path

import pytest

import r5
from r5.cli.main import _warning_printer
from tests.helpers.commands import run


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("describe", "nothing-here"), "nothing-here"),
        (("describe", "kinship", "--load", "trian=3"), "trian"),
        (("describe", "kinship", "--load", "train"), "expected key=value"),
        (("paths", "kinship", "--split", "dev"), "'dev' is not one of 'train', 'valid', 'test'. (see r5 paths --help)"),
        (("paths", "kinship", "--index", "100000"), "there is no example 100000"),
        (("paths", "kinship", "--policy", "longest"), "longest"),
        (("generate", "kinship", "OUT", "--test-hops", "4..6"), "expected whole numbers like 2,3 or 4-10"),
        (("generate", "kinship", "OUT", "--test-hops", "1"), "test_hops"),
        (("generate", "kinship", "OUT", "--noise", "loud"), "loud"),
        (("generate", "world", "OUT", "--format", "xml"), "'xml' is not one of 'clutrr', 'graphlog'"),
        (("generate", "world", "OUT", "--wrong-edges", "2"), "wrong_edges"),
        (("generate", "world", "OUT", "--train", "-1"), "greater than or equal to 0 (see r5 generate world --help)"),
        (("generate", "moon", "OUT"), "moon"),
        (("fly",), "fly"),
    ],
)
def test_wrong_arguments_are_one_message_with_exit_code_2(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, arguments: Sequence[str], words: str
) -> None:
    out = tmp_path / "out"
    code, shown, log = run(capsys, *(out if word == "OUT" else word for word in arguments))
    assert (code, shown) == (2, "")
    *choose_seed, message = log.splitlines()
    assert words in message
    assert message.startswith("r5: ")
    assert len(choose_seed) <= 1
    assert not out.exists()


def test_invalid_files_are_errors_with_file_and_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    bad = tmp_path / "bad.tsv"
    bad.write_text("a\tr\tb\na\tb\n")
    assert run(capsys, "describe", bad)[2].startswith(f"r5: {bad}:2: ")
    bad.write_bytes(b"\x00\xff\x13")
    assert run(capsys, "describe", bad)[0] == 2
    (tmp_path / "empty").mkdir()
    assert run(capsys, "describe", tmp_path / "empty")[0] == 2


def test_version_and_help_exit_with_code_0(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "--version")[1] == f"r5 {r5.__version__}\n"
    code, shown, _ = run(capsys, "--help")
    assert code == 0
    assert "generate" in shown
    assert run(capsys)[:2] == (0, shown)


def test_a_repeated_warning_is_printed_once(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Python alone would print it once per line of code."""
    monkeypatch.setattr(warnings, "showwarning", _warning_printer())
    for _ in range(2):
        warnings.showwarning(UserWarning("this takes\nlong"), UserWarning, "", 1)
    assert capsys.readouterr().err == "r5: warning: this takes long\n"
