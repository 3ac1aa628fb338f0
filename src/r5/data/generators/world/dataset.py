"""Generated logical worlds with known rules, similar to GraphLog and to the paper's Re 0 to 2."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import cycle, islice

import numpy as np

from r5.data.builder import DatasetBuilder
from r5.data.generators.options import evenly, lengths_of, number_of, rate_of
from r5.data.generators.world.descriptors import Descriptors
from r5.data.generators.world.graphs import Confusion, GraphDrawer
from r5.data.generators.world.rules import draw_rules
from r5.dataset import SPLITS, Dataset
from r5.errors import R5Error
from r5.rules.ruleset import RuleSet

__all__ = ["generate_world"]

_DRAWS = 20
"""Maximum number of rule sets drawn in search of one that reaches all lengths."""
_FIRST = ("train", "test", "valid")
"""Priority of the splits if there are fewer relation sequences than splits."""


def generate_world(
    *,
    seed: int = 0,
    relations: int = 10,
    rules: int | RuleSet = 20,
    inverses: float = 0.5,
    train: int = 1000,
    valid: int = 100,
    test: int = 200,
    train_lengths: Iterable[int] | int = (2, 3, 4, 5),
    valid_lengths: Iterable[int] | int | None = None,
    test_lengths: Iterable[int] | int = (3, 4, 5, 6, 7, 8),
    sequences: int | None = None,
    side_edges: float = 4.0,
    wrong_edges: float = 0.0,
    systematic: bool = True,
    ambiguous: bool = False,
) -> Dataset:
    """Generate graphs in which the rules resolve the shortest path between two nodes to the answer.

    The rules expand a relation, the answer, to a relation sequence, the descriptor. No descriptor is in two splits;
    if there are fewer descriptors of a length than examples, they recur in other graphs. Descriptors of length 2 are
    the rules themselves, and by default only training has them.

    Args:
        seed: Random seed.
        relations: Number of relations without their inverses.
        rules: Number of rules to draw, or the rules themselves.
        inverses: Share of the relations that have an inverse.
        train: Number of training examples.
        valid: Number of validation examples.
        test: Number of test examples.
        train_lengths: Descriptor lengths of training.
        valid_lengths: Descriptor lengths of validation; by default those of training without the shortest.
        test_lengths: Descriptor lengths of test.
        sequences: Maximum number of descriptors per length.
        side_edges: Mean number of edges beside the path.
        wrong_edges: Probability that an edge carries a wrong relation.
        systematic: Each relation has preferred wrong relations, as in Re 0 to 2; otherwise they are uniform.
        ambiguous: Include descriptors that the rules resolve to different answers.

    Returns:
        A data set with its ground-truth rules.

    Raises:
        R5Error: An option is invalid, or the rules give too few descriptors.

    >>> data = generate_world(train=40, valid=6, test=6)
    >>> len(data.train), data.test.hops.tolist(), len(data.rules.with_body_of(2))
    (40, [3, 4, 5, 6, 7, 8], 20)

    """
    counts = {"train": number_of("train", train), "valid": number_of("valid", valid), "test": number_of("test", test)}
    learned = lengths_of("train_lengths", train_lengths)
    lengths = {
        "train": learned,
        "valid": learned[1:] or learned if valid_lengths is None else lengths_of("valid_lengths", valid_lengths),
        "test": lengths_of("test_lengths", test_lengths),
    }
    most = None if sequences is None else number_of("sequences", sequences, 1)
    rule_rng, pool_rng, confusion_rng, *split_rngs = (
        np.random.default_rng([number_of("seed", seed), stream]) for stream in range(3 + len(SPLITS))
    )
    if not isinstance(rules, RuleSet):
        rules = _fitting_rules(rule_rng, relations, rules, inverses, sorted(set().union(*lengths.values())))
    descriptors = Descriptors(rules)
    rate = rate_of("wrong_edges", wrong_edges, below=1)
    confusion = Confusion(len(descriptors.names), rate, systematic, confusion_rng)
    drawer = GraphDrawer(descriptors.names, rate_of("side_edges", side_edges, most=1000), confusion)
    shares = _share(descriptors, _wanted(counts, lengths), most, ambiguous, pool_rng)
    builder = DatasetBuilder("world")
    for split, rng in zip(SPLITS, split_rngs, strict=True):
        for pool, size in zip(shares[split], evenly(counts[split], len(shares[split])), strict=True):
            for descriptor in islice(cycle(pool), size):
                answers = descriptors.answers(descriptor)
                builder.add(split, drawer.row(descriptor, answers[rng.integers(len(answers))], rng))
    return builder.build(rules)


def _fitting_rules(
    rng: np.random.Generator, relations: int, rules: int, inverses: float, lengths: Sequence[int]
) -> RuleSet:
    """Draw rule sets until one reaches all lengths; return the last one after `_DRAWS` attempts."""
    relations = number_of("relations", relations, 2, 1000)
    rules = number_of("rules", rules, 1)
    inverse_pairs = round(rate_of("inverses", inverses) * relations)
    for _ in range(_DRAWS):
        drawn = draw_rules(rng, relations=relations, rules=rules, inverses=inverse_pairs)
        found = Descriptors(drawn)
        if all(any(found.trees(length)) for length in lengths):
            break
    return drawn


def _wanted(counts: Mapping[str, int], lengths: Mapping[str, Sequence[int]]) -> dict[str, dict[int, int]]:
    """Return the requested number of examples by split and length."""
    wanted = {}
    for split in SPLITS:
        sizes = zip(lengths[split], evenly(counts[split], len(lengths[split])), strict=True)
        wanted[split] = {length: size for length, size in sizes if size}
    return wanted


def _share(
    descriptors: Descriptors,
    wanted: Mapping[str, Mapping[int, int]],
    most: int | None,
    ambiguous: bool,
    rng: np.random.Generator,
) -> dict[str, list[list[tuple[int, ...]]]]:
    """Distribute descriptors over the splits, length by length; a split without any is an error."""
    shares: dict[str, list[list[tuple[int, ...]]]] = {split: [] for split in SPLITS}
    found = 0
    for length in sorted(set().union(*wanted.values())):
        claims = {split: wanted[split][length] for split in _FIRST if length in wanted[split]}
        total = sum(claims.values())
        pool = descriptors.some(length, total if most is None else min(total, most), rng, ambiguous)
        found += len(pool)
        start = 0
        for split, size in _divide(len(pool), claims).items():
            shares[split].append(pool[start : start + size])
            start += size
    for split in _FIRST:
        if wanted[split] and not shares[split]:
            tried = ", ".join(map(str, wanted[split]))
            raise R5Error(
                f"no relation sequence of length {tried} is left for the split {split}: the rules give {found} of the "
                "requested lengths; set more relations and rules, more lengths, or ambiguous"
            )
    return shares


def _divide(items: int, claims: Mapping[str, int]) -> dict[str, int]:
    """Divide items: one per claimant while they last, the rest in proportion to the claims."""
    sizes = dict.fromkeys(list(claims)[:items], 1)
    rest, total = items - len(sizes), sum(claims.values())
    for claimant in sizes:
        sizes[claimant] += rest * claims[claimant] // total
    if sizes:
        sizes[next(iter(sizes))] += items - sum(sizes.values())
    return sizes
