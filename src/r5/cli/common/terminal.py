"""Text on a terminal: lines broken between words, and colours; text in pipes and files stays as it is."""

from __future__ import annotations

import os
import re
import shutil
import sys
import textwrap
from typing import TextIO

__all__ = ["colour_text", "has_colour", "terminal_width", "text_for_terminal", "wrap_lines"]

_LEAST_WIDTH = 40
_GREEN, _RED, _CYAN, _DIM, _BOLD = "32", "31", "36", "2", "1"
_COLOURS = (
    (re.compile(r"^( *(?:[│├└─]+ *)*)(\+\d+\.\d{3})(?=  )"), _GREEN),
    (re.compile(r"^( *(?:[│├└─]+ *)*)(-\d+\.\d{3})(?=  )"), _RED),
    (re.compile(r"( -)(\S(?:[^->]|-(?!>))*)(?=->(?: |$))"), _CYAN),
    (re.compile(r"(\S {2,}|^ +)((?:weight|confidence|p|score|possible|support|coverage|pca)=.*)$"), _DIM),
    (re.compile(r"^()(\S[^()\n]*(?=\(X, .*\) <= ))"), _BOLD),
)
"""Patterns of a weight for, a weight against, a relation, and the figures and head of a rule; group 2 is coloured."""


def terminal_width(stream: TextIO | None = None) -> int | None:
    """Return the columns of the terminal that a stream writes to; None for a pipe or a file."""
    stream = stream or sys.stdout
    return max(shutil.get_terminal_size().columns, _LEAST_WIDTH) if stream.isatty() else None


def has_colour(stream: TextIO | None = None) -> bool:
    """Return whether a stream is a terminal with colours; `NO_COLOR` (https://no-color.org) turns them off."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return (stream or sys.stdout).isatty()


def text_for_terminal(text: str) -> str:
    """Return text as standard output shows it: broken between words and coloured on a terminal, else unchanged."""
    width = terminal_width()
    if width is None:
        return text
    text = wrap_lines(text, width)
    return colour_text(text) if has_colour() else text


def wrap_lines(text: str, width: int) -> str:
    """Break lines that are too long between words; what continues a line is indented under its text.

    >>> print(wrap_lines("  +0.500  Ann -mother-> Eve, Eve -brother-> Tom", 34))
      +0.500  Ann -mother-> Eve, Eve
                -brother-> Tom
    """
    return "\n".join(line for one in text.split("\n") for line in _wrap(one, width))


def _wrap(line: str, width: int) -> list[str]:
    if len(line) <= width:
        return [line]
    start = re.match(r"[ │├└─]*([+-]?\d+(\.\d{3})?  )?", line)
    margin = start[0] if start is not None else ""
    trunk = "".join("│" if letter in "│├" else " " for letter in margin)
    pieces = textwrap.wrap(
        line[len(margin) :],
        width,
        initial_indent=margin,
        subsequent_indent=f"{trunk}  ",
        break_long_words=False,
        break_on_hyphens=False,
        expand_tabs=False,
        replace_whitespace=False,
    )
    return pieces or [line]


def colour_text(text: str) -> str:
    r"""Return text with terminal colours: weights for and against, relations of facts, heads and figures of rules.

    >>> print(repr(colour_text("  +0.500  Ann -mother-> Eve")))
    '  \x1b[32m+0.500\x1b[0m  Ann -\x1b[36mmother\x1b[0m-> Eve'
    """
    lines = text.split("\n")
    for pattern, code in _COLOURS:
        lines = [pattern.sub(f"\\1\x1b[{code}m\\2\x1b[0m", line) for line in lines]
    return "\n".join(lines)
