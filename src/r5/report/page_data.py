"""Data inside a page, escaped so that no name can end a script or start another one."""

from __future__ import annotations

import base64
import hashlib
import json
from typing import Any

__all__ = ["NameIndex", "as_json", "security_policy"]

_ESCAPES = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def as_json(value: Any) -> str:
    r"""Return a value as compact JSON for a script element; characters of HTML markup are escaped.

    >>> as_json({"name": "</script>"})
    '{"name":"\\u003c/script\\u003e"}'
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for character, escape in _ESCAPES.items():
        text = text.replace(character, escape)
    return text


def security_policy(style: str, script: str) -> str:
    """Return a Content-Security-Policy that allows only this style sheet and this script, and no requests.

    >>> security_policy("", "").split("; ")[0]
    "default-src 'none'"
    """
    rules = (
        "default-src 'none'",
        f"style-src '{_digest(style)}'",
        f"script-src '{_digest(script)}'",
        "img-src data:",
        "base-uri 'none'",
        "form-action 'none'",
    )
    return "; ".join(rules)


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


class NameIndex:
    """Index of relation names, numbered in the order of their first use.

    >>> names = NameIndex()
    >>> names.number("aunt"), names.number("son"), names.number("aunt"), names.names()
    (0, 1, 0, ['aunt', 'son'])
    """

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def number(self, name: str | None) -> int:
        """Return the number of a name, which is added if it is new; -1 for None."""
        return -1 if name is None else self._numbers.setdefault(name, len(self._numbers))

    def names(self) -> list[str]:
        """Return all names by number."""
        return list(self._numbers)
