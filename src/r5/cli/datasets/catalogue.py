"""`r5 data`: catalogue and download of the data sets of the paper."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from r5.cli.common.console import log, show, show_json
from r5.cli.common.progress import spinner

if TYPE_CHECKING:
    from r5.data.catalogue import Entry

__all__ = ["app"]

app = typer.Typer(
    help="List and download the data sets of the paper.\n\nExample: r5 data list",
    rich_markup_mode=None,
)
_FOLDER = typer.Option(None, "--data", metavar="DIR", help="Folder of all data; default: R5_DATA, or data.")


@app.command("list")
def list_data(
    data: Path | None = _FOLDER,
    as_json: bool = typer.Option(False, "--json", help="Print one JSON list."),
) -> None:
    """List the data sets, their state here and their source.

    Example: r5 data list
    """
    from r5.data.catalogue import catalogue, data_folder

    root = data_folder(data)
    entries = catalogue().values()
    if as_json:
        show_json([_entry_to_json(entry, root) for entry in entries])
        return
    width = max(len(entry.name) for entry in entries)
    show(f"in {root}:")
    for entry in entries:
        state = entry.state(root)
        show(f"{entry.name:<{width}}  {state:<10}  {entry.title}")
        if state != "present":
            show(" " * (width + 2) + _describe_source(entry, root))


@app.command("get")
def get_data(
    names: list[str] = typer.Argument(help="Names of data sets, see r5 data list."),
    data: Path | None = _FOLDER,
    force: bool = typer.Option(False, "--force", help="Replace existing files."),
    quiet: bool = typer.Option(False, "--quiet", help="Print no progress and no log."),
) -> None:
    """Download data sets to the folder of the benchmarks.

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
            with spinner(f"downloading {entry.name}", quiet):
                place = download(entry, root, opener, force)
            if not entry.has_checksums:
                log(f"{entry.name}: the expected checksums are not known; those of the download:", quiet)
                for line in _format_checksums(entry, place):
                    log(line, quiet)
            show(str(place))


def _describe_source(entry: Entry, root: Path) -> str:
    """Describe the source, the folder and the checksums of a data set."""
    sums = "SHA-256 known" if entry.has_checksums else "SHA-256 not known"
    if entry.source.md5 is not None:
        sums += f", MD5 of the archive {entry.source.md5}"
    return f"from {entry.source.url} to {Path(root, entry.folder)}; {sums}"


def _entry_to_json(entry: Entry, root: Path) -> dict[str, Any]:
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


def _format_checksums(entry: Entry, place: Path) -> list[str]:
    from r5.data.catalogue import sha256_of

    return [f"  {sha256_of(place / file.name)}  {file.name}" for file in entry.files]
