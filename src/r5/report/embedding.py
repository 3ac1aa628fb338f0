"""Embedding: data and code inside a page, so that no name in the data can end a script or start another."""

from __future__ import annotations

import base64
import hashlib
import json
from typing import Any

__all__ = ["Names", "as_json", "security_policy"]

_ESCAPES = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def as_json(value: Any) -> str:
    r"""The value as compact JSON that may stand between script tags: whatever HTML could read as markup is escaped.

    >>> as_json({"name": "</script>"})
    '{"name":"\\u003c/script\\u003e"}'
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for character, escape in _ESCAPES.items():
        text = text.replace(character, escape)
    return text


def security_policy(style: str, script: str) -> str:
    """A Content-Security-Policy under which only this style sheet and this script act and nothing is fetched.

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


class Names:
    """Numbers for relation names, in the order in which they are first met: each name is embedded once.

    >>> names = Names()
    >>> names.number("aunt"), names.number("son"), names.number("aunt"), names.listed()
    (0, 1, 0, ['aunt', 'son'])
    """

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def number(self, name: str | None) -> int:
        """The number of a name; -1 for none."""
        return -1 if name is None else self._numbers.setdefault(name, len(self._numbers))

    def listed(self) -> list[str]:
        """All names met so far, by number."""
        return list(self._numbers)
