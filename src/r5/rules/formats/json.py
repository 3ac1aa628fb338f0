"""Rules as JSON: a list of objects with head, body, statistics and invented."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NoReturn

from r5.errors import DataError, R5Error
from r5.rules.formats.text import check_name
from r5.rules.rule import Rule

__all__ = ["read_json", "rule_from_json", "write_json"]

_FIGURES = ("weight", "probability", "body_probability", "score", "possibility", "support", "predictions", "pca")
_BLANKS = " \t\r\n"


def write_json(rules: Iterable[Rule]) -> str:
    """Write a JSON list with one rule per line.

    >>> print(write_json([Rule("aunt", ("father", "sister"), probability=0.98, support=412)]), end="")
    [
     {"head": "aunt", "body": ["father", "sister"], "probability": 0.98, "support": 412, "invented": false}
    ]
    """
    lines = [json.dumps(rule.to_json(), ensure_ascii=False, allow_nan=False) for rule in rules]
    return "[\n " + ",\n ".join(lines) + "\n]\n" if lines else "[]\n"


def read_json(text: str, path: str | Path | None = None) -> list[Rule]:
    """Parse a JSON list of rules.

    Args:
        text: The JSON text.
        path: File named in errors.

    Raises:
        DataError: The text is invalid; the message names the line.
    """
    rules = []
    for place, item in _items(text, path):
        try:
            rules.append(rule_from_json(item))
        except R5Error as error:
            raise DataError(f"rule {len(rules) + 1}: {error}", path, _line(text, place)) from None
    return rules


def rule_from_json(item: Any) -> Rule:
    """Convert a JSON object, as returned by `Rule.to_json`, to a rule; unknown keys are ignored.

    Raises:
        R5Error: The object is invalid.
    """
    if not isinstance(item, dict) or not isinstance(item.get("body"), list):
        raise R5Error("expected an object with a head and a body, which is a list of relations")
    if not isinstance(item.get("invented", False), bool):
        raise R5Error("invented must be true or false")
    figures = {key: _number(key, item.get(key)) for key in _FIGURES}
    names = [check_name(name) for name in (item.get("head"), *item["body"])]
    target, ending = (None if item.get(key) is None else check_name(item[key]) for key in ("target", "ending"))
    about: dict[str, Any] = {**figures, "target": target, "ending": ending}
    return Rule(names[0], tuple(names[1:]), **about, invented=item.get("invented", False))


def _number(key: str, value: Any) -> float | None:
    """Check an optional number of a rule, which must fit a float."""
    if value is None or (type(value) in (int, float) and abs(value) <= sys.float_info.max):
        return value  # type: ignore[no-any-return]
    raise R5Error(f"{key} must be a number")


def _items(text: str, path: str | Path | None) -> Iterator[tuple[int, Any]]:
    """Yield the items of a JSON list with their positions; errors name the line."""
    decoder = json.JSONDecoder(parse_constant=_refuse)
    place = _after_blanks(text, 0)
    if text[place : place + 1] != "[":
        raise DataError("expected a JSON list of rules", path, _line(text, place))
    place = _after_blanks(text, place + 1)
    first = True
    while text[place : place + 1] != "]":
        if not first:
            if text[place : place + 1] != ",":
                raise DataError("is not valid JSON: expected a comma or ] after a rule", path, _line(text, place))
            place = _after_blanks(text, place + 1)
        try:
            item, end = decoder.raw_decode(text, place)
        except json.JSONDecodeError as error:
            raise DataError(f"is not valid JSON: {error.msg}", path, error.lineno) from None
        except (ValueError, RecursionError):
            raise DataError(
                "is not valid JSON: a number or the nesting is too long", path, _line(text, place)
            ) from None
        yield place, item
        place = _after_blanks(text, end)
        first = False
    if text[place + 1 :].strip(_BLANKS):
        raise DataError("is not valid JSON: something follows the list", path, _line(text, place))


def _after_blanks(text: str, place: int) -> int:
    while text[place : place + 1] in tuple(_BLANKS):
        place += 1
    return place


def _line(text: str, place: int) -> int:
    return text.count("\n", 0, place) + 1


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)
