"""Generated library: drawn facts and facts inferred by known rules, some of which are held out."""

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
"""Ground-truth rules; all facts with these heads are inferred."""


def generate_library(
    *, seed: int = 0, members: int = 120, books: int = 150, missing: float = 0.15, valid: float = 0.3
) -> Dataset:
    """Generate a knowledge graph of library branches, staff, members, books and authors.

    All drawn facts are in the graph. Of the inferred facts some are held out as queries.

    Args:
        seed: Random seed.
        members: Number of members who borrow books.
        books: Number of books.
        missing: Share of the inferred facts that the graph lacks.
        valid: Share of the missing facts in the validation split; the others are the test split.

    Returns:
        A data set over one graph, with its ground-truth rules.

    >>> data = generate_library(seed=0)
    >>> len(data.train), len(data.test), data.graph.number_of_edges == len(data.train)
    (1851, 122, True)

    """
    rng = np.random.default_rng(number_of("seed", seed))
    drawn = [*_drawn_facts(rng, number_of("members", members, 1), number_of("books", books, 4))]
    inferred = [*_inferred_facts(drawn)]
    held_out = rng.random(len(inferred)) < rate_of("missing", missing, below=1)
    in_valid = rng.random(len(inferred)) < rate_of("valid", valid)
    kept = [fact for fact, held in zip(inferred, held_out, strict=True) if not held]
    rows = {
        "train": [*drawn, *kept],
        "valid": [fact for fact, held, first in zip(inferred, held_out, in_valid, strict=True) if held and first],
        "test": [fact for fact, held, first in zip(inferred, held_out, in_valid, strict=True) if held and not first],
    }
    return dataset_with_splits("library", rows, rules=RULES)


def _drawn_facts(rng: np.random.Generator, members: int, books: int) -> Iterator[Triple]:
    """Draw the facts that no rule infers."""
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
    stock = yield from _books(rng, books, towns, branches, names)
    for member in islice(names, members):
        yield member, "lives_in", _one(rng, towns)
        for book in sorted(set(rng.integers(0, len(stock), 3).tolist())):
            yield member, "borrowed", stock[book]


def _books(
    rng: np.random.Generator, books: int, towns: list[str], branches: list[str], names: Iterator[str]
) -> Generator[Triple, None, list[str]]:
    """Draw the facts of books and return the titles; one book in three is a sequel with inferred author and genre."""
    authors = [*islice(names, max(books // 5, 1))]
    for author in authors:
        yield author, "born_in", _one(rng, towns)
    stock = [*islice(titles(rng), books)]
    for number, book in enumerate(stock):
        yield book, "held_by", _one(rng, branches)
        if number % 3 == 2:
            yield book, "sequel_of", stock[number - 1]
        else:
            writer = int(rng.integers(len(authors)))
            yield book, "written_by", authors[writer]
            # Each author writes in at most two genres.
            yield book, "has_genre", GENRES[(writer + int(rng.integers(2))) % len(GENRES)]
    return stock


def _one(rng: np.random.Generator, names: list[str]) -> str:
    return names[int(rng.integers(len(names)))]


def _inferred_facts(drawn: list[Triple]) -> Iterator[Triple]:
    """Apply the rules in order; each new fact occurs once."""
    known = dict.fromkeys(drawn)
    for rule in RULES:
        for fact in [*_conclusions(rule, list(known))]:
            if fact not in known:
                known[fact] = None
                yield fact


def _conclusions(rule: Rule, facts: list[Triple]) -> Iterator[Triple]:
    """Apply one rule to the facts."""
    if rule.body == ("written_by^-1",):
        yield from ((target, rule.head, source) for source, relation, target in facts if relation == "written_by")
        return
    first, second = rule.body
    targets: dict[str, list[str]] = {}
    for source, relation, target in facts:
        if relation == second:
            targets.setdefault(source, []).append(target)
    for source, relation, middle in facts:
        if relation == first:
            yield from ((source, rule.head, target) for target in targets.get(middle, ()))
