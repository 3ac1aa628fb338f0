"""Colours of pictures: one of twelve for a relation, by its name alone, and the style for light and dark."""

from __future__ import annotations

from collections.abc import Mapping

from r5.relations import base_name

__all__ = ["COLOURS", "colour_classes", "colour_number", "colour_style"]

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


def colour_style(picture: str, colours: Mapping[str, tuple[str, str]], on_page: bool = False) -> str:
    """Return the style of custom properties: colours of a picture and those of relations, `--relation-0` and so on.

    Args:
        picture: Selector of the picture.
        colours: Names of properties, and their values on light and on dark paper.
        on_page: True for the colour scheme of a page, which a button may set; false for that of the system.

    >>> print(colour_style(".one", {"ink": ("#000", "#fff")})[:25])
    .one { --ink: #000; --rel
    """
    every = {**colours, **{f"relation-{number}": pair for number, pair in enumerate(COLOURS)}}
    light, dark = (" ".join(f"--{name}: {pair[place]};" for name, pair in every.items()) for place in (0, 1))
    both = " ".join(f"--{name}: light-dark({pair[0]}, {pair[1]});" for name, pair in every.items())
    other = (
        f"@supports (color: light-dark(red, blue)) {{ {picture} {{ {both} }} }}"
        if on_page
        else f"@media (prefers-color-scheme: dark) {{ {picture} {{ {dark} }} }}"
    )
    return f"{picture} {{ {light} }}\n{other}\n{colour_classes(picture)}"


def colour_classes(picture: str) -> str:
    """Return the style of the classes `r0`, `r1` and so on, which set `--relation` inside a picture."""
    return "".join(f"{picture} .r{n} {{ --relation: var(--relation-{n}) }}\n" for n in range(len(COLOURS)))
