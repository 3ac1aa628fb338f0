"""Standard output for results, standard error for the log; parsing of option values."""

from __future__ import annotations

import json
import os
import secrets
import sys
from typing import Any

import typer

from r5.cli.common.terminal import terminal_width, wrap_lines
from r5.errors import R5Error

__all__ = ["choose_seed", "is_terminal", "log", "parse_integers", "parse_options", "show", "show_json"]


def show(text: str) -> None:
    """Print a result on standard output.

    Raises:
        R5Error: Standard output cannot be written; a closed pipe raises `BrokenPipeError`.
    """
    try:
        typer.echo(text)
    except BrokenPipeError:
        raise
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # a flush at exit would fail again
        raise R5Error(f"standard output cannot be written: {error.strerror}") from None


def show_json(value: Any) -> None:
    """Print a result as one JSON value on standard output."""
    show(json.dumps(value, ensure_ascii=False, indent=2))


def log(text: str, quiet: bool = False, wrap: bool = True) -> None:
    """Print a line of the log on standard error, unless quiet.

    Args:
        text: The line; a terminal breaks it between words.
        quiet: True to print nothing.
        wrap: False for a command to copy, which stays on one line.
    """
    if not quiet:
        width = terminal_width(sys.stderr) if wrap else None
        typer.echo(text if width is None else wrap_lines(text, width), err=True)


def is_terminal() -> bool:
    """Return whether standard error is a terminal, which shows progress."""
    return sys.stderr.isatty()


def choose_seed(seed: int | None, quiet: bool = False) -> int:
    """Return the given seed, or a random one that is logged, so that the run can be repeated."""
    if seed is None:
        seed = secrets.randbelow(2**31)
        log(f"seed {seed}", quiet)
    return seed


def parse_integers(text: str) -> tuple[int, ...]:
    """Parse a list of integers and ranges.

    >>> parse_integers("2,3"), parse_integers("4-6,9")
    ((2, 3), (4, 5, 6, 9))
    """
    parsed: list[int] = []
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()) or len(part) > 20:
            raise R5Error(f"expected whole numbers like 2,3 or 4-10, got {text!r}")
        span = range(int(first), int(last if dash else first) + 1)
        if len(span) > 1000:
            raise R5Error(f"{part.strip()!r} spans more than 1,000 numbers")
        parsed += span
    return tuple(dict.fromkeys(parsed))


def parse_options(pairs: list[str]) -> dict[str, Any]:
    """Parse `key=value` options; a value is JSON if it is valid JSON, else text.

    >>> parse_options(["limit=5", "policy=trail", "inverse=true"])
    {'limit': 5, 'policy': 'trail', 'inverse': True}
    """
    found: dict[str, Any] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key.isidentifier():
            raise R5Error(f"expected key=value, got {pair!r}")
        try:
            found[key] = json.loads(value)
        except (ValueError, RecursionError):
            found[key] = value
    return found
