"""Fetching a data set from where its authors put it: only when asked, checked, and whole or not at all."""

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

__all__ = ["Opener", "download", "once", "open_url"]

Opener = Callable[[str], AbstractContextManager[BinaryIO]]


def open_url(url: str) -> AbstractContextManager[BinaryIO]:
    """What stands at an address of the web."""
    if not url.startswith("https://"):
        raise R5Error(f"{url}: expected an address that begins with https://")
    found: AbstractContextManager[BinaryIO] = urllib.request.urlopen(url, timeout=30)  # noqa: S310  https, see above
    return found


def once(opener: Opener, folder: Path) -> Opener:
    """An opener that fetches an address once and keeps what came in a folder: several worlds share one archive."""

    def fetch(url: str) -> AbstractContextManager[BinaryIO]:
        kept = folder / hashlib.sha256(url.encode()).hexdigest()
        if not kept.exists():
            with opener(url) as answer, kept.with_suffix(".part").open("wb") as file:
                shutil.copyfileobj(answer, file)
            kept.with_suffix(".part").rename(kept)
        return kept.open("rb")

    return fetch


def download(entry: Entry, root: str | Path, opener: Opener = open_url, force: bool = False) -> Path:
    """Fetch a data set, check it, and put it where it belongs; the folder it is in now.

    A folder that is there and not empty is kept unless `force` is set. What cannot be fetched or is not
    what it should be leaves nothing behind.
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
    """Take the files of the folder `inside` out of the archive, wherever in it that folder is."""
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
                    _take_out(archive, file.name, entry, folder)
        except zipfile.BadZipFile:
            raise DataError("is not a zip archive", source.url) from None


def _take_out(archive: zipfile.ZipFile, name: str, entry: Entry, folder: Path) -> None:
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
