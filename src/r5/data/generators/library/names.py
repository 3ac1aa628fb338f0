"""Names of the people, books and places of a library; the supply of distinct names is unlimited."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count, product

import numpy as np

from r5.data.generators.kinship.first_names import FIRST_NAMES

__all__ = ["COUNTRIES", "GENRES", "people", "places", "titles"]

COUNTRIES = ("Arvenia", "Belmark", "Corvia")
GENRES = ("adventure", "crime", "fantasy", "history", "poetry", "romance", "science", "travel")
_TOWNS = ("Ash", "Birch", "Cedar", "Elm", "Fern", "Hazel", "Linden", "Maple", "Oak", "Rowan", "Willow", "Yew")
_ENDINGS = ("bridge", "field", "ford", "haven", "mouth", "ton")
_SURNAMES = ("Abbot", "Baker", "Carter", "Dyer", "Fisher", "Glover", "Harper", "Mason", "Miller", "Potter", "Weaver")
_KINDS = ("Silent", "Golden", "Hidden", "Broken", "Distant", "Paper", "Winter", "Crooked", "Second", "Burning")
_THINGS = ("Harbour", "Garden", "Letter", "Mountain", "Mirror", "Orchard", "River", "Stair", "Tower", "Clock", "Bell")


def people(rng: np.random.Generator) -> Iterator[str]:
    """Yield full names in random order, each once."""
    first = sorted(name for names in FIRST_NAMES.values() for name in names)
    return _mixed(rng, [f"{one} {two}" for one, two in product(first, _SURNAMES)])


def titles(rng: np.random.Generator) -> Iterator[str]:
    """Yield titles of books."""
    return _mixed(rng, [f"The {kind} {thing}" for kind, thing in product(_KINDS, _THINGS)])


def places(rng: np.random.Generator) -> Iterator[str]:
    """Yield names of towns."""
    return _mixed(rng, [town + ending for town, ending in product(_TOWNS, _ENDINGS)])


def _mixed(rng: np.random.Generator, names: Sequence[str]) -> Iterator[str]:
    """Yield the names in random order, then repeat them with numbers."""
    order = rng.permutation(len(names)).tolist()
    for number in count(1):
        for place in order:
            yield names[place] if number == 1 else f"{names[place]} {number}"
