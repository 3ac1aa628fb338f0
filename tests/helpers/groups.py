"""Groups as relations: a multiplication table is a set of rules with a known answer for every path."""

from __future__ import annotations

from itertools import permutations

import numpy as np

Table = list[list[int]]
Pairs = tuple[list[tuple[int, ...]], list[int]]


def cyclic(order: int) -> Table:
    return [[(a + b) % order for b in range(order)] for a in range(order)]


def symmetric() -> Table:
    """S3: composition of the permutations of three things."""
    members = list(permutations(range(3)))
    place = {member: number for number, member in enumerate(members)}
    return [[place[first[second[0]], first[second[1]], first[second[2]]] for second in members] for first in members]


def draw(table: Table, count: int, lengths: list[int], wrong: float, seed: int) -> Pairs:
    """Random paths and their products; each relation on a path is replaced by another with probability `wrong`."""
    rng = np.random.default_rng(seed)
    paths, labels = [], []
    order = len(table)
    for _ in range(count):
        path = rng.integers(0, order, rng.choice(lengths)).tolist()
        product = path[0]
        for member in path[1:]:
            product = table[product][member]
        shown = [(x + rng.integers(1, order)) % order if rng.random() < wrong else x for x in path]
        paths.append(tuple(int(x) for x in shown))
        labels.append(product)
    return paths, labels
