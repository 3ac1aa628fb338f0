"""The data sets of the paper: where each belongs, where it comes from, and whether it is there.

Nothing is downloaded here; `r5.data.download` does that when asked.
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
    """A file of a data set; what is not known of it is None."""

    name: str
    bytes: int | None = None
    sha256: str | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """Where the files are: one by one under `url`, or in the folder `inside` of the archive at `url`."""

    url: str
    archive: bool = False
    md5: str | None = None
    """Of the archive, as its project gives it."""
    inside: str = ""


@dataclass(frozen=True)
class Entry:
    """One data set."""

    name: str
    title: str
    folder: str
    """Where it belongs, seen from the folder of all data."""
    project: str
    licence: str
    source: Source
    files: tuple[KnownFile, ...]
    statistics: Mapping[str, float]
    """What the paper's Tables 7 and 8 say of it."""
    stand_in: Mapping[str, Any]
    """The generator and its options that come near to these statistics."""

    @cached_property
    def has_checksums(self) -> bool:
        """Whether the right content of every file is known."""
        return all(file.sha256 for file in self.files)

    def place(self, root: str | Path) -> Path:
        """The folder of the data set: where it belongs, or right under the root if it is only there."""
        usual, flat = Path(root, self.folder), Path(root, self.name)
        return flat if flat.is_dir() and not usual.is_dir() else usual

    def state(self, root: str | Path) -> State:
        """Whether the files are there, and whether they are those that were published."""
        place = self.place(root)
        found = [(place / file.name).is_file() for file in self.files]
        if not all(found):
            return "incomplete" if any(found) else "missing"
        wrong = any(file.sha256 and sha256_of(place / file.name) != file.sha256 for file in self.files)
        return "changed" if wrong else "present"


def catalogue() -> dict[str, Entry]:
    """All data sets that are known, in the order of the paper.

    >>> list(catalogue())[:3]
    ['data_089907f8', 'data_db9b8f04', 'world_2']
    """
    content = yaml.safe_load(files("r5.data").joinpath("catalogue.yaml").read_text(encoding="utf-8"))
    return {name: _entry(name, some) for name, some in content.items()}


def known(name: str) -> Entry:
    """The data set of that name."""
    entries = catalogue()
    if name not in entries:
        raise R5Error(f"no data set is called {name!r}; known are {', '.join(entries)}")
    return entries[name]


def data_folder(given: str | Path | None = None) -> Path:
    """The folder of all data: the one given, else that of the environment variable R5_DATA, else `data`."""
    return Path(given or os.environ.get("R5_DATA") or "data")


def digest(entry: Entry, root: str | Path) -> str:
    """One checksum for all files of a data set that is there."""
    place = entry.place(root)
    lines = [f"{sha256_of(place / file.name)}  {file.name}\n" for file in entry.files]
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def sha256_of(path: Path) -> str:
    """The checksum of a file."""
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
