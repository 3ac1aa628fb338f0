"""First names of the people in generated families, by sex."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from r5.data.generators.kinship.algebra import Sex
from r5.errors import R5Error

__all__ = ["FIRST_NAMES", "gender_of"]

_MALE = """
Adam Alan Albert Andrew Anthony Arthur Ben Brian Carl Charles Christian Daniel David Dennis Edward Eric Ernest Felix
Francis Frank Fred Gary George Gerald Gordon Harold Harry Henry Herbert Howard Hugo Ivan Jack Jacob James Jason John
Joseph Keith Kenneth Kevin Larry Leo Lewis Louis Luke Mark Martin Max Michael Nathan Nicholas Oliver Oscar Patrick
Paul Peter Philip Ralph Raymond Richard Robert Roger Ronald Samuel Scott Simon Stephen Theodore Thomas Timothy Tom
Victor Vincent Walter William
"""

_FEMALE = """
Agnes Alice Amanda Amy Andrea Angela Anna Barbara Beatrice Betty Carol Catherine Charlotte Clara Christina Deborah
Diana Donna Dorothy Edith Eleanor Elizabeth Ella Emily Emma Esther Eva Evelyn Florence Gloria Grace Hannah Harriet
Helen Ida Irene Isabel Jane Janet Jennifer Jessica Joan Judith Julia Karen Katherine Laura Linda Lisa Lucy Margaret
Maria Martha Mary Megan Melissa Mildred Nancy Nora Olivia Pamela Patricia Rachel Rebecca Rita Rose Ruth Sandra Sarah
Sharon Sophia Stella Susan Sylvia Teresa Ursula Vera Victoria Virginia Wendy
"""

FIRST_NAMES: Mapping[Sex, tuple[str, ...]] = MappingProxyType(
    {"male": tuple(_MALE.split()), "female": tuple(_FEMALE.split())}
)
"""Names by sex; the lists are disjoint."""


def gender_of(name: str) -> Sex:
    """Return the sex of a person in a generated family by the first name, with or without a number.

    >>> gender_of("Alice"), gender_of("Oscar2")
    ('female', 'male')
    """
    plain = re.sub(r"\d+$", "", name)
    for sex, names in FIRST_NAMES.items():
        if plain in names:
            return sex
    raise R5Error(f"{name!r} is not a first name of the generated families")
