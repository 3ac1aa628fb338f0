"""Catalogue of the paper's data sets: folder, source, checksums and statistics.

This module downloads nothing; `r5.data.download` does.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

import yaml

from r5.errors import R5Error

__all__ = ["Entry", "KnownFile", "Source", "State", "catalogue", "data_folder", "digest", "known"]

State = Literal["present", "changed", "incomplete", "missing"]


@dataclass(frozen=True, slots=True)
class KnownFile:
    """File of a data set; unknown properties are None."""

    name: str
    bytes: int | None = None
    sha256: str | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """Download address of the files."""

    url: str
    """Address of the archive, or prefix of the addresses of the files."""
    archive: bool = False
    md5: str | None = None
    """MD5 sum of the archive, as published by its project."""
    inside: str = ""
    """Folder of the files within the archive."""


@dataclass(frozen=True)
class Entry:
    """One data set of the catalogue."""

    name: str
    title: str
    folder: str
    """Folder relative to the data folder."""
    project: str
    licence: str
    source: Source
    files: tuple[KnownFile, ...]
    statistics: Mapping[str, float]
    """Statistics in the paper's Tables 7 and 8."""
    stand_in: Mapping[str, Any]
    """Generator and options of a synthetic data set with similar statistics."""

    @cached_property
    def has_checksums(self) -> bool:
        """Return whether the checksum of every file is known."""
        return all(file.sha256 for file in self.files)

    def place(self, root: str | Path) -> Path:
        """Return the folder of the data set under a root; a folder directly under the root is the fallback."""
        nested, flat = Path(root, self.folder), Path(root, self.name)
        return flat if flat.is_dir() and not nested.is_dir() else nested

    def state(self, root: str | Path) -> State:
        """Compare the files under a root with the published ones.

        Returns:
            `missing`, `incomplete` (some files are missing), `changed` (a checksum differs) or `present`.
        """
        place = self.place(root)
        found = [(place / file.name).is_file() for file in self.files]
        if not all(found):
            return "incomplete" if any(found) else "missing"
        wrong = any(file.sha256 and sha256_of(place / file.name) != file.sha256 for file in self.files)
        return "changed" if wrong else "present"


def catalogue() -> dict[str, Entry]:
    """Return all data sets by name, in the order of the paper.

    >>> list(catalogue())[:3]
    ['data_089907f8', 'data_db9b8f04', 'world_2']
    """
    content = yaml.safe_load(files("r5.data").joinpath("catalogue.yaml").read_text(encoding="utf-8"))
    return {name: _entry(name, some) for name, some in content.items()}


def known(name: str) -> Entry:
    """Return a data set of the catalogue.

    Raises:
        R5Error: No data set has this name.
    """
    entries = catalogue()
    if name not in entries:
        raise R5Error(f"no data set is called {name!r}; known are {', '.join(entries)}")
    return entries[name]


def data_folder(given: str | Path | None = None) -> Path:
    """Return the data folder: the argument, else the environment variable R5_DATA, else `data`."""
    return Path(given or os.environ.get("R5_DATA") or "data")


def digest(entry: Entry, root: str | Path) -> str:
    """Return one checksum over all files of a data set."""
    place = entry.place(root)
    lines = [f"{sha256_of(place / file.name)}  {file.name}\n" for file in entry.files]
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def sha256_of(path: Path) -> str:
    """Return the SHA-256 sum of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _entry(name: str, content: Mapping[str, Any]) -> Entry:
    source = content["source"]
    if "archive" in source:
        origin = Source(source["archive"], archive=True, md5=source["md5"], inside=source["inside"])
    else:
        origin = Source(source["files"])
    return Entry(
        name=name,
        title=content["title"],
        folder=content["folder"],
        project=content["project"],
        licence=content["licence"],
        source=origin,
        files=tuple(KnownFile(file, **some) for file, some in content["files"].items()),
        statistics=content["statistics"],
        stand_in=content["stand_in"],
    )
