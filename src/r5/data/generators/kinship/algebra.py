"""The algebra of kinship: twenty relations, and which pair of them adds up to which.

A relation says who the target is to the source: `(Ann, mother, Eve)` reads "Ann's mother is Eve".
Conventions: children have two married parents, all siblings are full ones, nobody marries twice,
and nobody marries kin, by blood or by marriage. People and marriages then form a tree, and how
two people are related is the one way through it, spelt in four steps: up to a parent, down to a
child, across to a sibling, over to the spouse.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import product
from types import MappingProxyType
from typing import Literal

from r5.errors import R5Error
from r5.rules.ruleset import Rule, RuleSet

__all__ = ["EDGE_RELATIONS", "RELATIONS", "Kin", "Sex", "compose", "composition_rules", "positions"]

Sex = Literal["male", "female"]


@dataclass(frozen=True, slots=True)
class Kin:
    """What a relation means: the steps from source to target, and the target's sex."""

    steps: str
    """p: to a parent, c: to a child, s: to a sibling, m: to the spouse (married)."""
    sex: Sex


def _relations() -> Iterator[tuple[str, Kin]]:
    """The twenty relations of CLUTRR."""
    for steps, male, female in (
        ("p", "father", "mother"),
        ("c", "son", "daughter"),
        ("s", "brother", "sister"),
        ("m", "husband", "wife"),
        ("pp", "grandfather", "grandmother"),
        ("cc", "grandson", "granddaughter"),
        ("ps", "uncle", "aunt"),
        ("sc", "nephew", "niece"),
        ("mp", "father-in-law", "mother-in-law"),
        ("cm", "son-in-law", "daughter-in-law"),
    ):
        yield male, Kin(steps, "male")
        yield female, Kin(steps, "female")


RELATIONS: Mapping[str, Kin] = MappingProxyType(dict(_relations()))
"""The relations by name."""

EDGE_RELATIONS = tuple(name for name, kin in RELATIONS.items() if kin.steps not in ("sc", "mp", "cm"))
"""The fourteen that stories tell, as in CLUTRR; the other six are only ever answers or come up on the way."""

_NAMES = {kin: name for name, kin in RELATIONS.items()}

_MERGES = {
    # Two steps through the same marriage are one, or (the empty string) lead back to where they began.
    "pc": ("s", ""),
    "pm": ("p",),
    "sp": ("p",),
    "ss": ("s", ""),
    "cp": ("m", ""),
    "cs": ("c",),
    "mc": ("c",),
    "mm": ("",),
}


@cache
def positions(steps: str) -> frozenset[str]:
    """Who can stand at the end of a walk of such steps, each as the direct way to them.

    >>> sorted(positions("ppc"))  # a grandparent's child is a parent, or a parent's sibling
    ['p', 'ps']
    """
    for place in range(len(steps) - 1):
        if (pair := steps[place : place + 2]) in _MERGES:
            before, after = steps[:place], steps[place + 2 :]
            return frozenset().union(*(positions(before + merged + after) for merged in _MERGES[pair]))
    return frozenset([steps])


def compose(first: str, second: str) -> str | None:
    """The relation that `first` and then `second` always is between two people; None where there is no such.

    >>> compose("father", "mother"), compose("mother", "son"), compose("grandmother", "son")
    ('grandmother', 'brother', None)
    """
    for name in (first, second):
        if name not in RELATIONS:
            raise R5Error(f"unknown relation {name!r}; expected one of {', '.join(RELATIONS)}")
    left, right = RELATIONS[first], RELATIONS[second]
    if right.steps == "m" and left.sex == right.sex:
        return None  # a father has no husband
    ends = positions(left.steps + right.steps) - {""}
    return _NAMES.get(Kin(min(ends), right.sex)) if len(ends) == 1 else None


def composition_rules() -> RuleSet:
    """All rules `head <= first, second` that hold in every family and can be of use.

    Left out are those that go over a marriage and back, such as `father <= husband, father-in-law`:
    the way from a husband to his father-in-law leads through his wife, so that a chain on which
    nobody comes twice never needs them.

    >>> rules = composition_rules()
    >>> len(rules), rules.heads("sister", "daughter"), rules.heads("husband", "father-in-law")
    (92, ('niece',), ())
    """
    return RuleSet.of(
        Rule(head, (first, second))
        for first, second in product(RELATIONS, repeat=2)
        if (head := compose(first, second)) is not None
        and not (RELATIONS[first].steps.endswith("m") and RELATIONS[second].steps.startswith("m"))
    )
