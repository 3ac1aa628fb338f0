"""`r5 data` without a network."""

from __future__ import annotations

import io
import json
from pathlib import Path
from urllib.error import URLError

import pytest

from r5.data import download
from r5.data.catalogue import known
from tests.helpers.commands import run


def test_list_shows_state_and_source(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    place = tmp_path / "graphlog" / "world_2"
    place.mkdir(parents=True)
    for file in known("world_2").files:
        (place / file.name).write_text("{}")
    (tmp_path / "graphlog" / "re_0").mkdir()
    (tmp_path / "graphlog" / "re_0" / "train.jsonl").write_text("{}")
    code, shown, log = run(capsys, "data", "list", "--data", tmp_path)
    assert (code, log) == (0, "")
    lines = shown.splitlines()
    assert lines[0] == f"in {tmp_path}:"
    assert "world_2        present     GraphLog, World 2" in lines
    assert "re_0           incomplete  Re 0, made with GraphLog's generator" in lines
    after = lines[lines.index("world_3        missing     GraphLog, World 3") + 1]
    assert "from https://www.cs.mcgill.ca/~ksinha4/data/graphlog_icml_data.zip" in after
    assert f"to {tmp_path / 'graphlog' / 'world_3'}; SHA-256 not known, MD5 of the archive 6aeda25d" in after


def test_list_as_json(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, shown, _ = run(capsys, "data", "list", "--data", tmp_path, "--json")
    found = {one["name"]: one for one in json.loads(shown)}
    assert code == 0
    assert len(found) == 15
    assert found["world_2"]["archive_folder"] == "rule_2"
    assert found["re_0"]["files"]["train.jsonl"]["sha256"].startswith("8c21c8ff")
    assert found["re_1"]["files"]["train.jsonl"] == {"bytes": 1566683, "sha256": None}
    assert {one["state"] for one in found.values()} == {"missing"}


def test_get_without_network_is_an_error_in_one_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def offline(url: str) -> io.BytesIO:
        raise URLError("network is unreachable")

    monkeypatch.setattr(download, "open_url", offline)
    code, shown, log = run(capsys, "data", "get", "re_1", "--data", tmp_path, "--quiet")
    assert (code, shown) == (2, "")
    assert log.startswith("r5: re_1 cannot be downloaded from https://raw.githubusercontent.com/")
    assert "network is unreachable" in log
    assert len(log.splitlines()) == 1
    assert not any(tmp_path.iterdir()) or not any(tmp_path.rglob("*.jsonl"))


def test_get_logs_unknown_checksums(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = {file.name: file.bytes or 0 for file in known("re_1").files}
    monkeypatch.setattr(download, "open_url", lambda url: io.BytesIO(b"x" * sizes[url.rsplit("/", 1)[1]]))
    code, shown, log = run(capsys, "data", "get", "re_1", "--data", tmp_path)
    assert (code, shown) == (0, f"{tmp_path / 'graphlog' / 're_1'}\n")
    assert "the expected checksums are not known" in log
    assert log.count("jsonl") == 3


def test_get_refuses_wrong_checksums(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = {file.name: file.bytes or 0 for file in known("re_0").files}
    monkeypatch.setattr(download, "open_url", lambda url: io.BytesIO(b"x" * sizes[url.rsplit("/", 1)[1]]))
    code, _, log = run(capsys, "data", "get", "re_0", "--data", tmp_path, "--quiet")
    assert code == 2
    assert "train.jsonl has the SHA-256 sum" in log
    assert not (tmp_path / "graphlog" / "re_0").exists()


def test_an_unknown_name_is_refused_before_a_download(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, _, log = run(capsys, "data", "get", "re_0", "world_1", "--data", tmp_path)
    assert code == 2
    assert "no data set is called 'world_1'" in log
