"""`r5 data`: which of the paper's data sets are there, and fetching one that is not."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from r5.cli.console import log, show, show_json
from r5.cli.progress import waiting

if TYPE_CHECKING:
    from r5.data.catalogue import Entry

__all__ = ["app"]

app = typer.Typer(
    help="The data sets of the paper: which are here, and fetching others.\n\nExample: r5 data list",
    rich_markup_mode=None,
)
_FOLDER = typer.Option(None, "--data", metavar="DIR", help="The folder of all data; by default R5_DATA, or data.")


@app.command("list")
def list_data(
    data: Path | None = _FOLDER,
    as_json: bool = typer.Option(False, "--json", help="Print one JSON list."),
) -> None:
    """What is known, what of it is here, and where the rest comes from.

    Example: r5 data list
    """
    from r5.data.catalogue import catalogue, data_folder

    root = data_folder(data)
    entries = catalogue().values()
    if as_json:
        show_json([_facts(entry, root) for entry in entries])
        return
    width = max(len(entry.name) for entry in entries)
    show(f"in {root}:")
    for entry in entries:
        state = entry.state(root)
        show(f"{entry.name:<{width}}  {state:<10}  {entry.title}")
        if state != "present":
            show(" " * (width + 2) + _origin(entry, root))


@app.command("get")
def get_data(
    names: list[str] = typer.Argument(help="Data sets by name; r5 data list shows them."),
    data: Path | None = _FOLDER,
    force: bool = typer.Option(False, "--force", help="Replace what is there."),
    quiet: bool = typer.Option(False, "--quiet", help="No progress, no log."),
) -> None:
    """Download data sets to where the benchmarks look for them.

    Example: r5 data get re_1
    """
    from r5.data.catalogue import data_folder, known
    from r5.data.download import cached_opener, download, open_url

    root = data_folder(data)
    entries = [known(name) for name in names]
    with tempfile.TemporaryDirectory() as scratch:
        opener = cached_opener(open_url, Path(scratch))
        for entry in entries:
            log(f"{entry.name}: {entry.project}, licence {entry.licence}", quiet)
            with waiting(f"downloading {entry.name}", quiet):
                place = download(entry, root, opener, force)
            if not entry.has_checksums:
                log(f"{entry.name}: the right checksums are not known here; those of what came:", quiet)
                for line in _sums(entry, place):
                    log(line, quiet)
            show(str(place))


def _origin(entry: Entry, root: Path) -> str:
    """Where a data set comes from, where it belongs, and how to know that it is right."""
    sums = "SHA-256 known" if entry.has_checksums else "SHA-256 not known"
    if entry.source.md5 is not None:
        sums += f", MD5 of the archive {entry.source.md5}"
    return f"from {entry.source.url} to {Path(root, entry.folder)}; {sums}"


def _facts(entry: Entry, root: Path) -> dict[str, Any]:
    return {
        "name": entry.name,
        "title": entry.title,
        "state": entry.state(root),
        "folder": str(entry.place(root)),
        "project": entry.project,
        "licence": entry.licence,
        "url": entry.source.url,
        "archive_md5": entry.source.md5,
        "archive_folder": entry.source.inside or None,
        "files": {file.name: {"bytes": file.bytes, "sha256": file.sha256} for file in entry.files},
        "statistics": dict(entry.statistics),
    }


def _sums(entry: Entry, place: Path) -> list[str]:
    from r5.data.catalogue import sha256_of

    return [f"  {sha256_of(place / file.name)}  {file.name}" for file in entry.files]
