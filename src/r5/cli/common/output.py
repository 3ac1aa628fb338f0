"""Option `--out`: a new file, or `-` for standard output."""

from __future__ import annotations

from pathlib import Path

import typer

from r5.cli.common.console import show
from r5.cli.common.terminal import text_for_terminal

__all__ = ["FORCE", "OUT", "STANDARD_OUTPUT", "check_out", "write_result"]

STANDARD_OUTPUT = (Path("-"), Path("/dev/stdout"), Path("/dev/fd/1"), Path("/proc/self/fd/1"))
"""Names of standard output."""
OUT = typer.Option(None, metavar="FILE", help="File to write; - is standard output (the default).")
FORCE = typer.Option(False, "--force", help="Replace an existing file.")


def check_out(out: Path | None, force: bool) -> None:
    """Check, before any work, that the result can be written.

    Raises:
        DataError: The file exists or cannot be written.
    """
    from r5._util.files.writing import check_output

    if out is not None and out not in STANDARD_OUTPUT:
        check_output(out, force)


def write_result(text: str, out: Path | None, force: bool, prose: bool = False) -> None:
    """Print a result, or write it to a file and print the name of the file.

    Args:
        text: The result.
        out: The file; None or a name of standard output to print.
        force: True to replace an existing file.
        prose: True for text that a terminal may wrap and colour.
    """
    from r5._util.files.writing import write_text

    text = text.removesuffix("\n")
    if out is None or out in STANDARD_OUTPUT:
        show(text_for_terminal(text) if prose else text)
        return
    write_text(out, f"{text}\n", force)
    show(str(out))
