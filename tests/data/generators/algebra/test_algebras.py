"""The computed composition tables beside those that were published."""

from __future__ import annotations

import pytest

from r5.data.generators.algebra.algebras import Algebra, directions, intervals, named_algebra, points, regions
from r5.errors import R5Error

ORDER = ("DC", "EC", "PO", "TPP", "NTPP", "TPPI", "NTPPI", "EQ")
ALL = " ".join(ORDER)
PART = "DC EC PO TPP NTPP"
WHOLE = "DC EC PO TPPI NTPPI"
PUBLISHED = {
    "DC": (ALL, PART, PART, PART, PART, "DC", "DC", "DC"),
    "EC": (WHOLE, "DC EC PO TPP TPPI EQ", PART, "EC PO TPP NTPP", "PO TPP NTPP", "DC EC", "DC", "EC"),
    "PO": (WHOLE, WHOLE, ALL, "PO TPP NTPP", "PO TPP NTPP", WHOLE, WHOLE, "PO"),
    "TPP": ("DC", "DC EC", PART, "TPP NTPP", "NTPP", "DC EC PO TPP TPPI EQ", WHOLE, "TPP"),
    "NTPP": ("DC", "DC", PART, "NTPP", "NTPP", PART, ALL, "NTPP"),
    "TPPI": (
        WHOLE,
        "EC PO TPPI NTPPI",
        "PO TPPI NTPPI",
        "PO TPP TPPI EQ",
        "PO TPP NTPP",
        "TPPI NTPPI",
        "NTPPI",
        "TPPI",
    ),
    "NTPPI": (
        *(WHOLE, "PO TPPI NTPPI", "PO TPPI NTPPI", "PO TPPI NTPPI"),
        *("PO TPP NTPP TPPI NTPPI EQ", "NTPPI", "NTPPI", "NTPPI"),
    ),
    "EQ": ORDER,
}
"""Cohn, Bennett, Gooday and Gotts (1997), typed by hand."""


@pytest.mark.parametrize("first", ORDER)
def test_rcc8_is_the_published_table(first: str) -> None:
    for second, published in zip(ORDER, PUBLISHED[first], strict=True):
        assert set(regions().compose(first, second)) == set(published.split())


def test_intervals_have_allens_compositions() -> None:
    algebra = intervals()
    assert len(algebra.names) == 13
    assert int(algebra.table.sum()) == 409
    assert algebra.compose("o", "d") == ("o", "s", "d")
    assert set(algebra.compose("<", ">")) == set(algebra.names)
    assert algebra.compose("m", "m") == ("<",)


def test_point_and_direction_algebras_have_their_published_sizes() -> None:
    assert int(points().table.sum()) == 13
    assert int(directions().table.sum()) == 13**2
    assert directions().compose("n", "e") == ("ne",)


@pytest.mark.parametrize("name", ["rcc8", "interval", "point", "directions"])
def test_each_has_an_identity_and_is_closed_under_converses(name: str) -> None:
    algebra = named_algebra(name)
    same = next(n for n in ("EQ", "=", "eq") if n in algebra.names)
    for relation in algebra.names:
        assert algebra.compose(same, relation) == algebra.compose(relation, same) == (relation,)
        assert sum(same in algebra.compose(relation, other) for other in algebra.names) == 1


def test_algebra_is_read_from_a_table() -> None:
    algebra = Algebra.of({("up", "up"): ["up"], ("up", "down"): ["up", "down"]})
    assert algebra.compose("up", "up") == ("up",)
    assert algebra.compose("down", "down") == ("down", "up")
    with pytest.raises(R5Error, match="compose to nothing"):
        Algebra.of({("up", "up"): []})
    with pytest.raises(R5Error, match="no algebra is called 'rcc5'"):
        named_algebra("rcc5")
