"""Folders of the kernel cache: their order, and folders that cannot be written."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from r5._util.kernels.cache_folders import CacheFolders


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Package folder; the user's cache is tmp_path/user."""
    for name in ("R5_CACHE_DIR", "NUMBA_CACHE_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "user"))
    (tmp_path / "package").mkdir()
    return tmp_path / "package"


def test_kernels_are_kept_beside_the_package(package: Path) -> None:
    assert CacheFolders(package, "d").write("k", b"code") == package / "__pycache__" / "kernels-d"
    assert CacheFolders(package, "d").read("k") == b"code"
    assert CacheFolders(package, "e").read("k") is None, "of other sources"


def test_kernels_are_kept_for_the_user_where_the_package_cannot_be_written(package: Path, tmp_path: Path) -> None:
    (package / "__pycache__").touch()  # no folder can be made there, by root either
    folders = CacheFolders(package, "d")
    assert folders.write("k", b"code") == tmp_path / "user" / "r5" / "kernels-d"
    assert CacheFolders(package, "d").read("k") == b"code"
    assert folders.can_write()
    assert [path.name for path in (tmp_path / "user" / "r5" / "kernels-d").iterdir()] == ["k"]


def test_a_cache_that_cannot_be_written_is_read(package: Path) -> None:
    CacheFolders(package, "d").write("k", b"code")
    folders = CacheFolders(package, "d")
    folders._is_unwritable.add(package / "__pycache__")
    assert folders.read("k") == b"code"
    assert folders.contains("k")
    assert folders.write("other", b"more") != package / "__pycache__" / "kernels-d"
    assert folders.read("other") == b"more"


def test_no_folder_at_all_is_no_error(package: Path, tmp_path: Path) -> None:
    (package / "__pycache__").touch()
    (tmp_path / "user").touch()
    folders = CacheFolders(package, "d")
    assert folders.write("k", b"code") is None
    assert not folders.can_write()
    assert folders.read("k") is None


@pytest.mark.parametrize("variable", ["R5_CACHE_DIR", "NUMBA_CACHE_DIR"])
def test_a_variable_names_the_folder(
    package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    monkeypatch.setenv(variable, str(tmp_path / "named"))
    assert CacheFolders(package, "d").write("k", b"code") == tmp_path / "named" / "kernels-d"


def test_kernels_of_other_sources_are_removed_beside_the_package_and_when_old_elsewhere(
    package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    CacheFolders(package, "a").write("k", b"code")
    CacheFolders(package, "b").write("k", b"code")
    assert [path.name for path in (package / "__pycache__").iterdir()] == ["kernels-b"]
    monkeypatch.setenv("R5_CACHE_DIR", str(tmp_path / "named"))
    for digest in ("a", "b"):
        CacheFolders(package, digest).write("k", b"code")
    old = time.time() - 40 * 24 * 3600
    os.utime(tmp_path / "named" / "kernels-a", (old, old))
    CacheFolders(package, "c").write("k", b"code")
    assert sorted(path.name for path in (tmp_path / "named").iterdir()) == ["kernels-b", "kernels-c"]
