"""How relation names, atoms and bodies are written in rules, and read again."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from r5.errors import R5Error
from r5.relations import inverse_name

__all__ = [
    "Atom",
    "AtomReader",
    "checked_name",
    "direct_atom",
    "quoted",
    "read_body",
    "spelled",
    "variables",
    "written_body",
]

Atom = tuple[str, str, str]
"""A relation and its two arguments."""

_BARE = r'([^\s"(),]+)'
_QUOTED = r'("(?:[^"\\]|\\.)*")'
_WORD = r'(?:[^\s",()]|\([^\s",()]*\))+'
_ARGUMENT = rf'("(?:[^"\\]|\\.)*"|{_WORD}(?: +{_WORD})*)'
_ARGUMENTS = rf"\(\s*{_ARGUMENT}\s*,\s*{_ARGUMENT}\s*\)"


def spelled(name: str) -> str:
    r"""The name as rules show it: in double quotes, with JSON's escapes, where its end could not be told.

    >>> print(spelled("mother^-1"), spelled("lives in"), spelled("one\ntwo"))
    mother^-1 "lives in" "one\ntwo"
    """
    if re.fullmatch(_BARE, name) and name.isprintable() and "<=" not in name:
        return name
    return json.dumps(name, ensure_ascii=not name.isprintable())


def quoted(entity: str) -> str:
    """The name of an entity as rules show it, always in double quotes, so that it is no variable."""
    return json.dumps(entity, ensure_ascii=not entity.isprintable())


def written_body(names: Iterable[str]) -> str:
    """The relations of a body without their arguments, as `read_body` reads them."""
    return ", ".join(map(spelled, names))


def variables(length: int, inner: str = "ZUVW") -> list[str]:
    """Names for the entities along a body of so many relations: X, the inner letters, numbered ones, Y.

    >>> variables(3), variables(7)[4:], variables(0)
    (['X', 'Z', 'U', 'Y'], ['W', 'Z4', 'Z5', 'Y'], ['X'])
    """
    if not length:
        return ["X"]
    between = [inner[i] if i < len(inner) else f"{inner[0]}{i}" for i in range(length - 1)]
    return ["X", *between, "Y"]


def direct_atom(name: str, first: str, second: str) -> Atom:
    """The atom for programs that know no inverse relations: those have their arguments swapped instead.

    >>> direct_atom("mother^-1", "X", "Z"), direct_atom("mother", "X", "Z")
    (('mother', 'Z', 'X'), ('mother', 'X', 'Z'))
    """
    other = inverse_name(name)
    if other and len(other) < len(name) and inverse_name(other) == name:
        return other, second, first
    return name, first, second


def checked_name(value: object) -> str:
    """The value, if it can be the name of a relation: text that is not empty and can be written as UTF-8."""
    if not isinstance(value, str) or not value:
        raise R5Error("a relation must have a name, in quotes and not empty")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise R5Error("a relation's name holds half a surrogate pair, which is not valid Unicode") from None
    return value


class AtomReader:
    """Reads names, atoms such as `aunt(X,Y)` and signs off a text; what does not fit is an `R5Error`."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._place = 0

    def name(self) -> str:
        """The relation name that comes next, bare or in quotes."""
        if (quoted := self._take(_QUOTED)) is None:
            if (bare := self._take(_BARE)) is None:
                raise self.expected("a relation")
            return bare[1]
        try:
            return checked_name(json.loads(quoted[1], strict=False))
        except ValueError:
            raise R5Error(f"the name {quoted[1][:40]!r} is not quoted as in JSON") from None

    def atom(self) -> Atom:
        """The relation that comes next and its two arguments."""
        name = self.name()
        if (arguments := self._take(_ARGUMENTS)) is None:
            raise self.expected("two arguments such as (X,Y)")
        return name, arguments[1], arguments[2]

    def sign(self, sign: str) -> bool:
        """Whether this sign comes next; if so it is read."""
        return self._take(re.escape(sign)) is not None

    def at_end(self) -> bool:
        """Whether nothing is left."""
        return not self._text[self._place :].strip()

    def end(self) -> None:
        """Nothing may be left."""
        if self._text[self._place :].strip():
            raise self.expected("a comma or the end")

    def expected(self, what: str) -> R5Error:
        """The error that says what should stand here."""
        rest = self._text[self._place :].strip()
        return R5Error(f"expected {what}, found " + (repr(rest[:40]) if rest else "nothing"))

    def _take(self, pattern: str) -> re.Match[str] | None:
        found = re.compile(rf"\s*{pattern}").match(self._text, self._place)
        if found is not None:
            self._place = found.end()
        return found


def read_body(text: str) -> tuple[str, ...]:
    """The relations of a body without their arguments, as people write them.

    >>> read_body('father, "lives in"')
    ('father', 'lives in')
    """
    reader = AtomReader(text)
    names = [reader.name()]
    while reader.sign(","):
        names.append(reader.name())
    reader.end()
    return tuple(names)
