"""`--out` of every command: a file that is not there yet, or `-` for standard output."""

from __future__ import annotations

from pathlib import Path

import typer

from r5.cli.console import show

__all__ = ["FORCE", "OUT", "STANDARD", "check_out", "deliver"]

STANDARD = (Path("-"), Path("/dev/stdout"), Path("/dev/fd/1"), Path("/proc/self/fd/1"))
"""Names of standard output."""
OUT = typer.Option(None, metavar="FILE", help="Write to this file instead; - is standard output.")
FORCE = typer.Option(False, "--force", help="Replace a file that is there.")


def check_out(out: Path | None, force: bool) -> None:
    """An error, before any work, where the result could not be written."""
    from r5._util.files.writing import check_output

    if out is not None and out not in STANDARD:
        check_output(out, force)


def deliver(text: str, out: Path | None, force: bool) -> None:
    """Print a result, or write it to a file and print the file's name."""
    from r5._util.files.writing import write_text

    text = text.removesuffix("\n")
    if out is None or out in STANDARD:
        show(text)
        return
    write_text(out, f"{text}\n", force)
    show(str(out))
