"""What a request may say: fields with their kinds and limits, checked on the way in and told by OpenAPI."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from r5._util.text import abbreviate
from r5.errors import R5Error

__all__ = ["LONGEST_NAME", "MOST_EDITS", "Field", "RequestError", "checked"]

LONGEST_NAME = 1000
MOST_EDITS = 200
_DEEPEST = 20

Kind = Literal["text", "whole", "truth", "texts", "numbers", "edits", "choice"]


class RequestError(R5Error):
    """A request that cannot be answered, with the status that tells how it is wrong."""

    def __init__(self, message: str, status: int = 400) -> None:
        self.status = status
        super().__init__(message)


@dataclass(frozen=True)
class Field:
    """One value that a request may hold."""

    name: str
    kind: Kind
    about: str
    default: Any = None
    required: bool = False
    least: int = 0
    most: int = LONGEST_NAME
    choices: tuple[str, ...] = ()

    def schema(self) -> dict[str, Any]:
        """What the OpenAPI document says of its value."""
        text = {"type": "string", "maxLength": LONGEST_NAME}
        kinds: dict[str, dict[str, Any]] = {
            "text": {"type": "string", "maxLength": self.most},
            "whole": {"type": "integer", "minimum": self.least, "maximum": self.most},
            "truth": {"type": "boolean"},
            "choice": {"type": "string", "enum": list(self.choices)},
            "texts": {"type": "array", "items": text, "maxItems": self.most},
            "numbers": {"type": "array", "items": {"type": "integer", "minimum": 0}, "maxItems": self.most},
            "edits": {
                "type": "array",
                "maxItems": MOST_EDITS,
                "items": {"type": "array", "items": text, "minItems": 4, "maxItems": 4},
            },
        }
        default = {} if self.default is None else {"default": self.default}
        return {**kinds[self.kind], **default, "description": self.about}

    def read(self, value: Any) -> Any:
        """The value, if it is as it should be."""
        fits = {
            "text": _is_text(value, self.most),
            "whole": type(value) is int and self.least <= value <= self.most,
            "truth": type(value) is bool,
            "choice": value in self.choices if isinstance(value, str) else False,
            "texts": _is_list(value, self.most) and all(_is_text(one) for one in value),
            "numbers": _is_list(value, self.most) and all(type(one) is int and 0 <= one < 2**31 for one in value),
            "edits": _is_list(value, MOST_EDITS) and all(map(_is_edit, value)),
        }
        if not fits[self.kind]:
            raise RequestError(f"{self.name} is {abbreviate(value)}; expected {self._expected()}")
        return value

    def _expected(self) -> str:
        return {
            "text": f"text of up to {self.most:,} characters",
            "whole": f"a whole number from {self.least} to {self.most:,}",
            "truth": "true or false",
            "choice": " or ".join(self.choices),
            "texts": f"a list of up to {self.most:,} names",
            "numbers": f"a list of up to {self.most:,} whole numbers",
            "edits": f'a list of up to {MOST_EDITS} of ["+" or "-", source, relation, target]',
        }[self.kind]

    def from_query(self, text: str) -> Any:
        """The value that a text in a URL stands for; lists and edits are JSON."""
        if self.kind in ("text", "choice"):
            return text
        if self.kind == "whole" and not (text.removeprefix("-").isdecimal() and len(text) < 20):
            return text
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            return text


def _is_text(value: object, most: int = LONGEST_NAME) -> bool:
    if not isinstance(value, str) or len(value) > most or "\0" in value:
        return False
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_list(value: object, most: int) -> bool:
    return isinstance(value, list) and len(value) <= most


def _is_edit(value: object) -> bool:
    return (
        isinstance(value, list)
        and len(value) == 4
        and all(_is_text(part) and part.strip() for part in value)
        and value[0] in ("+", "-")
    )


def checked(fields: tuple[Field, ...], given: Mapping[str, Any]) -> dict[str, Any]:
    """All fields with their values or defaults; unknown ones, and required ones that are missing, are refused."""
    known = {field.name: field for field in fields}
    if unknown := next((name for name in given if name not in known), None):
        raise RequestError(f"there is no field {abbreviate(unknown)}; expected {', '.join(known) or 'none'}")
    found: dict[str, Any] = {}
    for name, field in known.items():
        if given.get(name) is not None:
            found[name] = field.read(given[name])
        elif field.required:
            raise RequestError(f"{name} is missing: {field.about}")
        else:
            found[name] = field.default
    return found
