"""Parsing of integers and options of the command line."""

from __future__ import annotations

import pytest

from r5.cli.common.console import parse_integers, parse_options
from r5.errors import R5Error


def test_integers_and_options_are_parsed() -> None:
    assert parse_integers("7") == (7,)
    assert parse_integers("3-1") == ()
    with pytest.raises(R5Error, match="more than 1,000"):
        parse_integers("1-100000")
    assert parse_options(["name=1e5x", "many=[1,2]"]) == {"name": "1e5x", "many": [1, 2]}
