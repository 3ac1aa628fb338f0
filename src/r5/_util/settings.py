"""Settings: hyperparameters declared with their ranges in one frozen dataclass, checked and listed in one way.

    @dataclass(frozen=True)
    class SearchSettings(Settings):
        simulations: int = setting(200, least=1, most=100_000)
        \"\"\"Simulations a move.\"\"\"
        order: Literal["first", "best"] = setting("best")
        \"\"\"Which move is tried first.\"\"\"

The annotation says what kind of value is allowed: bool, int, float, a Literal of words, one of these `| None`, or a
`tuple[float, ...]`. The docstring below a setting is the sentence that is shown for it.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import math
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from r5._util.text import abbreviate
from r5.errors import R5Error

__all__ = ["Settings", "SettingsError", "Shown", "from_names", "list_settings", "setting"]

T = TypeVar("T")
S = TypeVar("S", bound="Settings")


class SettingsError(R5Error):
    """A setting has a value that it cannot have, or there is no such setting."""


@dataclass(frozen=True, slots=True)
class _Range:
    """What a number may be; each bound is there or not."""

    least: float | None = None
    above: float | None = None
    most: float | None = None
    below: float | None = None

    def holds(self, number: float) -> bool:
        return (
            (self.least is None or number >= self.least)
            and (self.above is None or number > self.above)
            and (self.most is None or number <= self.most)
            and (self.below is None or number < self.below)
        )

    def __str__(self) -> str:
        """What comes after "a number", such as "from 0 to 1"."""
        if self.least is not None and self.most is not None:
            return f"from {self.least:,} to {self.most:,}"
        if self.least is not None and self.below is None:
            return f"from {self.least:,} on"
        words = {"of at least": self.least, "above": self.above, "of at most": self.most, "below": self.below}
        return " and ".join(f"{word} {bound:,}" for word, bound in words.items() if bound is not None)


def setting(
    default: T,
    *,
    least: float | None = None,
    above: float | None = None,
    most: float | None = None,
    below: float | None = None,
) -> T:
    """A field of `Settings` with its default and, for numbers, the range it must be in."""
    return dataclasses.field(default=default, metadata={"range": _Range(least, above, most, below)})


@dataclass(frozen=True)
class Settings:
    """The base of all settings: each value is checked against its declaration, and becomes of the declared type."""

    def __post_init__(self) -> None:
        for name, kind in _kinds(type(self)).items():
            value = kind.read(getattr(self, name))
            if value is _BAD:
                raise SettingsError(f"{name} must be {kind}, not {abbreviate(getattr(self, name))}")
            object.__setattr__(self, name, value)
        self.check()

    def check(self) -> None:
        """What several settings must satisfy together: a subclass raises a `SettingsError` where they do not."""


def from_names(kind: type[S], owner: str, values: Mapping[str, object]) -> S:
    """The settings with these values; a name that is not a setting of `owner`, such as "the engine r5", is an error."""
    names = [field.name for field in dataclasses.fields(kind)]
    unknown = next((name for name in values if name not in names), None)
    if unknown is not None:
        raise SettingsError(f"{owner} has no setting {unknown!r}; it has {', '.join(names)}")
    return kind(**values)


@dataclass(frozen=True, slots=True)
class Shown:
    """What a user wants to know about a setting."""

    name: str
    type: str
    """bool, int, float, str or `list of float`; with `or null` where None is allowed."""
    default: Any
    range: str | None
    """Of numbers, such as "from 1 to 100"."""
    choices: tuple[str, ...] | None
    """Of words."""
    allowed: str
    """All of that in words, such as "a whole number from 1 to 100"."""
    sentence: str


def list_settings(settings: Settings) -> list[Shown]:
    """Name, value, range and meaning of each setting, in the order of declaration.

    >>> @dataclass(frozen=True)
    ... class NoiseSettings(Settings):
    ...     noise: float = setting(0.1, least=0, most=1)
    >>> print(list_settings(NoiseSettings())[0].allowed)
    a number from 0 to 1
    >>> NoiseSettings(noise=2)
    Traceback (most recent call last):
    r5._util.settings.SettingsError: noise must be a number from 0 to 1, not 2
    """
    sentences = _sentences(type(settings))
    return [
        Shown(
            name=name,
            type=kind.type_name,
            default=getattr(settings, name),
            range=str(kind.range) or None,
            choices=kind.choices,
            allowed=str(kind),
            sentence=sentences.get(name, ""),
        )
        for name, kind in _kinds(type(settings)).items()
    ]


_BAD = object()
"""Stands for a value that is not allowed."""


@dataclass(frozen=True, slots=True)
class _Kind:
    """The values that one setting may have."""

    of: Any
    """bool, int, float, str or a Literal."""
    range: _Range
    optional: bool = False
    many: bool = False

    @property
    def choices(self) -> tuple[str, ...] | None:
        """The words of a Literal."""
        return get_args(self.of) if get_origin(self.of) is Literal else None

    @property
    def type_name(self) -> str:
        """The type as a script would want it."""
        name = "str" if self.choices is not None else self.of.__name__
        return ("list of " if self.many else "") + name + (" or null" if self.optional else "")

    def read(self, value: object) -> object:
        """The value as the declared type, or `_BAD`."""
        if value is None and self.optional:
            return None
        if not self.many:
            return self._one(value)
        if isinstance(value, str | bytes) or not isinstance(value, Iterable):
            return _BAD
        values = tuple(map(self._one, value))
        return _BAD if not values or _BAD in values else values

    def _one(self, value: object) -> object:
        if self.choices is not None:
            return value if isinstance(value, str) and value in self.choices else _BAD
        if self.of in (bool, str):
            return value if isinstance(value, self.of) else _BAD
        if isinstance(value, bool) or not isinstance(value, Integral if self.of is int else Real):
            return _BAD
        try:
            number = self.of(value)
            good = math.isfinite(number) and self.range.holds(number)
        except OverflowError:  # a whole number beyond what floating point holds
            good = False
        return number if good else _BAD

    def __str__(self) -> str:
        several = {bool: "values true or false", int: "whole numbers", float: "numbers", str: "words"}
        single = {bool: "true or false", int: "a whole number", float: "a number", str: "a word"}
        if self.choices is not None:
            words = f"one of {', '.join(self.choices)}"
        elif self.many:
            words = f"a list of one or more {several[self.of]} {self.range}"
        else:
            words = f"{single[self.of]} {self.range}"
        return words.strip() + (" or None" if self.optional else "")


def _kinds(settings: type[Settings]) -> dict[str, _Kind]:
    """The declared kind of each setting of a class."""
    hints = get_type_hints(settings)
    return {
        field.name: _kind_of(hints[field.name], field.metadata.get("range", _Range()))
        for field in dataclasses.fields(settings)
    }


def _kind_of(hint: Any, numbers: _Range) -> _Kind:
    optional = NoneType in get_args(hint)
    if optional:
        hint = Union[tuple(part for part in get_args(hint) if part is not NoneType)]  # noqa: UP007  it is computed
    if get_origin(hint) in (Union, UnionType):  # Literals side by side are one Literal
        hint = Literal[tuple(word for part in get_args(hint) for word in get_args(part))]
    many = get_origin(hint) is tuple
    return _Kind(get_args(hint)[0] if many else hint, numbers, optional, many)


def _sentences(settings: type[Settings]) -> dict[str, str]:
    """The docstring below each setting, of a subclass where it has one; from the source, so empty where that is not."""
    found: dict[str, str] = {}
    for part in reversed(settings.__mro__):
        if dataclasses.is_dataclass(part):
            found |= _docstrings(part)
    return found


def _docstrings(part: type) -> dict[str, str]:
    try:
        tree = ast.parse(inspect.getsource(sys.modules[part.__module__]))
    except OSError:
        return {}
    body = next((n.body for n in ast.walk(tree) if isinstance(n, ast.ClassDef) and n.name == part.__name__), [])
    return {
        line.target.id: inspect.cleandoc(below.value.value).replace("\n", " ")
        for line, below in pairwise(body)
        if isinstance(line, ast.AnnAssign)
        and isinstance(line.target, ast.Name)
        and isinstance(below, ast.Expr)
        and isinstance(below.value, ast.Constant)
        and isinstance(below.value.value, str)
    }
