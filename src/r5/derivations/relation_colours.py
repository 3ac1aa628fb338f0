"""Colour of a relation: one of twelve, by its name alone, so that it is the same in every picture and page."""

from __future__ import annotations

from r5.relations import base_name

__all__ = ["COLOURS", "colour_classes", "colour_number", "colour_variables"]

COLOURS = (
    ("#1f5fa8", "#7db3ec"),
    ("#9a4a00", "#f0a06a"),
    ("#1b6e3c", "#7fd6a2"),
    ("#7a3e9d", "#cf9fe0"),
    ("#0b6a75", "#6ccdd6"),
    ("#a8246e", "#ff9bc8"),
    ("#6b6000", "#d6c95c"),
    ("#b0302b", "#ff9a92"),
    ("#4b4ac2", "#a9a8ff"),
    ("#6b4f3a", "#d1b59c"),
    ("#8a5a00", "#e3b95c"),
    ("#3d5a73", "#a9c0d6"),
)
"""Colours on light and on dark paper."""
_OFFSET, _PRIME = 0x811CA218, 0x01000193
"""Constants of the hash; with this offset the relations of the data sets kinship and library share few colours."""


def colour_number(relation: str) -> int:
    """Return the number of the colour of a relation; an inverse relation has that of its base.

    The hash is FNV-1a (32 bits) over UTF-8 with an offset of its own.

    >>> colour_number("mother"), colour_number("mother^-1"), colour_number("aunt")
    (3, 3, 2)
    """
    code = _OFFSET
    for byte in base_name(relation).encode("utf-8", "surrogatepass"):
        code = (code ^ byte) * _PRIME & 0xFFFFFFFF
    return (code >> 8) % len(COLOURS)


def colour_variables(dark: bool) -> str:
    """Return the colours as custom properties `--relation-0` and so on."""
    return " ".join(f"--relation-{number}: {pair[dark]};" for number, pair in enumerate(COLOURS))


def colour_classes(picture: str) -> str:
    """Return the style of the classes `r0`, `r1` and so on, which set `--relation` inside a picture."""
    return "".join(f"{picture} .r{n} {{ --relation: var(--relation-{n}) }}\n" for n in range(len(COLOURS)))
