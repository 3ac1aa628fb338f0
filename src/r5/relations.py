"""Relation names and ids: known relations of the data and invented relations of the learner."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from r5._util.ordering import natural_key
from r5.errors import R5Error

__all__ = ["DUMMY", "INVERSE_SUFFIX", "Vocabulary", "base_name", "inverse_name"]

INVERSE_SUFFIX = "^-1"
DUMMY = "<dummy>"
"""The relation r_dm of the paper's Appendix A.5: `h <= r, r_dm` stands for the rule `h <= r`."""


def inverse_name(name: str) -> str:
    """Return the name of the inverse relation; the inverse of an inverse is the relation itself.

    >>> inverse_name("mother"), inverse_name("mother^-1")
    ('mother^-1', 'mother')
    """
    return name.removesuffix(INVERSE_SUFFIX) if name.endswith(INVERSE_SUFFIX) else name + INVERSE_SUFFIX


def base_name(name: str) -> str:
    """Return the name of a relation without the inverse suffix.

    >>> base_name("mother"), base_name("mother^-1")
    ('mother', 'mother')
    """
    return name.removesuffix(INVERSE_SUFFIX)


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Known relations (the paper's M, ids 0..m-1) and invented relations (N, ids m..m+n-1).

    >>> words = Vocabulary.of(["son", "mother"]).with_invented(1)
    >>> words.id("son"), words.name(2), len(words)
    (1, 'invented_0', 3)
    """

    known: tuple[str, ...]
    invented: tuple[str, ...] = ()
    _ids: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        names = self.known + self.invented
        ids = {name: i for i, name in enumerate(names)}
        if len(ids) != len(names):
            twice = next(name for i, name in enumerate(names) if ids[name] != i)
            raise R5Error(f"relation {twice!r} is listed twice in the vocabulary")
        if "" in ids:
            raise R5Error("a relation has an empty name")
        object.__setattr__(self, "_ids", ids)

    @classmethod
    def of(cls, names: Iterable[str]) -> Vocabulary:
        """Build a vocabulary of known relations, in natural order of their distinct names."""
        return cls(tuple(sorted(set(names), key=natural_key)))

    def with_invented(self, count: int) -> Vocabulary:
        """Return the known relations with `count` invented ones (n), whose names are new."""
        taken = set(self.known)
        names: list[str] = []
        number = 0
        while len(names) < count:
            if (name := f"invented_{number}") not in taken:
                names.append(name)
            number += 1
        return Vocabulary(self.known, tuple(names))

    def with_known(self, *names: str) -> Vocabulary:
        """Append known relations; the ids of the other known relations stay."""
        new = tuple(n for n in dict.fromkeys(names) if n not in self._ids)
        return self if not new else Vocabulary(self.known + new, self.invented)

    def id(self, name: str) -> int:
        """Return the id of a relation.

        Raises:
            R5Error: The name is unknown; the message lists some known names and similar ones.
        """
        try:
            return self._ids[name]
        except KeyError:
            few = ", ".join(self.known[:5]) + (", ..." if len(self.known) > 5 else "")
            near = difflib.get_close_matches(name, list(self), n=3)
            hint = f"; did you mean {' or '.join(map(repr, near))}?" if near else ""
            raise R5Error(f"unknown relation {name!r}; known: {few or 'none'}{hint}") from None

    def name(self, relation: int) -> str:
        """Return the name of a relation id."""
        if not 0 <= relation < len(self):
            raise R5Error(f"no relation has the id {relation}; there are {len(self)}")
        known = len(self.known)
        return self.known[relation] if relation < known else self.invented[relation - known]

    def names(self, relations: Iterable[int]) -> tuple[str, ...]:
        """Return the names of several relation ids."""
        return tuple(self.name(int(relation)) for relation in relations)

    def ids_in(self, other: Vocabulary) -> list[int]:
        """Return the id of each relation in another vocabulary; -1 for a relation that it lacks.

        >>> Vocabulary.of(["aunt", "son"]).ids_in(Vocabulary.of(["son", "uncle"]))
        [-1, 0]
        """
        return [other._ids.get(name, -1) for name in self]

    def __len__(self) -> int:
        return len(self.known) + len(self.invented)

    def __contains__(self, name: object) -> bool:
        return name in self._ids

    def __iter__(self) -> Iterator[str]:
        yield from self.known
        yield from self.invented
