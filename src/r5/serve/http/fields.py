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

Kind = Literal["text", "integer", "boolean", "texts", "numbers", "edits", "facts", "choice"]


@dataclass(frozen=True)
class Field:
    """Field of a request."""

    name: str
    kind: Kind
    description: str
    default: Any = None
    required: bool = False
    minimum: int = 0
    maximum: int = MAX_NAME_LENGTH
    choices: tuple[str, ...] = ()

    def schema(self) -> dict[str, Any]:
        """Return the JSON schema of the value."""
        text = {"type": "string", "maxLength": MAX_NAME_LENGTH}
        kinds: dict[str, dict[str, Any]] = {
            "text": {"type": "string", "maxLength": self.maximum},
            "integer": {"type": "integer", "minimum": self.minimum, "maximum": self.maximum},
            "boolean": {"type": "boolean"},
            "choice": {"type": "string", "enum": list(self.choices)},
            "texts": {"type": "array", "items": text, "maxItems": self.maximum},
            "numbers": {"type": "array", "items": {"type": "integer", "minimum": 0}, "maxItems": self.maximum},
            "facts": {
                "type": "array",
                "maxItems": self.maximum,
                "items": {"type": "array", "items": text, "minItems": 3, "maxItems": 3},
            },
            "edits": {
                "type": "array",
                "maxItems": MAX_EDITS,
                "items": {"type": "array", "items": text, "minItems": 4, "maxItems": 4},
            },
        }
        default = {} if self.default is None else {"default": self.default}
        return {**kinds[self.kind], **default, "description": self.description}

    def read(self, value: Any) -> Any:
        """Return the value if it is valid.

        Raises:
            RequestError: The value has another type or exceeds a limit.
        """
        is_valid = {
            "text": _is_text(value, self.maximum),
            "integer": type(value) is int and self.minimum <= value <= self.maximum,
            "boolean": type(value) is bool,
            "choice": value in self.choices if isinstance(value, str) else False,
            "texts": _is_list(value, self.maximum) and all(_is_text(one) for one in value),
            "numbers": _is_list(value, self.maximum) and all(type(one) is int and 0 <= one < 2**31 for one in value),
            "facts": _is_list(value, self.maximum) and all(map(_is_fact, value)),
            "edits": _is_list(value, MAX_EDITS) and all(map(_is_edit, value)),
        }
        if not is_valid[self.kind]:
            raise RequestError(f"{self.name} is {abbreviate(value)}; expected {self._expected()}")
        return value

    def _expected(self) -> str:
        return {
            "text": f"text of up to {self.maximum:,} characters",
            "integer": f"a whole number from {self.minimum} to {self.maximum:,}",
            "boolean": "true or false",
            "choice": " or ".join(self.choices),
            "texts": f"a list of up to {self.maximum:,} names",
            "numbers": f"a list of up to {self.maximum:,} whole numbers",
            "facts": f"a list of up to {self.maximum:,} of [source, relation, target]",
            "edits": f'a list of up to {MAX_EDITS} of ["+" or "-", source, relation, target]',
        }[self.kind]

    def from_query(self, text: str) -> Any:
        """Decode the value of a URL parameter; lists and edits are JSON."""
        if self.kind in ("text", "choice"):
            return text
        if self.kind == "integer" and not (text.removeprefix("-").isdecimal() and len(text) < 20):
            return text
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            return text


def _is_text(value: object, maximum: int = MAX_NAME_LENGTH) -> bool:
    if not isinstance(value, str) or len(value) > maximum or "\0" in value:
        return False
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_list(value: object, most: int) -> bool:
    return isinstance(value, list) and len(value) <= most


def _is_fact(value: object) -> bool:
    return isinstance(value, list) and len(value) == 3 and all(_is_text(part) for part in value)


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
            raise RequestError(f"{name} is missing: {field.description}")
        else:
            values[name] = field.default
    return values
