"""What every command shares: results to standard output, everything else to standard error."""

from __future__ import annotations

import json
import os
import secrets
import sys
from typing import Any

import typer

from r5.errors import R5Error

__all__ = ["chosen_seed", "log", "numbers", "options", "show", "show_json"]


def show(text: str) -> None:
    """A result, on standard output; a disk that is full is told, a reader who has gone is not."""
    try:
        typer.echo(text)
    except BrokenPipeError:
        raise
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or the rest would fail once more at the end
        raise R5Error(f"standard output cannot be written: {error.strerror}") from None


def show_json(value: Any) -> None:
    """A result for scripts: one JSON value on standard output."""
    show(json.dumps(value, ensure_ascii=False, indent=2))


def log(text: str, quiet: bool = False) -> None:
    """What is going on, on standard error."""
    if not quiet:
        typer.echo(text, err=True)


def on_terminal() -> bool:
    """Whether a person watches standard error, so that progress is worth showing."""
    return sys.stderr.isatty()


def chosen_seed(seed: int | None, quiet: bool = False) -> int:
    """The seed given, or a fresh one that is printed so that the run can be repeated."""
    if seed is None:
        seed = secrets.randbelow(2**31)
        log(f"seed {seed}", quiet)
    return seed


def numbers(text: str) -> tuple[int, ...]:
    """Whole numbers as people write them.

    >>> numbers("2,3"), numbers("4-6,9")
    ((2, 3), (4, 5, 6, 9))
    """
    found: list[int] = []
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()) or len(part) > 20:
            raise R5Error(f"expected whole numbers like 2,3 or 4-10, got {text!r}")
        span = range(int(first), int(last if dash else first) + 1)
        if len(span) > 1000:
            raise R5Error(f"{part.strip()!r} spans more than 1,000 numbers")
        found += span
    return tuple(dict.fromkeys(found))


def options(pairs: list[str]) -> dict[str, Any]:
    """`key=value` options; a value is JSON where it reads as such, else text.

    >>> options(["limit=5", "policy=trail", "inverse=true"])
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
