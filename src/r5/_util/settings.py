"""Settings: hyperparameters with ranges, declared in a frozen dataclass.

    @dataclass(frozen=True)
    class SearchSettings(Settings):
        simulations: int = setting(200, least=1, most=100_000)
        \"\"\"Simulations per move.\"\"\"
        order: Literal["first", "best"] = setting("best")
        \"\"\"Order of expansion.\"\"\"

The annotation declares the type: bool, int, float, a Literal of words, one of these `| None`, or a
`tuple[float, ...]`. The docstring below a setting is its description.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
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

__all__ = ["SettingInfo", "Settings", "SettingsError", "build_settings", "list_settings", "setting"]

T = TypeVar("T")
S = TypeVar("S", bound="Settings")


class SettingsError(R5Error):
    """A setting does not exist or its value is not allowed."""


@dataclass(frozen=True, slots=True)
class _Range:
    """Range of a number; None for no bound."""

    least: float | None = None
    above: float | None = None
    most: float | None = None
    below: float | None = None

    def contains(self, number: float) -> bool:
        return (
            (self.least is None or number >= self.least)
            and (self.above is None or number > self.above)
            and (self.most is None or number <= self.most)
            and (self.below is None or number < self.below)
        )

    def __str__(self) -> str:
        """Return the range in words, such as "from 0 to 1"."""
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
    """Declare a field of `Settings`.

    Args:
        default: Default of the setting.
        least: Smallest allowed number.
        above: Exclusive lower bound.
        most: Largest allowed number.
        below: Exclusive upper bound.
    """
    return dataclasses.field(default=default, metadata={"range": _Range(least, above, most, below)})


@dataclass(frozen=True)
class Settings:
    """Base class of settings: values are checked against their declaration and converted to the declared type."""

    def __post_init__(self) -> None:
        for name, kind in _kinds(type(self)).items():  # type: ignore[arg-type]
            value = kind.read(getattr(self, name))
            if value is _INVALID:
                raise SettingsError(f"{name} must be {kind}, not {abbreviate(getattr(self, name))}")
            object.__setattr__(self, name, value)
        self.check()

    def check(self) -> None:
        """Check conditions on several settings; subclasses raise `SettingsError`."""


def build_settings(kind: type[S], owner: str, values: Mapping[str, object]) -> S:
    """Build settings from values by name.

    Args:
        kind: Settings class.
        owner: Name of the object with these settings, such as "the engine r5", for the message of an error.
        values: Values by name of the setting.

    Raises:
        SettingsError: A setting does not exist or its value is not allowed.
    """
    names = [field.name for field in dataclasses.fields(kind)]
    unknown = next((name for name in values if name not in names), None)
    if unknown is not None:
        raise SettingsError(f"{owner} has no setting {unknown!r}; it has {', '.join(names)}")
    return kind(**values)


@dataclass(frozen=True, slots=True)
class SettingInfo:
    """Description of a setting for users."""

    name: str
    type: str
    """bool, int, float, str or `list of float`; with `or null` if None is allowed."""
    default: Any
    range: str | None
    """Range of a number, such as "from 1 to 100"."""
    choices: tuple[str, ...] | None
    """Allowed words."""
    allowed: str
    """Type and range in words, such as "a whole number from 1 to 100"."""
    sentence: str


def list_settings(settings: Settings) -> list[SettingInfo]:
    """Return the description of each setting, in the order of declaration.

    >>> @dataclass(frozen=True)
    ... class NoiseSettings(Settings):
    ...     noise: float = setting(0.1, least=0, most=1)
    >>> print(list_settings(NoiseSettings())[0].allowed)
    a number from 0 to 1
    >>> NoiseSettings(noise=2)
    Traceback (most recent call last):
    r5._util.settings.SettingsError: noise must be a number from 0 to 1, not 2
    """
    descriptions = _descriptions(type(settings))
    return [
        SettingInfo(
            name=name,
            type=kind.type_name,
            default=getattr(settings, name),
            range=str(kind.range) or None,
            choices=kind.choices,
            allowed=str(kind),
            sentence=descriptions.get(name, ""),
        )
        for name, kind in _kinds(type(settings)).items()  # type: ignore[arg-type]
    ]


_INVALID = object()
"""Marks a value that is not allowed."""


@dataclass(frozen=True, slots=True)
class _Kind:
    """Type and range of one setting."""

    of: Any
    """Type of a value: bool, int, float, str or a Literal."""
    range: _Range
    optional: bool = False
    is_list: bool = False

    @property
    def choices(self) -> tuple[str, ...] | None:
        """Words of a Literal, None for other types."""
        return get_args(self.of) if get_origin(self.of) is Literal else None

    @property
    def type_name(self) -> str:
        """Name of the type for scripts."""
        name = "str" if self.choices is not None else self.of.__name__
        return ("list of " if self.is_list else "") + name + (" or null" if self.optional else "")

    def read(self, value: object) -> object:
        """Return the value as the declared type, or `_INVALID`."""
        if value is None and self.optional:
            return None
        if not self.is_list:
            return self._read_one(value)
        if isinstance(value, str | bytes) or not isinstance(value, Iterable):
            return _INVALID
        values = tuple(map(self._read_one, value))
        return _INVALID if not values or _INVALID in values else values

    def _read_one(self, value: object) -> object:
        if self.choices is not None:
            return value if isinstance(value, str) and value in self.choices else _INVALID
        if self.of in (bool, str):
            return value if isinstance(value, self.of) else _INVALID
        if isinstance(value, bool) or not isinstance(value, Integral if self.of is int else Real):
            return _INVALID
        try:
            number = self.of(value)
            is_valid = math.isfinite(number) and self.range.contains(number)
        except OverflowError:  # an integer beyond the range of a float
            is_valid = False
        return number if is_valid else _INVALID

    def __str__(self) -> str:
        several = {bool: "values true or false", int: "whole numbers", float: "numbers", str: "words"}
        single = {bool: "true or false", int: "a whole number", float: "a number", str: "a word"}
        if self.choices is not None:
            words = f"one of {', '.join(self.choices)}"
        elif self.is_list:
            words = f"a list of one or more {several[self.of]} {self.range}"
        else:
            words = f"{single[self.of]} {self.range}"
        return words.strip() + (" or None" if self.optional else "")


@functools.cache
def _kinds(settings: type[Settings]) -> Mapping[str, _Kind]:
    """Return the declared kind of each setting of a class."""
    hints = get_type_hints(settings)
    return {
        field.name: _kind_of(hints[field.name], field.metadata.get("range", _Range()))
        for field in dataclasses.fields(settings)
    }


def _kind_of(hint: Any, numbers: _Range) -> _Kind:
    optional = NoneType in get_args(hint)
    if optional:
        hint = Union[tuple(part for part in get_args(hint) if part is not NoneType)]  # noqa: UP007  it is computed
    if get_origin(hint) in (Union, UnionType):  # a union of Literals is one Literal
        hint = Literal[tuple(word for part in get_args(hint) for word in get_args(part))]
    is_list = get_origin(hint) is tuple
    return _Kind(get_args(hint)[0] if is_list else hint, numbers, optional, is_list)


def _descriptions(settings: type[Settings]) -> dict[str, str]:
    """Return the docstring below each setting, read from the source; subclasses override; empty without the source."""
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
