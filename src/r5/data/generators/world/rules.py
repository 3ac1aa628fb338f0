"""Random rules of a logical world, similar to GraphLog."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from r5.errors import R5Error
from r5.rules.ruleset import Rule, RuleSet

__all__ = ["draw_rules"]


def draw_rules(rng: np.random.Generator, *, relations: int = 10, rules: int = 20, inverses: int = 5) -> RuleSet:
    """Draw consistent rules over relations `R_0_+`, `R_1_+`, ..., some with an inverse `R_0_-`, ...

    Each body has one head, which does not occur in the body. The inverse of a rule (`c- <= b-, a-` for
    `c+ <= a+, b+`) is consistent with it. A rule `R_0_- <= R_0_+` declares an inverse.

    Args:
        rng: Random generator.
        relations: Number of relations without their inverses.
        rules: Number of rules with two relations in the body.
        inverses: Number of relations that have an inverse.

    Raises:
        R5Error: The relations allow fewer rules.

    >>> print(*draw_rules(np.random.default_rng(0), relations=3, rules=2, inverses=1), sep="; ")
    R_2_- <= R_2_+; R_2_+ <= R_1_+, R_1_+; R_1_+ <= R_2_+, R_0_+

    """
    invertible = sorted(rng.choice(relations, inverses, replace=False).tolist())
    found = [Rule(f"R_{number}_-", (f"R_{number}_+",)) for number in invertible]
    for rule in _binary_rules(rng, relations, invertible):
        if len(found) == inverses + rules:
            break
        found.append(rule)
    if len(found) < inverses + rules:
        raise R5Error(
            f"{relations} relations, {inverses} of them with an inverse, allow at most {len(found) - inverses} rules, "
            f"not {rules}; set more relations"
        )
    return RuleSet.of(found)


def _binary_rules(rng: np.random.Generator, relations: int, invertible: Sequence[int]) -> Iterator[Rule]:
    """Yield one rule per body in random order; rules over inverse relations are inverses of other rules."""
    heads: dict[tuple[int, int], int | None] = {}
    plain = relations**2
    for number in rng.permutation(plain + len(invertible) ** 2).tolist():
        if number < plain:
            body = divmod(number, relations)
        else:
            left, right = divmod(number - plain, len(invertible))
            body = invertible[left], invertible[right]
        if body not in heads:
            heads[body] = _draw_head(rng, body, relations, invertible)
        head = heads[body]
        if head is None:
            continue
        if number < plain:
            yield Rule(f"R_{head}_+", (f"R_{body[0]}_+", f"R_{body[1]}_+"))
        elif head in invertible:
            yield Rule(f"R_{head}_-", (f"R_{body[1]}_-", f"R_{body[0]}_-"))


def _draw_head(
    rng: np.random.Generator, body: tuple[int, int], relations: int, invertible: Sequence[int]
) -> int | None:
    """Draw a head outside the body; prefer an invertible relation if both body relations are invertible."""
    heads = [head for head in invertible if head not in body] if set(body) <= set(invertible) else []
    heads = heads or [head for head in range(relations) if head not in body]
    return heads[rng.integers(len(heads))] if heads else None
