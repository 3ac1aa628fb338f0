"""Options of the generators: what is right passes, what is wrong is said."""

from __future__ import annotations

import numpy as np
import pytest

from r5.data.generators.options import evenly, lengths_of, number_of, rate_of
from r5.errors import R5Error


def test_invalid_numbers_are_refused() -> None:
    assert number_of("n", np.int64(3)) == 3
    for wrong in (-1, 1.0, True, "3", None):
        with pytest.raises(R5Error, match="n must be a whole number of at least 0"):
            number_of("n", wrong)
    with pytest.raises(R5Error, match="n must be a whole number from 2 to 4, not 5"):
        number_of("n", 5, 2, 4)


def test_invalid_rates_are_refused() -> None:
    assert rate_of("r", 1) == 1.0
    assert rate_of("r", 7, most=9) == 7.0
    for wrong in (-0.1, 1.0, float("nan"), True, "0.5", None):
        with pytest.raises(R5Error, match="r must be a number from 0 to less than 1"):
            rate_of("r", wrong, below=1)
    with pytest.raises(R5Error, match=r"r must be a number from 0 to 1, not 1\.5"):
        rate_of("r", 1.5)


def test_invalid_lengths_are_refused() -> None:
    assert lengths_of("k", 4) == (4,)
    assert lengths_of("k", [5, 2, 5]) == (2, 5)
    for wrong in ("2", [1], [101], [2, None], None):
        with pytest.raises(R5Error, match="each of k must be a whole number from 2 to 100"):
            lengths_of("k", wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(("total", "parts"), [(0, 3), (1, 3), (7, 3), (9, 3), (0, 0)])
def test_even_parts_differ_by_at_most_one(total: int, parts: int) -> None:
    sizes = evenly(total, parts)
    assert len(sizes) == parts and sum(sizes) == total
    assert max(sizes, default=0) - min(sizes, default=0) <= 1
