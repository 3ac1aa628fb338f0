"""Numbers and options as they are written on the command line."""

from __future__ import annotations

import pytest

from r5.cli.console import numbers, options
from r5.errors import R5Error


def test_numbers_and_options() -> None:
    assert numbers("7") == (7,)
    assert numbers("3-1") == ()
    with pytest.raises(R5Error, match="more than 1,000"):
        numbers("1-100000")
    assert options(["name=1e5x", "many=[1,2]"]) == {"name": "1e5x", "many": [1, 2]}
