"""SVG as text: one function that makes an element, so that every picture is escaped the same way."""

from __future__ import annotations

import re
from html import escape

__all__ = ["element"]

_UNFIT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""Characters that XML has no way to write."""


def element(tag: str, *children: str, **attributes: object) -> str:
    """One element; children are elements already made. `text` becomes its escaped text, None leaves an attribute out.

    An underscore in a name stands for a hyphen, and one at the end for nothing, so that Python's words can be used.

    >>> element("text", x=3, font_size=12, class_="axis", text="a < b")
    '<text x="3" font-size="12" class="axis">a &lt; b</text>'
    >>> element("g", element("path", d="M0 0"), id=None)
    '<g><path d="M0 0"></path></g>'
    """
    text = attributes.pop("text", None)
    inner = "".join(children) + ("" if text is None else escape(_fit(str(text)), quote=False))
    written = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{escape(_fit(_value(value)))}"'
        for name, value in attributes.items()
        if value is not None
    )
    return f"<{tag}{written}>{inner}</{tag}>"


def _value(value: object) -> str:
    """Coordinates with two decimals at most: pictures stay small and the same everywhere."""
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def _fit(text: str) -> str:
    return _UNFIT.sub("\ufffd", text)
