"""Detection of a header in rows of text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain

from r5.data.formats.tables.columns import Triple, column_roles

__all__ = ["is_header", "looks_like_header"]

_WORD = re.compile(r"[:#?@_]*[^\W\d_][\w .:-]*")


def is_header(fields: Sequence[str], records: Sequence[tuple[int, Sequence[str]]] = ()) -> bool:
    """Return whether a row names columns.

    Args:
        fields: The first row.
        records: All rows. Single letters, which often name nodes, name columns if they occur in no other row.

    >>> is_header(["head", "tail", "relation"])
    True
    >>> is_header(["s", "p", "o"]), is_header(["s", "p", "o"], [(1, ["s", "p", "o"]), (2, ["Ann", "mother", "Eve"])])
    (False, True)
    """
    indices = column_roles(fields)
    if indices is None:
        return False
    if all(len(fields[index]) > 1 for index in indices):
        return True
    return len(records) > 1 and _is_apart(fields, (row for _, row in records[1:]))


def looks_like_header(triples: Sequence[Triple]) -> bool:
    """Return whether the first triple is probably a header: its three words occur in no other triple.

    It is no evidence if another triple has nothing in common with the rest either.

    >>> looks_like_header([("who", "does", "whom"), ("Ann", "mother", "Eve"), ("Tom", "mother", "Eve")])
    True
    >>> looks_like_header([("Ann", "mother", "Eve"), ("Tom", "mother", "Eve")])
    False
    """
    first, rest = triples[0], triples[1:]
    if len(rest) < 2 or len(set(first)) < 3 or not all(map(_WORD.fullmatch, first)) or not _is_apart(first, rest):
        return False
    counts = Counter(chain.from_iterable(rest))
    return not any(all(counts[name] == 1 for name in triple) for triple in rest)


def _is_apart(fields: Sequence[str], others: Iterable[Sequence[str]]) -> bool:
    """Return whether none of the fields occurs in other rows."""
    return set(fields).isdisjoint(chain.from_iterable(others))
