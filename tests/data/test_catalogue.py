"""The catalogue: what is known of each data set, and telling whether it is there."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest

from r5.data.catalogue import Entry, KnownFile, catalogue, data_folder, digest, known
from r5.errors import R5Error

NAMES = [f"world_{number}" for number in (2, 3, 13, 17, 30, 6, 7, 8, 11, 32)]


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.fixture
def entry() -> Entry:
    files = (KnownFile("a.csv", 3, sha256("one")), KnownFile("b.csv", 3, sha256("two")))
    return replace(known("data_089907f8"), files=files)


def fill(folder: Path, **content: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in content.items():
        (folder / f"{name}.csv").write_text(text)


def test_catalogue_has_all_data_sets_of_the_paper() -> None:
    assert list(catalogue()) == ["data_089907f8", "data_db9b8f04", *NAMES, "re_0", "re_1", "re_2"]
    for entry in catalogue().values():
        assert entry.source.url.startswith("https://")
        assert entry.files
        assert entry.stand_in["generator"] in ("kinship", "world")
        for file in entry.files:
            assert file.sha256 is None or len(file.sha256) == 64


def test_checksums_are_known_or_said_not_to_be() -> None:
    without = [name for name, entry in catalogue().items() if not entry.has_checksums]
    assert without == [name for name in NAMES if name != "world_17"] + ["re_1"]
    archives = {entry.source.md5 for entry in catalogue().values() if entry.source.inside}
    assert archives == {"6aeda25d56251328dcdca0b23b4abe0a"}


def test_state_tells_missing_incomplete_changed_and_present(tmp_path: Path, entry: Entry) -> None:
    place = tmp_path / "clutrr" / "data_089907f8"
    assert entry.state(tmp_path) == "missing"
    fill(place, a="one")
    assert entry.state(tmp_path) == "incomplete"
    fill(place, b="2")
    assert entry.state(tmp_path) == "changed"
    fill(place, b="two")
    assert entry.state(tmp_path) == "present"
    assert entry.place(tmp_path) == place


def test_data_directly_below_the_root_is_found(tmp_path: Path, entry: Entry) -> None:
    fill(tmp_path / "data_089907f8", a="one", b="two")
    assert entry.state(tmp_path) == "present"
    assert entry.place(tmp_path) == tmp_path / "data_089907f8"


def test_files_without_known_checksums_count_as_present(tmp_path: Path, entry: Entry) -> None:
    loose = replace(entry, files=tuple(KnownFile(file.name) for file in entry.files))
    fill(tmp_path / "data_089907f8", a="any", b="thing")
    assert (loose.state(tmp_path), loose.has_checksums) == ("present", False)


def test_the_digest_is_of_names_and_content(tmp_path: Path, entry: Entry) -> None:
    fill(tmp_path / "data_089907f8", a="one", b="two")
    assert digest(entry, tmp_path) == sha256(f"{sha256('one')}  a.csv\n{sha256('two')}  b.csv\n")
    fill(tmp_path / "data_089907f8", b="three")
    assert digest(entry, tmp_path) != sha256(f"{sha256('one')}  a.csv\n{sha256('two')}  b.csv\n")


def test_an_unknown_name_is_an_error_that_lists_the_known_ones() -> None:
    with pytest.raises(R5Error, match=r"no data set is called 'world_1'; known are data_089907f8, .*world_17"):
        known("world_1")


def test_data_folder_is_that_of_the_argument_or_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("R5_DATA", raising=False)
    assert data_folder() == Path("data")
    monkeypatch.setenv("R5_DATA", "/elsewhere")
    assert data_folder() == Path("/elsewhere")
    assert data_folder("here") == Path("here")


def test_published_data_matches_the_catalogue(real_data: Path) -> None:
    found = {name: entry.state(real_data) for name, entry in catalogue().items()}
    assert "changed" not in found.values()
    assert found["re_0"] == "present"
