"""Colours of relations: one for a relation everywhere, readable on light and dark paper."""

from __future__ import annotations

import pytest

from r5.derivations.relation_colours import COLOURS, colour_number
from r5.relations import inverse_name


def luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("light, dark", COLOURS)
def test_text_in_each_colour_is_readable(light: str, dark: str) -> None:
    assert min(contrast(light, paper) for paper in ("#ffffff", "#f7f7f5")) >= 4.5
    assert min(contrast(dark, paper) for paper in ("#11151b", "#14161c", "#181e26")) >= 4.5


def test_a_relation_and_its_inverse_share_a_colour() -> None:
    for name in ("mother", "born in", "Größe", ""):
        assert colour_number(name) == colour_number(inverse_name(name))


def test_relations_spread_over_all_colours() -> None:
    assert {colour_number(f"R_{number}") for number in range(100)} == set(range(len(COLOURS)))
