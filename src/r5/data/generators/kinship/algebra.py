"""Kinship algebra: twenty relations and their compositions.

`(Ann, mother, Eve)` reads "Ann's mother is Eve". Conventions: children have two married parents,
all siblings are full siblings, nobody marries twice, and nobody marries kin, by blood or by marriage.
People and marriages then form a tree. A relation is the unique path through it, spelt in four
steps: to a parent, to a child, to a sibling, to the spouse.
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
    """Meaning of a relation: steps from source to target, and the target's sex."""

    steps: str
    """p: to a parent, c: to a child, s: to a sibling, m: to the spouse (married)."""
    sex: Sex
    """Sex of the target."""


def _relations() -> Iterator[tuple[str, Kin]]:
    """Yield the twenty relations of CLUTRR."""
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
"""Relations by name."""

EDGE_RELATIONS = tuple(name for name, kin in RELATIONS.items() if kin.steps not in ("sc", "mp", "cm"))
"""The fourteen relations of edges, as in CLUTRR; the other six occur only as answers or intermediate results."""

_NAMES = {kin: name for name, kin in RELATIONS.items()}

_MERGES = {
    # Two steps through the same marriage merge to one step, or to none (the empty string).
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
    """Return the possible ends of a walk, each as the direct path to it.

    >>> sorted(positions("ppc"))  # a grandparent's child is a parent, or a parent's sibling
    ['p', 'ps']
    """
    for place in range(len(steps) - 1):
        if (pair := steps[place : place + 2]) in _MERGES:
            before, after = steps[:place], steps[place + 2 :]
            return frozenset().union(*(positions(before + merged + after) for merged in _MERGES[pair]))
    return frozenset([steps])


def compose(first: str, second: str) -> str | None:
    """Return the composition of two relations if it is unique.

    Args:
        first: Relation from the first person to the second.
        second: Relation from the second person to the third.

    Returns:
        The relation from the first person to the third; None if it is not unique or has no name.

    Raises:
        R5Error: A relation is unknown.

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
    """Return all rules `head <= first, second` that hold in every family and apply to simple paths.

    Rules that cross a marriage twice are left out, such as `father <= husband, father-in-law`: the path from a
    husband to his father-in-law contains his wife, so that the chain would visit her twice.

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
