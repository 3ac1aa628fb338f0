"""Random family trees: people, marriages and children over several generations."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from r5._util.arrays import IntArray, as_int_array
from r5.data.generators.kinship.algebra import RELATIONS, Sex
from r5.data.generators.kinship.first_names import FIRST_NAMES

__all__ = ["Genealogy", "draw_genealogy"]


@dataclass(frozen=True, eq=False)
class Genealogy:
    """One family over several generations; people are 0..len(names)-1, and -1 stands for an unknown person."""

    names: tuple[str, ...]
    male: NDArray[np.bool_]
    """Mask of the male people, [people]."""
    fathers: IntArray
    """Father of each person, [people]."""
    mothers: IntArray
    """Mother of each person, [people]."""
    spouses: IntArray
    """Spouse of each person, [people]."""
    generations: IntArray
    """Generation of each person, 0 for the oldest, [people]."""

    def kinship(self) -> IntArray:
        """Return the relation from each person to each other, [people, people]: an index of `RELATIONS`, or -1."""
        people = np.arange(len(self.names))
        parent = (self.fathers[:, None] == people) | (self.mothers[:, None] == people)
        sibling = (self.fathers[:, None] == self.fathers) & (self.fathers[:, None] >= 0)
        np.fill_diagonal(sibling, False)
        step = {"p": parent, "c": parent.T, "s": sibling, "m": self.spouses[:, None] == people}
        kin = np.full((people.size, people.size), -1, dtype=np.int32)
        for number, relation in enumerate(RELATIONS.values()):
            reached = step[relation.steps[0]]
            for letter in relation.steps[1:]:
                reached = reached @ step[letter]
            kin[reached & (self.male == (relation.sex == "male"))] = number
        return kin


@dataclass
class _Draft:
    """Family under construction."""

    male: list[bool] = field(default_factory=list)
    fathers: list[int] = field(default_factory=list)
    mothers: list[int] = field(default_factory=list)
    spouses: list[int] = field(default_factory=list)
    generations: list[int] = field(default_factory=list)

    def person(self, male: bool, generation: int) -> int:
        """Add an unmarried person with unknown parents."""
        self.male.append(male)
        self.generations.append(generation)
        for column in (self.fathers, self.mothers, self.spouses):
            column.append(-1)
        return len(self.male) - 1

    def couple(self, generation: int) -> tuple[int, int]:
        """Add a married couple with unknown parents."""
        husband, wife = self.person(True, generation), self.person(False, generation)
        self.marry(husband, wife)
        return husband, wife

    def marry(self, one: int, other: int) -> None:
        self.spouses[one], self.spouses[other] = other, one

    def add_child(self, couple: tuple[int, int], child: int) -> None:
        self.fathers[child], self.mothers[child] = couple

    def child(self, couple: tuple[int, int], rng: np.random.Generator) -> int:
        """Add a child of a couple (father first)."""
        child = self.person(bool(rng.random() < 0.5), self.generations[couple[0]] + 1)
        self.add_child(couple, child)
        return child


def draw_genealogy(
    rng: np.random.Generator, *, generations: int = 4, children: int = 6, marriages: int = 2, in_laws: float = 0.4
) -> Genealogy:
    """Draw a family that descends from one couple.

    Args:
        rng: Random generator.
        generations: Number of generations.
        children: Maximum number of children of a couple; the minimum is 2, or this number if it is smaller.
        marriages: Maximum number of children of a couple who marry; the last generation does not.
        in_laws: Probability that a spouse has known parents and siblings.

    Returns:
        The family.
    """
    draft = _Draft()
    couples = [draft.couple(0)]
    for generation in range(1, generations):
        next_couples = []
        for couple in couples:
            births = rng.integers(min(2, children), children, endpoint=True)
            siblings = [draft.child(couple, rng) for _ in range(births)]
            if generation < generations - 1:
                next_couples += [_wedding(draft, child, rng, children, in_laws) for child in siblings[:marriages]]
        couples = next_couples
    return Genealogy(
        names=_names(draft.male, rng),
        male=np.array(draft.male),
        fathers=as_int_array(draft.fathers),
        mothers=as_int_array(draft.mothers),
        spouses=as_int_array(draft.spouses),
        generations=as_int_array(draft.generations),
    )


def _wedding(draft: _Draft, person: int, rng: np.random.Generator, children: int, in_laws: float) -> tuple[int, int]:
    """Marry a person to a new person; return husband and wife."""
    generation = draft.generations[person]
    outsider = draft.person(not draft.male[person], generation)
    draft.marry(person, outsider)
    if rng.random() < in_laws:
        parents = draft.couple(generation - 1)
        draft.add_child(parents, outsider)
        for _ in range(rng.integers(0, children)):
            draft.child(parents, rng)
    return (person, outsider) if draft.male[person] else (outsider, person)


def _names(male: list[bool], rng: np.random.Generator) -> tuple[str, ...]:
    """Return distinct first names; numbers are appended once a list is used up."""
    lists = {sex: [names[i] for i in rng.permutation(len(names))] for sex, names in FIRST_NAMES.items()}
    used = {"male": 0, "female": 0}
    chosen = []
    for is_male in male:
        sex: Sex = "male" if is_male else "female"
        round_, place = divmod(used[sex], len(lists[sex]))
        chosen.append(lists[sex][place] + (str(round_ + 1) if round_ else ""))
        used[sex] += 1
    return tuple(chosen)
