"""Qualitative reasoning in space and time: generated queries that only several paths together decide."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from r5._util.files.reading import read_columns
from r5._util.signatures import bind_arguments
from r5.data.builder import DatasetBuilder, Row
from r5.data.generators.algebra.algebras import ALGEBRAS, Algebra, named_algebra
from r5.data.generators.algebra.graphs import AlgebraGraphs
from r5.data.generators.options import LONGEST, lengths_of, number_of, rate_of
from r5.dataset import SPLITS, Dataset
from r5.errors import DataError, R5Error
from r5.rules.ruleset import Rule, RuleSet

__all__ = ["generate_algebra", "generate_interval", "generate_rcc8", "read_algebra", "true_rules"]

Numbers = Iterable[int] | int


def generate_algebra(
    *,
    algebra: str = "point",
    seed: int = 0,
    train: int = 2000,
    valid: int = 200,
    test: int = 300,
    train_lengths: Numbers = (2, 3, 4),
    train_branches: Numbers = (1, 2, 3),
    test_lengths: Numbers = (5, 7, 9),
    test_branches: Numbers = (1, 2, 3),
    nested: float = 0.0,
    wrong_edges: float = 0.0,
) -> Dataset:
    """Generate queries over a finite relation algebra.

    Parallel chains lead from the source to the target of a query. Each chain allows several relations; their
    intersection is the answer. Validation and test graphs have no wrong edges.

    Args:
        algebra: `rcc8`, `interval`, `point`, `directions` or a CSV file with the columns first, second and
            compositions (separated by spaces).
        seed: Random seed.
        train: Number of training examples.
        valid: Number of validation examples.
        test: Number of test examples.
        train_lengths: Chain lengths of training and validation examples.
        train_branches: Numbers of parallel chains of training and validation examples.
        test_lengths: Chain lengths of test examples.
        test_branches: Numbers of parallel chains of test examples.
        nested: Probability that a relation within a chain is replaced by parallel chains.
        wrong_edges: Probability that an edge of a training graph carries another relation.

    Returns:
        A data set with the composition table as ground-truth rules.

    >>> data = generate_algebra(algebra="rcc8", train=5, valid=1, test=2)
    >>> len(data.train), data.test[1].hops, len({rule.body for rule in data.rules})
    (5, 7, 64)

    """
    known = named_algebra(algebra) if algebra in ALGEBRAS else read_algebra(algebra)
    learned = lengths_of("train_lengths", train_lengths), _counts_of("train_branches", train_branches)
    tested = lengths_of("test_lengths", test_lengths), _counts_of("test_branches", test_branches)
    sizes = {"train": number_of("train", train), "valid": number_of("valid", valid), "test": number_of("test", test)}
    graphs = AlgebraGraphs(known, rate_of("nested", nested, most=0.9))
    if not graphs.answers:
        raise R5Error(f"no pair of relations of {algebra} composes to just one: every query has several answers")
    rate = rate_of("wrong_edges", wrong_edges, below=1)
    builder = DatasetBuilder(Path(algebra).stem)
    for stream, split in enumerate(SPLITS):
        rng = np.random.default_rng([number_of("seed", seed), stream])
        lengths, branches = tested if split == "test" else learned
        for row in range(sizes[split]):
            length = lengths[row % len(lengths)]
            width = branches[row // len(lengths) % len(branches)]
            edges, answer = graphs.draw(length, width, rng)
            builder.add(split, _row(known, edges, answer, length, rate if split == "train" else 0.0, rng))
    return builder.build(true_rules(known))


generate_rcc8 = bind_arguments(
    generate_algebra,
    """Generate queries over RCC-8, the relations between regions; see `generate_algebra` for the options.""",
    algebra="rcc8",
)
generate_interval = bind_arguments(
    generate_algebra,
    """Generate queries over Allen's interval relations; see `generate_algebra` for the options.""",
    algebra="interval",
)


def _counts_of(name: str, values: Numbers) -> tuple[int, ...]:
    given = values if isinstance(values, Iterable) and not isinstance(values, str) else (values,)
    counts = tuple(sorted({number_of(f"each of {name}", value, 1, LONGEST) for value in given}))
    if not counts:
        raise R5Error(f"{name} is empty; expected numbers of chains such as 1, 2")
    return counts


def _row(
    algebra: Algebra,
    edges: list[tuple[int, int, int]],
    answer: int,
    length: int,
    rate: float,
    rng: np.random.Generator,
) -> Row:
    """Build an example with observed relations; one of the paths is its resolution path."""
    relations = np.array([relation for _, relation, _ in edges])
    wrong = rng.random(relations.size) < rate
    shift = rng.integers(1, max(len(algebra.names), 2), relations.size)
    observed = np.where(wrong, (relations + shift) % len(algebra.names), relations)
    named = [(str(s), algebra.names[r], str(t)) for (s, _, t), r in zip(edges, observed.tolist(), strict=True)]
    path = [0]
    for _ in range(length):
        path.append(next(target for source, _, target in edges if source == path[-1]))
    return Row(named, "0", "1", algebra.names[answer], tuple(map(str, path)))


def true_rules(algebra: Algebra) -> RuleSet:
    """Return the composition table as rules, one for each relation that a pair allows."""
    names = algebra.names
    return RuleSet.of(Rule(names[c], (names[a], names[b])) for a, b, left in algebra.pairs for c in sorted(left))


def read_algebra(path: str | Path) -> Algebra:
    """Read an algebra from a CSV file with the columns first, second and compositions.

    Raises:
        DataError: The file is missing, empty or invalid.
    """
    if not Path(path).is_file():
        raise DataError(f"no such algebra or file; the algebras are {', '.join(ALGEBRAS)}", path)
    compositions: dict[tuple[str, str], list[str]] = {}
    for line, row in read_columns(path, ("first", "second", "compositions")):
        pair = row["first"].strip(), row["second"].strip()
        several = row["compositions"].split()
        if not all(pair) or not several:
            raise DataError("expected two relations and what they compose to, such as before,before,before", path, line)
        if pair in compositions:
            raise DataError(f"the pair {pair[0]}, {pair[1]} occurs twice", path, line)
        compositions[pair] = several
    if not compositions:
        raise DataError("holds no compositions", path)
    return Algebra.of(compositions)
