"""A picture: the SVG element around a chart, with a title and a description for those who cannot see it."""

from __future__ import annotations

from r5._util.svg import element

__all__ = ["picture", "shortened"]


def picture(
    name: str, title: str, description: str, size: tuple[float, float], *parts: str, interactive: bool = False
) -> str:
    """An inline SVG of that size; `name` must be the only one of its kind on the page.

    An interactive picture is a group, so that the controls in it can be reached, and keeps its size; any other is one
    image, as wide as there is room.

    >>> picture("dot", "A dot", "In the middle", (10, 10), element("circle", cx=5, cy=5, r=1))[:76]
    '<svg viewBox="0 0 10 10" class="chart" role="img" aria-labelledby="dot-title'
    """
    width, height = size
    return element(
        "svg",
        element("title", id=f"{name}-title", text=title),
        element("desc", id=f"{name}-description", text=description),
        *parts,
        viewBox=f"0 0 {width:g} {height:g}",
        width=f"{width:g}" if interactive else None,
        height=f"{height:g}" if interactive else None,
        class_="chart",
        role="group" if interactive else "img",
        aria_labelledby=f"{name}-title {name}-description",
    )


def shortened(name: str, most: int) -> str:
    """A name cut to so many characters, for where there is no more room; the whole goes into a title.

    >>> shortened("granddaughter", 8), shortened("aunt", 8)
    ('grandda…', 'aunt')
    """
    return name if len(name) <= most else name[: most - 1] + "…"
