"""Ridge regression of a property of entities on others, in exact arithmetic."""

from __future__ import annotations

from fractions import Fraction


def regression(has: list[set[int]], response: int, limit: int, ridge: int) -> dict[int, Fraction]:
    """Return the predictors of a property and their weights.

    The weights minimise the squared error plus `ridge` times the squared weights.

    Args:
        has: Properties of each entity.
        response: The property to predict.
        limit: Maximum number of predictors: those with the largest count(both) ** 2 / count(predictor).
        ridge: L2 penalty.
    """
    together = {
        other: sum({response, other} <= own for own in has) for other in sorted(set().union(*has)) if other != response
    }
    counts = {other: sum(other in own for own in has) for other in together}
    similarity = {other: Fraction(both * both, counts[other]) for other, both in together.items() if both}
    chosen = sorted(similarity, key=lambda other: (-similarity[other], other))[:limit]
    rows = [
        [Fraction(sum({one, other} <= own for own in has) + (ridge if one == other else 0)) for other in chosen]
        + [Fraction(together[one])]
        for one in chosen
    ]
    for place in range(len(chosen)):  # Gauss-Jordan elimination
        rows[place] = [value / rows[place][place] for value in rows[place]]
        for other in range(len(chosen)):
            if other != place:
                rows[other] = [x - rows[other][place] * y for x, y in zip(rows[other], rows[place], strict=True)]
    return {one: row[-1] for one, row in zip(chosen, rows, strict=True)}
