"""Properties of entities told by others, as its definition says."""

from __future__ import annotations

from fractions import Fraction


def regression(has: list[set[int]], wanted: int, most: int, ridge: int) -> dict[int, Fraction]:
    """The properties that tell one, and their weights; `has` are the properties of each entity.

    They go with it most often for how usual they are, and the weights make the squares of what is left least, the
    squares of the weights counted `ridge` times.
    """
    together = {
        other: sum({wanted, other} <= own for own in has) for other in sorted(set().union(*has)) if other != wanted
    }
    usual = {other: sum(other in own for own in has) for other in together}
    likeness = {other: Fraction(both * both, usual[other]) for other, both in together.items() if both}
    chosen = sorted(likeness, key=lambda other: (-likeness[other], other))[:most]
    rows = [
        [Fraction(sum({one, other} <= own for own in has) + (ridge if one == other else 0)) for other in chosen]
        + [Fraction(together[one])]
        for one in chosen
    ]
    for place in range(len(chosen)):  # Gauss and Jordan
        rows[place] = [value / rows[place][place] for value in rows[place]]
        for other in range(len(chosen)):
            if other != place:
                rows[other] = [x - rows[other][place] * y for x, y in zip(rows[other], rows[place], strict=True)]
    return {one: row[-1] for one, row in zip(chosen, rows, strict=True)}
