"""Parsing of integers and options of the command line."""

from __future__ import annotations

import os
import sys

import pytest

from r5.cli.common.console import log, parse_integers, parse_options
from r5.errors import R5Error


def test_integers_and_options_are_parsed() -> None:
    assert parse_integers("7") == (7,)
    assert parse_integers("3-1") == ()
    with pytest.raises(R5Error, match="more than 1,000"):
        parse_integers("1-100000")
    assert parse_options(["name=1e5x", "many=[1,2]"]) == {"name": "1e5x", "many": [1, 2]}


def test_the_log_is_broken_between_words_on_a_terminal_only(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    line = "held-out quality: " + "word " * 15 + "end"
    log(line)
    assert capsys.readouterr().err == f"{line}\n"
    monkeypatch.setattr("r5.cli.common.terminal.shutil.get_terminal_size", lambda: os.terminal_size((50, 24)))
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    log(line)
    shown = capsys.readouterr().err
    assert max(map(len, shown.splitlines())) <= 50
    assert shown.split() == line.split()
    log(line, wrap=False)
    assert capsys.readouterr().err == f"{line}\n"
