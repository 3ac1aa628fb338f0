"""Generated family stories with known rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import cycle, islice, pairwise

import numpy as np

from r5.data.builder import DatasetBuilder, Row
from r5.data.generators.kinship.algebra import RELATIONS, composition_rules
from r5.data.generators.kinship.chains import Family, bodies, draw_chain
from r5.data.generators.kinship.first_names import gender_of
from r5.data.generators.kinship.genealogy import draw_genealogy
from r5.data.generators.kinship.noise import NOISE
from r5.data.generators.options import LONGEST, evenly, lengths_of, number_of
from r5.dataset import SPLITS, Dataset
from r5.errors import R5Error

__all__ = ["gender_of", "generate_kinship"]

_TRIES = 10
"""Maximum number of draws of a chain for one rule before the next rule."""
_HELD_OUT = 0.2
"""Share of the relation sequences in each held-out split if several splits have chains of one length."""


def generate_kinship(
    *,
    seed: int = 0,
    train: int = 2000,
    valid: int = 200,
    test: int = 100,
    train_hops: Iterable[int] | int = (2, 3),
    valid_hops: Iterable[int] | int | None = None,
    test_hops: Iterable[int] | int = (4, 5, 6, 7, 8, 9, 10),
    noise: str | Sequence[str] = "clean",
    families: int = 20,
    generations: int = 4,
    children: int | None = None,
) -> Dataset:
    """Generate chains of relatives, similar to CLUTRR; the answer is the relation between their ends.

    No relation sequence is in two splits. Each split has families of its own.

    Args:
        seed: Random seed.
        train: Number of training examples, over all lengths.
        valid: Number of validation examples, over all lengths.
        test: Number of test examples of each length.
        train_hops: Chain lengths of training.
        valid_hops: Chain lengths of validation; by default those of training without the shortest, whose sequences
            are the rules themselves.
        test_hops: Chain lengths of test.
        noise: `clean`, `supporting`, `irrelevant` or `disconnected`, or several, one drawn per example.
        families: Number of families per split.
        generations: Number of generations of a family.
        children: Maximum number of children of a couple; by default as many as the longest chains need.

    Returns:
        A data set with its ground-truth rules.

    Raises:
        R5Error: An option is invalid, or the families have no chain of a length.

    >>> data = generate_kinship(train=40, valid=5, test=1)
    >>> len(data.train), len(data.valid), data.test.hops.tolist()
    (40, 5, [4, 5, 6, 7, 8, 9, 10])

    """
    train_lengths = lengths_of("train_hops", train_hops)
    lengths = {
        "train": train_lengths,
        "valid": train_lengths[1:] or train_lengths if valid_hops is None else lengths_of("valid_hops", valid_hops),
        "test": lengths_of("test_hops", test_hops),
    }
    counts = {
        "train": evenly(number_of("train", train), len(lengths["train"])),
        "valid": evenly(number_of("valid", valid), len(lengths["valid"])),
        "test": [number_of("test", test)] * len(lengths["test"]),
    }
    kinds = _kinds(noise)
    homes = number_of("families", families, 1)
    size = {
        "generations": number_of("generations", generations, 2, 8),
        "children": _enough_children(lengths) if children is None else number_of("children", children, 1, LONGEST),
    }
    used = {split: lengths[split] if sum(counts[split]) else () for split in SPLITS}
    owners = _Owners(number_of("seed", seed), used)
    builder = DatasetBuilder("kinship")
    for number, split in enumerate(SPLITS):
        rng = np.random.default_rng([seed, number])
        households = [Family(draw_genealogy(rng, **size)) for _ in range(homes)]
        for hops, count in zip(lengths[split], counts[split], strict=True):
            rows = _rows(households, hops, kinds, partial(owners.owns, split), rng)
            for row in islice(rows, count):
                builder.add(split, row)
    return builder.build(composition_rules())


def _kinds(noise: str | Sequence[str]) -> tuple[str, ...]:
    """Check the kinds of noise."""
    kinds = (noise,) if isinstance(noise, str) else tuple(noise)
    for kind in kinds or ("",):
        if kind not in NOISE:
            raise R5Error(f"unknown noise {kind!r}; expected {', '.join(NOISE)}")
    return kinds


def _enough_children(lengths: Mapping[str, tuple[int, ...]]) -> int:
    """Return the default number of children; long chains consist mostly of siblings."""
    return max(6, max(map(max, lengths.values())) * 3 // 4)


class _Owners:
    """Assignment of relation sequences to splits, by a hash of seed and sequence.

    The first sequence that shows a rule in training belongs to training, so that every rule is seen.
    """

    def __init__(self, seed: int, lengths: Mapping[str, tuple[int, ...]]) -> None:
        self._seed = seed
        self._lengths = lengths
        self._claimed: set[tuple[str, ...]] = set()
        self._shown: set[tuple[int, int]] = set()

    def owns(self, split: str, descriptor: tuple[str, ...], body: tuple[int, int]) -> bool:
        """Return whether a split owns a sequence whose last merge uses a given body."""
        owner = "train" if descriptor in self._claimed else self._drawn_owner(descriptor)
        if split == "train" and body not in self._shown:
            if owner != "train" and len(descriptor) > 2:
                self._claimed.add(descriptor)
                owner = "train"
            if owner == "train":
                self._shown.add(body)
        return owner == split

    def _drawn_owner(self, descriptor: tuple[str, ...]) -> str:
        """Draw one of the splits with sequences of this length; the first one owns the rest of the shares."""
        splits = [name for name in SPLITS if len(descriptor) in self._lengths[name]]
        if len(splits) == 1:
            return splits[0]
        numbers = [list(RELATIONS).index(name) for name in descriptor]
        drawn = 1 + int(np.random.default_rng([self._seed, len(SPLITS), *numbers]).random() / _HELD_OUT)
        return splits[drawn] if drawn < len(splits) else splits[0]


def _rows(
    families: list[Family],
    hops: int,
    kinds: tuple[str, ...],
    accepts: Callable[[tuple[str, ...], tuple[int, int]], bool],
    rng: np.random.Generator,
) -> Iterator[Row]:
    """Yield examples of one length without end; the body of the last merge cycles through all rules."""
    turns = [(first, second) for first, second in rng.permutation(bodies(hops)).tolist()]
    failed = 0
    for body in cycle(turns):
        for _ in range(_TRIES):
            family = families[rng.integers(len(families))]
            chain = draw_chain(family, body, hops, rng)
            if chain is None or not accepts(family.descriptor(chain), body):
                continue
            further = NOISE[kinds[rng.integers(len(kinds))]](family, chain, rng)
            if further is not None:
                failed = 0
                yield _row(family, chain, further)
                break
        else:
            failed += 1
            if failed == len(turns):
                break
    raise R5Error(
        f"no chain of {hops} hops with the requested noise was found; "
        "set larger families (children, generations), more of them, or fewer hops"
    )


def _row(family: Family, chain: list[int], further: list[tuple[int, int]]) -> Row:
    """Build the example of a chain: its edges in order, then the noise edges."""
    names = family.genealogy.names
    return Row(
        edges=[(names[one], family.relation(one, other), names[other]) for one, other in [*pairwise(chain), *further]],
        source=names[chain[0]],
        target=names[chain[-1]],
        answer=family.relation(chain[0], chain[-1]),
        resolution=[names[person] for person in chain],
        descriptor=family.descriptor(chain),
    )
