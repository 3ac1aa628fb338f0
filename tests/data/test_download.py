"""Fetching data sets: nothing comes from the network here, an opener of ours gives what is asked for."""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO
from urllib.error import URLError

import pytest

from r5.data.catalogue import Entry, KnownFile, Source, known
from r5.data.download import Opener, cached_opener, download, open_url
from r5.errors import DataError, R5Error

BASE = "https://example.org/re_0/"


def opener_of(pages: Mapping[str, bytes]) -> Opener:
    def opener(url: str) -> BinaryIO:
        if url not in pages:
            raise URLError("name or service not known")
        return io.BytesIO(pages[url])

    return opener


def known_file(name: str, content: bytes) -> KnownFile:
    return KnownFile(name, len(content), hashlib.sha256(content).hexdigest())


def zipped(**content: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, some in content.items():
            archive.writestr(name.replace("__", "/") + ".jsonl", some)
    return packed.getvalue()


@pytest.fixture
def entry() -> Entry:
    files = (known_file("train.jsonl", b"one"), known_file("test.jsonl", b"two"))
    return replace(known("re_0"), source=Source(BASE), files=files)


def packed(entry: Entry, content: bytes, inside: str = "rule_2", md5: str | None = None) -> tuple[Entry, Opener]:
    source = Source(BASE + "all.zip", archive=True, md5=md5, inside=inside)
    return replace(entry, source=source), opener_of({source.url: content})


def test_downloaded_files_are_in_the_folder_of_the_data_set(tmp_path: Path, entry: Entry) -> None:
    place = download(entry, tmp_path, opener_of({BASE + "train.jsonl": b"one", BASE + "test.jsonl": b"two"}))
    assert place == tmp_path / "graphlog" / "re_0"
    assert sorted(path.name for path in place.iterdir()) == ["test.jsonl", "train.jsonl"]
    assert entry.state(tmp_path) == "present"


def test_download_error_names_source_and_destination(tmp_path: Path, entry: Entry) -> None:
    with pytest.raises(R5Error) as error:
        download(entry, tmp_path, opener_of({}))
    text = str(error.value)
    assert "re_0 cannot be downloaded from https://example.org/re_0/train.jsonl: name or service not known" in text
    assert entry.project in text
    assert str(tmp_path / "graphlog" / "re_0") in text
    assert not any(tmp_path.rglob("*.jsonl"))


@pytest.mark.parametrize(
    ("content", "words"), [(b"onE", "has the SHA-256 sum .* expected"), (b"longer", "has 6 bytes, expected 3")]
)
def test_download_with_another_checksum_or_size_is_discarded(
    tmp_path: Path, entry: Entry, content: bytes, words: str
) -> None:
    with pytest.raises(R5Error, match=f"re_0: train.jsonl {words}"):
        download(entry, tmp_path, opener_of({BASE + "train.jsonl": content, BASE + "test.jsonl": b"two"}))
    assert not (tmp_path / "graphlog" / "re_0").exists()


def test_existing_files_are_kept_unless_forced(tmp_path: Path, entry: Entry) -> None:
    place = tmp_path / "graphlog" / "re_0"
    place.mkdir(parents=True)
    (place / "train.jsonl").write_text("mine")
    opener = opener_of({BASE + "train.jsonl": b"one", BASE + "test.jsonl": b"two"})
    with pytest.raises(DataError, match="not empty"):
        download(entry, tmp_path, opener)
    assert (place / "train.jsonl").read_text() == "mine"
    download(entry, tmp_path, opener, force=True)
    assert (place / "train.jsonl").read_text() == "one"


def test_files_are_taken_out_of_the_right_folder_of_an_archive(tmp_path: Path, entry: Entry) -> None:
    content = zipped(all__rule_2__train=b"one", all__rule_2__test=b"two", all__rule_20__train=b"no")
    sum_of_it = hashlib.md5(content, usedforsecurity=False).hexdigest()
    changed, opener = packed(entry, content, md5=sum_of_it)
    download(changed, tmp_path, opener)
    assert changed.state(tmp_path) == "present"


def test_damaged_or_changed_archive_is_refused(tmp_path: Path, entry: Entry) -> None:
    content = zipped(rule_2__train=b"one", rule_2__test=b"two")
    for some, inside, md5, words in (
        (content, "rule_2", "0" * 32, "has the MD5 sum .* expected 0000"),
        (b"no zip", "rule_2", None, "is not a zip archive"),
        (content, "rule_3", None, "holds 0 files rule_3/train.jsonl, expected one"),
    ):
        changed, opener = packed(entry, some, inside, md5)
        with pytest.raises(DataError, match=words):
            download(changed, tmp_path, opener)
    assert not (tmp_path / "graphlog" / "re_0").exists()


def test_cached_opener_fetches_each_address_once(tmp_path: Path) -> None:
    asked = []

    def opener(url: str) -> BinaryIO:
        asked.append(url)
        return io.BytesIO(b"content")

    fetch = cached_opener(opener, tmp_path)
    for _ in range(2):
        with fetch("https://example.org/a") as answer:
            assert answer.read() == b"content"
    with fetch("https://example.org/b"):
        pass
    assert asked == ["https://example.org/a", "https://example.org/b"]


def test_addresses_other_than_https_are_refused() -> None:
    with pytest.raises(R5Error, match="expected an address that begins with https"):
        open_url("file:///etc/passwd")
