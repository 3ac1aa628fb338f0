"""A generated library: facts that are drawn, facts that follow from them by known rules, and some of those missing."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from itertools import islice

import numpy as np

from r5.data.generators.library.names import COUNTRIES, GENRES, people, places, titles
from r5.data.generators.options import number_of, rate_of
from r5.data.one_graph import dataset_with_splits
from r5.dataset import Dataset
from r5.rules.rule import Rule
from r5.rules.ruleset import RuleSet

__all__ = ["RULES", "generate_library"]

Triple = tuple[str, str, str]

RULES = RuleSet.of(
    [
        Rule("works_in", ("works_at", "located_in"), probability=1.0),
        Rule("reports_to", ("works_at", "managed_by"), probability=1.0),
        Rule("citizen_of", ("born_in", "part_of"), probability=1.0),
        Rule("written_by", ("sequel_of", "written_by"), probability=1.0),
        Rule("has_genre", ("sequel_of", "has_genre"), probability=1.0),
        Rule("wrote", ("written_by^-1",), probability=1.0),
        Rule("has_read_author", ("borrowed", "written_by"), probability=1.0),
        Rule("visits", ("borrowed", "held_by"), probability=1.0),
    ]
)
"""What always holds; the facts for these heads follow from the others."""


def generate_library(
    *, seed: int = 0, members: int = 120, books: int = 150, missing: float = 0.15, valid: float = 0.3
) -> Dataset:
    """Branches with their staff, members who borrow, books with authors, as one knowledge graph.

    `missing` is the share of the facts which follow by the rules that the graph lacks; a part `valid` of those is
    for choosing, the others are the test. The facts that were drawn, which all others follow from, are in the graph.

    >>> data = generate_library(seed=0)
    >>> len(data.train), len(data.test), data.graph.number_of_edges == len(data.train)
    (1851, 122, True)
    """
    rng = np.random.default_rng(number_of("seed", seed))
    drawn = [*_drawn(rng, number_of("members", members, 1), number_of("books", books, 4))]
    follows = [*_follows(drawn)]
    gone = rng.random(len(follows)) < rate_of("missing", missing, below=1)
    for_valid = rng.random(len(follows)) < rate_of("valid", valid)
    kept = [fact for fact, is_gone in zip(follows, gone, strict=True) if not is_gone]
    rows = {
        "train": [*drawn, *kept],
        "valid": [fact for fact, one, two in zip(follows, gone, for_valid, strict=True) if one and two],
        "test": [fact for fact, one, two in zip(follows, gone, for_valid, strict=True) if one and not two],
    }
    return dataset_with_splits("library", rows, rules=RULES)


def _drawn(rng: np.random.Generator, members: int, books: int) -> Iterator[Triple]:
    """The facts that nothing else tells."""
    towns = [*islice(places(rng), 12)]
    names = people(rng)
    for place, town in enumerate(towns):
        yield town, "part_of", COUNTRIES[place % len(COUNTRIES)]
    branches = [f"{town} Library" for town in towns[:6]]
    for town, branch in zip(towns, branches, strict=False):
        yield branch, "located_in", town
        manager, *staff = islice(names, 6)
        yield branch, "managed_by", manager
        for person in staff:
            yield person, "works_at", branch
            yield person, "born_in", _one(rng, towns)
    shelf = yield from _books(rng, books, towns, branches, names)
    for member in islice(names, members):
        yield member, "lives_in", _one(rng, towns)
        for book in sorted(set(rng.integers(0, len(shelf), 3).tolist())):
            yield member, "borrowed", shelf[book]


def _books(
    rng: np.random.Generator, books: int, towns: list[str], branches: list[str], names: Iterator[str]
) -> Generator[Triple, None, list[str]]:
    """Books with what is known of them, one in three a sequel, whose author and genre follow; returns the books."""
    authors = [*islice(names, max(books // 5, 1))]
    for author in authors:
        yield author, "born_in", _one(rng, towns)
    shelf = [*islice(titles(rng), books)]
    for place, book in enumerate(shelf):
        yield book, "held_by", _one(rng, branches)
        if place % 3 == 2:
            yield book, "sequel_of", shelf[place - 1]
        else:
            number = int(rng.integers(len(authors)))
            yield book, "written_by", authors[number]
            # Authors keep to a genre or two.
            yield book, "has_genre", GENRES[(number + int(rng.integers(2))) % len(GENRES)]
    return shelf


def _one(rng: np.random.Generator, names: list[str]) -> str:
    return names[int(rng.integers(len(names)))]


def _follows(drawn: list[Triple]) -> Iterator[Triple]:
    """What the rules say, each fact once, in the order of the rules; none that was drawn."""
    known = dict.fromkeys(drawn)
    for rule in RULES:
        for fact in [*_conclusions(rule, list(known))]:
            if fact not in known:
                known[fact] = None
                yield fact


def _conclusions(rule: Rule, facts: list[Triple]) -> Iterator[Triple]:
    """What one rule says of the facts."""
    if rule.body == ("written_by^-1",):
        yield from ((target, rule.head, source) for source, relation, target in facts if relation == "written_by")
        return
    first, second = rule.body
    leads: dict[str, list[str]] = {}
    for source, relation, target in facts:
        if relation == second:
            leads.setdefault(source, []).append(target)
    for source, relation, middle in facts:
        if relation == first:
            yield from ((source, rule.head, target) for target in leads.get(middle, ()))
