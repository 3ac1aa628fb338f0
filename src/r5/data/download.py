"""Download of a data set: on request only, verified and atomic."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
import urllib.request
import zipfile
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from r5._util.files.folders import write_folder
from r5.data.catalogue import Entry, KnownFile, sha256_of
from r5.errors import DataError, R5Error

__all__ = ["Opener", "cached_opener", "download", "open_url"]

Opener = Callable[[str], AbstractContextManager[BinaryIO]]
"""Function that opens a URL as a binary stream."""


def open_url(url: str) -> AbstractContextManager[BinaryIO]:
    """Open a URL as a binary stream.

    Raises:
        R5Error: The URL does not begin with https://.
    """
    if not url.startswith("https://"):
        raise R5Error(f"{url}: expected an address that begins with https://")
    found: AbstractContextManager[BinaryIO] = urllib.request.urlopen(url, timeout=30)  # noqa: S310  https, see above
    return found


def cached_opener(opener: Opener, folder: Path) -> Opener:
    """Return an opener that downloads each URL once, because several data sets share one archive.

    Args:
        opener: Function that opens a URL.
        folder: Folder of the cached files.
    """

    def fetch(url: str) -> AbstractContextManager[BinaryIO]:
        kept = folder / hashlib.sha256(url.encode()).hexdigest()
        if not kept.exists():
            with opener(url) as answer, kept.with_suffix(".part").open("wb") as file:
                shutil.copyfileobj(answer, file)
            kept.with_suffix(".part").rename(kept)
        return kept.open("rb")

    return fetch


def download(entry: Entry, root: str | Path, opener: Opener = open_url, force: bool = False) -> Path:
    """Download and verify a data set.

    Args:
        entry: The data set.
        root: The data folder.
        opener: Function that opens a URL.
        force: Replace an existing folder that is not empty.

    Returns:
        The folder of the data set.

    Raises:
        R5Error: The download fails, a file differs from the published one, or the folder exists. No partial files
            remain.
    """
    place = Path(root, entry.folder)

    def fill(folder: Path) -> None:
        if entry.source.archive:
            _from_archive(entry, folder, opener, place)
        else:
            for file in entry.files:
                _fetch(entry, entry.source.url + file.name, folder / file.name, opener, place)
        for file in entry.files:
            _check(folder / file.name, file, entry)

    write_folder(place, fill, force=force, replaces=(".jsonl", ".json", ".csv"))
    return place


def _from_archive(entry: Entry, folder: Path, opener: Opener, place: Path) -> None:
    """Extract the files of the folder `inside`, at any depth of the archive."""
    source = entry.source
    with tempfile.TemporaryDirectory() as scratch:
        packed = Path(scratch, "archive.zip")
        _fetch(entry, source.url, packed, opener, place)
        if source.md5 is not None:
            with packed.open("rb") as content:
                found = hashlib.file_digest(content, lambda: hashlib.md5(usedforsecurity=False)).hexdigest()
            if found != source.md5:
                raise DataError(f"the archive has the MD5 sum {found}, expected {source.md5}", source.url)
        try:
            with zipfile.ZipFile(packed) as archive:
                for file in entry.files:
                    _extract(archive, file.name, entry, folder)
        except zipfile.BadZipFile:
            raise DataError("is not a zip archive", source.url) from None


def _extract(archive: zipfile.ZipFile, name: str, entry: Entry, folder: Path) -> None:
    paths = [PurePosixPath(member) for member in archive.namelist()]
    inside = entry.source.inside
    fitting = [path for path in paths if path.name == name and inside in ("", path.parent.name)]
    if len(fitting) != 1:
        raise DataError(f"holds {len(fitting)} files {inside}/{name}, expected one", entry.source.url)
    with archive.open(str(fitting[0])) as packed, (folder / name).open("wb") as file:
        shutil.copyfileobj(packed, file)


def _fetch(entry: Entry, url: str, path: Path, opener: Opener, place: Path) -> None:
    try:
        with opener(url) as answer, path.open("wb") as file:
            shutil.copyfileobj(answer, file)
    except OSError as error:
        reason = getattr(error, "reason", None) or error
        raise R5Error(
            f"{entry.name} cannot be downloaded from {url}: {reason}. With the network off, get its files from "
            f"{entry.project} and put them into {place}"
        ) from None


def _check(path: Path, file: KnownFile, entry: Entry) -> None:
    if file.bytes is not None and path.stat().st_size != file.bytes:
        raise R5Error(f"{entry.name}: {file.name} has {path.stat().st_size} bytes, expected {file.bytes}; nothing kept")
    if file.sha256 is not None and (found := sha256_of(path)) != file.sha256:
        raise R5Error(f"{entry.name}: {file.name} has the SHA-256 sum {found}, expected {file.sha256}; nothing kept")
