"""Parser of the Python literals in CLUTRR's columns; nothing is evaluated."""

from __future__ import annotations

import re

from r5._util.text import abbreviate
from r5.errors import R5Error

__all__ = ["parse_names", "parse_numbers", "parse_pair", "parse_pairs"]

_NUMBER = re.compile("[0-9]{1,9}")
_PAIR = re.compile(rf"\( *{_NUMBER.pattern} *, *{_NUMBER.pattern} *\)")
_NAME = re.compile(r"""'[^'\\]*(?:\\.[^'\\]*)*'|"[^"\\]*(?:\\.[^"\\]*)*\"""", re.DOTALL)


def _list_of(item: re.Pattern[str]) -> re.Pattern[str]:
    """Return the pattern of a list of items."""
    one = rf" *(?:{item.pattern}) *"
    return re.compile(rf"\[(?:{one}(?:,{one})*| *)\]", re.DOTALL)


_NUMBERS, _PAIRS, _NAMES = _list_of(_NUMBER), _list_of(_PAIR), _list_of(_NAME)
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)", re.DOTALL)
_MEANING = {"n": "\n", "r": "\r", "t": "\t", "\\": "\\", "'": "'", '"': '"'}


def parse_pair(text: str) -> tuple[int, int]:
    """Parse two numbers.

    >>> parse_pair("(0, 2)")
    (0, 2)
    """
    if _PAIR.fullmatch(text) is None:
        raise R5Error(f"expected two numbers such as (0, 2), found {abbreviate(text)}")
    left, right = map(int, _NUMBER.findall(text))
    return left, right


def parse_pairs(text: str) -> tuple[tuple[int, int], ...]:
    """Parse a list of pairs of numbers.

    >>> parse_pairs("[(0, 1), (1, 2)]")
    ((0, 1), (1, 2))
    """
    if _PAIRS.fullmatch(text) is None:
        raise R5Error(f"expected pairs of numbers such as [(0, 1), (1, 2)], found {abbreviate(text)}")
    numbers = map(int, _NUMBER.findall(text))
    return tuple(zip(numbers, numbers, strict=True))


def parse_numbers(text: str) -> tuple[int, ...]:
    """Parse a list of numbers.

    >>> parse_numbers("[0, 1, 2]")
    (0, 1, 2)
    """
    if _NUMBERS.fullmatch(text) is None:
        raise R5Error(f"expected numbers such as [0, 1, 2], found {abbreviate(text)}")
    return tuple(map(int, _NUMBER.findall(text)))


def parse_names(text: str) -> tuple[str, ...]:
    r"""Parse a list of strings in single or double quotes, with the escapes of `repr`.

    >>> parse_names("['aunt', \"mother's aunt\"]")
    ('aunt', "mother's aunt")
    """
    if _NAMES.fullmatch(text) is None:
        raise R5Error(f"expected names such as ['son', 'aunt'], found {abbreviate(text)}")
    return tuple(_ESCAPE.sub(_unescape, quoted[1:-1]) for quoted in _NAME.findall(text))


def _unescape(match: re.Match[str]) -> str:
    """Return the character of an escape sequence."""
    escape = match[1]
    if len(escape) == 1 and escape in _MEANING:
        return _MEANING[escape]
    code = int(escape[1:], 16) if len(escape) > 1 else -1
    if not 0 <= code <= 0x10FFFF or 0xD800 <= code <= 0xDFFF:
        raise R5Error(f"{abbreviate(match[0])} is not a character")
    return chr(code)
