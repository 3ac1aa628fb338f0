"""SVG elements as escaped text."""

from __future__ import annotations

import re
from html import escape

__all__ = ["element"]

_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""Characters that XML does not allow."""


def element(tag: str, *children: str, **attributes: object) -> str:
    """Return an element as text.

    Args:
        tag: Name of the element.
        children: Elements as text, which are not escaped again.
        attributes: Attributes by name; None is left out. An underscore becomes a hyphen, one at the end (`class_`) is
            dropped. `text` is the text of the element, not an attribute.

    >>> element("text", x=3, font_size=12, class_="axis", text="a < b")
    '<text x="3" font-size="12" class="axis">a &lt; b</text>'
    >>> element("g", element("path", d="M0 0"), id=None)
    '<g><path d="M0 0"></path></g>'
    """
    text = attributes.pop("text", None)
    inner = "".join(children) + ("" if text is None else escape(_replace_invalid(str(text)), quote=False))
    written = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{escape(_replace_invalid(_value(value)))}"'
        for name, value in attributes.items()
        if value is not None
    )
    return f"<{tag}{written}>{inner}</{tag}>"


def _value(value: object) -> str:
    """Format a value; coordinates have at most two decimals, so that pictures are small and reproducible."""
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def _replace_invalid(text: str) -> str:
    return _NOT_XML.sub("\ufffd", text)
