"""Text format of relation names, atoms and bodies in rules."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable

from r5.errors import R5Error
from r5.relations import inverse_name

__all__ = [
    "Atom",
    "AtomReader",
    "check_name",
    "direct_atom",
    "format_body",
    "format_name",
    "quote_entity",
    "read_body",
    "variables",
]

Atom = tuple[str, str, str]
"""A relation and its two arguments."""

_BARE = r'([^\s"(),]+)'
_SPACED = r'((?!<=)[^\s"(),](?:(?:(?!<=)[^"(),\n\t])*[^\s"(),])?)(?=\()'
"""Name with blanks inside, just before its arguments."""
_QUOTED = r'("(?:[^"\\]|\\.)*")'
_WORD = r'(?:[^\s",()]|\([^\s",()]*\))+'
_ARGUMENT = rf'("(?:[^"\\]|\\.)*"|{_WORD}(?: +{_WORD})*)'
_ARGUMENTS = rf"\(\s*{_ARGUMENT}\s*,\s*{_ARGUMENT}\s*\)"


def format_name(name: str) -> str:
    r"""Return a relation name as written in rules: an ambiguous name is quoted as in JSON.

    >>> print(format_name("mother^-1"), format_name("lives in"), format_name("one\ntwo"))
    mother^-1 "lives in" "one\ntwo"
    """
    if re.fullmatch(_BARE, name) and name.isprintable() and "<=" not in name:
        return name
    return json.dumps(name, ensure_ascii=not name.isprintable())


def quote_entity(entity: str) -> str:
    """Return an entity name in double quotes, which distinguish it from a variable."""
    return json.dumps(entity, ensure_ascii=not entity.isprintable())


def format_body(names: Iterable[str]) -> str:
    """Return the relations of a body without arguments, in the format of `read_body`."""
    return ", ".join(map(format_name, names))


def variables(length: int, inner: str = "ZUVW") -> list[str]:
    """Return variables along a body of `length` relations: X, the inner letters, numbered ones, Y.

    >>> variables(3), variables(7)[4:], variables(0)
    (['X', 'Z', 'U', 'Y'], ['W', 'Z4', 'Z5', 'Y'], ['X'])
    """
    if not length:
        return ["X"]
    between = [inner[i] if i < len(inner) else f"{inner[0]}{i}" for i in range(length - 1)]
    return ["X", *between, "Y"]


def direct_atom(name: str, first: str, second: str) -> Atom:
    """Return an atom without inverse relations: the arguments of an inverse relation are swapped.

    >>> direct_atom("mother^-1", "X", "Z"), direct_atom("mother", "X", "Z")
    (('mother', 'Z', 'X'), ('mother', 'X', 'Z'))
    """
    other = inverse_name(name)
    if other and len(other) < len(name) and inverse_name(other) == name:
        return other, second, first
    return name, first, second


def check_name(value: object) -> str:
    """Check that a value is a relation name: non-empty text that UTF-8 can encode."""
    if not isinstance(value, str) or not value:
        raise R5Error("a relation must have a name, in quotes and not empty")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise R5Error("a relation's name holds half a surrogate pair, which is not valid Unicode") from None
    return value


class AtomReader:
    """Parser of names, atoms such as `aunt(X,Y)` and signs; invalid text raises an `R5Error`."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._place = 0

    def name(self) -> str:
        """Read a relation name, bare or in quotes."""
        if (quoted := self._take(_QUOTED)) is None:
            if (bare := self._take(_BARE)) is None:
                raise self.expected("a relation")
            return bare[1]
        try:
            return check_name(json.loads(quoted[1], strict=False))
        except ValueError:
            raise R5Error(f"the name {quoted[1][:40]!r} is not quoted as in JSON") from None

    def atom(self) -> Atom:
        """Read a relation and its two arguments; before arguments a bare name may have blanks inside."""
        spaced = self._take(_SPACED)
        name = self.name() if spaced is None else spaced[1]
        if (arguments := self._take(_ARGUMENTS)) is None:
            raise self.expected("two arguments such as (X,Y)")
        return name, arguments[1], arguments[2]

    def sign(self, sign: str) -> bool:
        """Read a sign if it is next, and return whether it is."""
        return self._take(re.escape(sign)) is not None

    def word(self, word: str) -> bool:
        """Read a word that blanks or the end follow, if it is next, and return whether it is."""
        return self._take(rf"{re.escape(word)}(?=\s|$)") is not None

    def figure(self) -> tuple[str, float]:
        """Read a figure such as `support=3`; whole numbers are integers."""
        if (found := self._take(r"(\w+)=(\S+)")) is None:
            raise self.expected("a comma, a figure such as support=3, or the end")
        try:
            number = float(found[2])
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            raise R5Error(f"expected a number after {found[1][:40]}=, found {found[2][:40]!r}")
        return found[1], int(number) if re.fullmatch(r"[0-9]{1,18}", found[2]) else number

    def at_end(self) -> bool:
        """Return whether the text is read completely."""
        return not self._text[self._place :].strip()

    def end(self) -> None:
        """Raise an error if text is left."""
        if self._text[self._place :].strip():
            raise self.expected("a comma or the end")

    def expected(self, what: str) -> R5Error:
        """Return the error for missing text at the current position."""
        rest = self._text[self._place :].strip()
        return R5Error(f"expected {what}, found " + (repr(rest[:40]) if rest else "nothing"))

    def _take(self, pattern: str) -> re.Match[str] | None:
        found = re.compile(rf"\s*{pattern}").match(self._text, self._place)
        if found is not None:
            self._place = found.end()
        return found


def read_body(text: str) -> tuple[str, ...]:
    """Parse the relations of a body without arguments.

    >>> read_body('father, "lives in"')
    ('father', 'lives in')
    """
    reader = AtomReader(text)
    names = [reader.name()]
    while reader.sign(","):
        names.append(reader.name())
    reader.end()
    return tuple(names)
