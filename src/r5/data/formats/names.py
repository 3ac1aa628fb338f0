"""Names of entities and relations: labels in place of identifiers, and abbreviated IRIs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from r5.data.formats.tables.columns import Triple
from r5.data.formats.tables.table import Table
from r5.errors import R5Error

__all__ = ["name_tables", "shorten"]


def name_tables(tables: Sequence[Table], short: bool = False) -> list[Table]:
    """Replace identifiers by their labels, over all tables together.

    Two entities of one label are called `label (identifier)`, so that they stay two.

    Args:
        tables: Tables, which may have labels.
        short: Abbreviate the other names to the last part of their IRI.

    Raises:
        R5Error: Two names have the same abbreviation.

    >>> table = Table([("1", "likes", "2"), ("2", "likes", "3")], "", labels={"1": "Ann", "2": "Tom", "3": "Tom"})
    >>> name_tables([table])[0].triples
    [('Ann', 'likes', 'Tom (2)'), ('Tom (2)', 'likes', 'Tom (3)')]
    """
    labels = {key: name for table in tables for key, name in table.labels.items()}
    if not labels and not short:
        return list(tables)
    kinds = {key: name for table in tables for key, name in table.relation_labels.items()}
    ends = dict.fromkeys(name for table in tables for source, _, target in table.triples for name in (source, target))
    entity = _names(ends, labels, short)
    relation = _names(dict.fromkeys(kind for table in tables for _, kind, _ in table.triples), kinds, short)
    return [
        replace(
            table,
            triples=[(entity[source], relation[kind], entity[target]) for source, kind, target in table.triples],
            labels={},
            relation_labels={},
        )
        for table in tables
    ]


def _names(identifiers: Iterable[str], labels: Mapping[str, str], short: bool) -> dict[str, str]:
    """Return a distinct name for each identifier."""
    cut = _shortener() if short else str
    names = {key: labels[key] if key in labels else cut(key) for key in identifiers}
    counts = Counter(names.values())
    for key, name in names.items():
        if counts[name] > 1 and key in labels:
            names[key] = f"{name} ({key})"
    if len(set(names.values())) < len(names):
        counts = Counter(names.values())
        clash = next(name for name in names.values() if counts[name] > 1)
        raise R5Error(f"{counts[clash]} entities are called {clash!r}; read them without labels or short names")
    return names


def shorten(triples: Iterable[Triple]) -> list[Triple]:
    """Abbreviate each IRI to its last part.

    Raises:
        R5Error: Two names have the same abbreviation.

    >>> shorten([("http://example.org/people#ann", "urn:mother", "http://example.org/people#eve")])
    [('ann', 'mother', 'eve')]

    """
    entity, relation = _shortener(), _shortener()
    return [(entity(source), relation(kind), entity(target)) for source, kind, target in triples]


def _shortener() -> Callable[[str], str]:
    """Return an injective function from names to abbreviations."""
    short: dict[str, str] = {}
    owners: dict[str, str] = {}

    def cut(name: str) -> str:
        if name not in short:
            last = re.split(r"[#/:]", name.rstrip("#/:"))[-1]
            new = last if last and not name.startswith(("_:", '"')) else name
            if (other := owners.setdefault(new, name)) != name:
                raise R5Error(f"{other!r} and {name!r} are both {new!r} when shortened; read them with short=False")
            short[name] = new
        return short[name]

    return cut
