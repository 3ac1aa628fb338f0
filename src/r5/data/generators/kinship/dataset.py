"""The built-in kinship data: stories about generated families, whose true rules are known."""

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
"""How often to try for a chain that ends in a given rule before the next rule has its turn."""
_HELD_OUT = 0.2
"""Share of the relation sequences that goes to each further split where several splits have chains of one length."""


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
    """Chains of relatives as in CLUTRR; the question is who the last person is to the first.

    There are short chains to learn from (`train` and `valid` examples in all, over their lengths)
    and long ones to be tested on (`test` examples of each length). No relation sequence is in two
    splits. `valid_hops` are those of training but the shortest, whose sequences are rules themselves.
    `noise` is clean, supporting, irrelevant or disconnected, or several, one drawn for each example.
    Each split has `families` of its own, of so many `generations`, with up to `children` a couple
    (by default as many as the longest chains take, for nobody is on a chain twice).

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
    """The kinds of noise asked for."""
    kinds = (noise,) if isinstance(noise, str) else tuple(noise)
    for kind in kinds or ("",):
        if kind not in NOISE:
            raise R5Error(f"unknown noise {kind!r}; expected {', '.join(NOISE)}")
    return kinds


def _enough_children(lengths: Mapping[str, tuple[int, ...]]) -> int:
    """Siblings make most of a long chain: with fewer of them, chains of the greatest length are rare."""
    return max(6, max(map(max, lengths.values())) * 3 // 4)


class _Owners:
    """Which split a relation sequence belongs to: told from the seed and the sequence, whatever was drawn before.

    But the first sequence that shows training a rule is training's, so that no rule goes unseen.
    """

    def __init__(self, seed: int, lengths: Mapping[str, tuple[int, ...]]) -> None:
        self._seed = seed
        self._lengths = lengths
        self._claimed: set[tuple[str, ...]] = set()
        self._shown: set[tuple[int, int]] = set()

    def owns(self, split: str, descriptor: tuple[str, ...], body: tuple[int, int]) -> bool:
        """Whether the split may use a sequence whose last merge is of that body."""
        owner = "train" if descriptor in self._claimed else self._by_lot(descriptor)
        if split == "train" and body not in self._shown:
            if owner != "train" and len(descriptor) > 2:
                self._claimed.add(descriptor)
                owner = "train"
            if owner == "train":
                self._shown.add(body)
        return owner == split

    def _by_lot(self, descriptor: tuple[str, ...]) -> str:
        """A split that has such lengths; training, or else the first, has what the others leave."""
        splits = [name for name in SPLITS if len(descriptor) in self._lengths[name]]
        if len(splits) == 1:
            return splits[0]
        numbers = [list(RELATIONS).index(name) for name in descriptor]
        lot = 1 + int(np.random.default_rng([self._seed, len(SPLITS), *numbers]).random() / _HELD_OUT)
        return splits[lot] if lot < len(splits) else splits[0]


def _rows(
    families: list[Family],
    hops: int,
    kinds: tuple[str, ...],
    accepts: Callable[[tuple[str, ...], tuple[int, int]], bool],
    rng: np.random.Generator,
) -> Iterator[Row]:
    """Examples of one length, without end; the rules take turns in being the last one used, so that each occurs."""
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
        f"no chain of {hops} hops with the noise asked for was found; "
        "give larger families (children, generations), more of them, or fewer hops"
    )


def _row(family: Family, chain: list[int], further: list[tuple[int, int]]) -> Row:
    """The example of a chain: its edges in order, then the further ones."""
    names = family.genealogy.names
    return Row(
        edges=[(names[one], family.relation(one, other), names[other]) for one, other in [*pairwise(chain), *further]],
        source=names[chain[0]],
        target=names[chain[-1]],
        answer=family.relation(chain[0], chain[-1]),
        resolution=[names[person] for person in chain],
        descriptor=family.descriptor(chain),
    )
