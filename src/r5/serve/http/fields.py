"""Fields of requests, with types and limits, for validation and the OpenAPI document."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from r5._util.text import abbreviate
from r5.serve.errors import RequestError

__all__ = ["MAX_EDITS", "MAX_NAME_LENGTH", "Field", "validate_fields"]

MAX_NAME_LENGTH = 1000
MAX_EDITS = 200
_MAX_DEPTH = 20

Kind = Literal["text", "whole", "truth", "texts", "numbers", "edits", "choice"]


@dataclass(frozen=True)
class Field:
    """Field of a request."""

    name: str
    kind: Kind
    about: str
    default: Any = None
    required: bool = False
    least: int = 0
    most: int = MAX_NAME_LENGTH
    choices: tuple[str, ...] = ()

    def schema(self) -> dict[str, Any]:
        """Return the JSON schema of the value."""
        text = {"type": "string", "maxLength": MAX_NAME_LENGTH}
        kinds: dict[str, dict[str, Any]] = {
            "text": {"type": "string", "maxLength": self.most},
            "whole": {"type": "integer", "minimum": self.least, "maximum": self.most},
            "truth": {"type": "boolean"},
            "choice": {"type": "string", "enum": list(self.choices)},
            "texts": {"type": "array", "items": text, "maxItems": self.most},
            "numbers": {"type": "array", "items": {"type": "integer", "minimum": 0}, "maxItems": self.most},
            "edits": {
                "type": "array",
                "maxItems": MAX_EDITS,
                "items": {"type": "array", "items": text, "minItems": 4, "maxItems": 4},
            },
        }
        default = {} if self.default is None else {"default": self.default}
        return {**kinds[self.kind], **default, "description": self.about}

    def read(self, value: Any) -> Any:
        """Return the value if it is valid.

        Raises:
            RequestError: The value has another type or exceeds a limit.
        """
        is_valid = {
            "text": _is_text(value, self.most),
            "whole": type(value) is int and self.least <= value <= self.most,
            "truth": type(value) is bool,
            "choice": value in self.choices if isinstance(value, str) else False,
            "texts": _is_list(value, self.most) and all(_is_text(one) for one in value),
            "numbers": _is_list(value, self.most) and all(type(one) is int and 0 <= one < 2**31 for one in value),
            "edits": _is_list(value, MAX_EDITS) and all(map(_is_edit, value)),
        }
        if not is_valid[self.kind]:
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
            "edits": f'a list of up to {MAX_EDITS} of ["+" or "-", source, relation, target]',
        }[self.kind]

    def from_query(self, text: str) -> Any:
        """Decode the value of a URL parameter; lists and edits are JSON."""
        if self.kind in ("text", "choice"):
            return text
        if self.kind == "whole" and not (text.removeprefix("-").isdecimal() and len(text) < 20):
            return text
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            return text


def _is_text(value: object, most: int = MAX_NAME_LENGTH) -> bool:
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


def validate_fields(fields: tuple[Field, ...], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return all fields with their values or defaults.

    Raises:
        RequestError: A field is unknown or invalid, or a required field is missing.
    """
    known = {field.name: field for field in fields}
    if unknown := next((name for name in given if name not in known), None):
        raise RequestError(f"there is no field {abbreviate(unknown)}; expected {', '.join(known) or 'none'}")
    values: dict[str, Any] = {}
    for name, field in known.items():
        if given.get(name) is not None:
            values[name] = field.read(given[name])
        elif field.required:
            raise RequestError(f"{name} is missing: {field.about}")
        else:
            values[name] = field.default
    return values
