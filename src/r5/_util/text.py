"""Text of messages."""

from __future__ import annotations

import difflib
import reprlib
import unicodedata
from collections.abc import Sequence
from heapq import nsmallest

__all__ = ["abbreviate", "fold", "similar_names"]

_SUGGESTIONS, _NAMES = 3, 200_000
"""Maximum number of similar names, and of the names that are compared."""
_LETTERS = str.maketrans(
    {"ł": "l", "ø": "o", "đ": "d", "ð": "d", "ħ": "h", "\u0131": "i", "ŧ": "t", "æ": "ae", "œ": "oe"}
)
"""Letters that Unicode does not decompose."""


def abbreviate(value: object) -> str:
    """Return the representation of a value for a message, cut to a short length.

    >>> abbreviate("x" * 1000)
    "'xxxxxxxxxxxxxxxxxxxxxxxxxxxx...xxxxxxxxxxxxxxxxxxxxxxxxxxxxx'"
    """
    short = reprlib.Repr()
    short.maxstring = short.maxother = short.maxlong = 64
    return short.repr(value)


def fold(text: str) -> str:
    """Return a text in lower case and without diacritics, for search.

    >>> fold("Łukasz Ångström-Müller"), fold("STRASSE") == fold("Straße")
    ('lukasz angstrom-muller', True)
    """
    if text.isascii():
        return text.lower()
    letters = unicodedata.normalize("NFKD", text.casefold().translate(_LETTERS))
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


def similar_names(name: str, names: Sequence[str], cutoff: float = 0.75) -> list[str]:
    """Return the names that differ least, or else those with a word that begins with the name.

    Names that differ only in case or diacritics come first.

    Args:
        name: Name that is unknown.
        names: Known names; of very many none is compared.
        cutoff: Least similarity, from 0 to 1.

    >>> similar_names("Lukas Nowak", ["Łukasz Nowak", "Ann"]), similar_names("lukasz", ["Łukasz Nowak", "Ann"])
    (['Łukasz Nowak'], ['Łukasz Nowak'])
    """
    if len(names) > _NAMES:
        return []
    folded: dict[str, str] = {}
    for one in names:
        folded.setdefault(fold(one), one)
    sought = fold(name)
    close = [one for one in (sought,) if one in folded]
    close += difflib.get_close_matches(sought, folded, _SUGGESTIONS, cutoff)
    if not close and sought.strip():
        close = nsmallest(_SUGGESTIONS, (one for one in folded if f" {sought}" in f" {one}"), key=len)
    return [folded[one] for one in dict.fromkeys(close)][:_SUGGESTIONS]
