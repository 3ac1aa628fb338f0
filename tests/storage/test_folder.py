"""Model folders: round trips, and errors for damaged or malicious folders."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from r5.errors import R5Error
from r5.relations import Vocabulary
from r5.rules.ruleset import Rule, RuleSet
from r5.storage.files import MAX_BYTES
from r5.storage.folder import ModelError, StoredModel, read_model, settings_error, write_model

MODEL = StoredModel(
    engine="test",
    settings={"seed": 1, "rate": 0.5},
    vocabulary=Vocabulary.of(["Tante", "Öl"]).with_invented(1),
    rules=RuleSet.of([Rule("Tante", ("Öl", "Öl"), probability=0.5, support=3.0)]),
    arrays={"weights": np.arange(6, dtype=np.float64).reshape(2, 3), "counts": np.array([1, 2])},
    summary={"seconds": 1.5},
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_model(tmp_path / "model", MODEL)
    return tmp_path / "model"


def resign(folder: Path, name: str, content: bytes) -> None:
    """Replace a file and its checksum, as an attacker would."""
    (folder / name).write_bytes(content)
    head = json.loads((folder / "model.json").read_text())
    head["checksums"][name] = hashlib.sha256(content).hexdigest()
    (folder / "model.json").write_text(json.dumps(head))


def test_a_model_is_read_back(folder: Path) -> None:
    model = read_model(folder)
    assert (model.engine, model.settings, model.summary) == ("test", MODEL.settings, MODEL.summary)
    assert model.vocabulary == MODEL.vocabulary
    assert model.rules == MODEL.rules
    assert np.array_equal(model.array("weights", (2, None)), MODEL.arrays["weights"])
    assert model.array("counts", (2,), kind="i").tolist() == [1, 2]


def test_arrays_of_another_shape_or_kind_are_refused(folder: Path) -> None:
    model = read_model(folder)
    for name, shape, kind, words in (
        ("weights", (3, 3), "f", r"expected \[3, 3\]"),
        ("weights", (6,), "f", "expected"),
        ("counts", (2,), "f", "int64"),
        ("nothing", (1,), "f", "lacks the array 'nothing'"),
    ):
        with pytest.raises(ModelError, match=words):
            model.array(name, shape, kind)
    broken = StoredModel("t", {}, MODEL.vocabulary, RuleSet(), {"w": np.array([np.nan])}, {})
    with pytest.raises(ModelError, match="not finite"):
        broken.array("w", (1,))


def test_an_existing_model_is_kept_unless_forced(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(R5Error, match="already exists"):
        write_model(folder, MODEL)
    write_model(folder, MODEL, force=True)
    assert read_model(folder).engine == "test"
    other = tmp_path / "letters"
    other.mkdir()
    (other / "letter.txt").write_text("dear")
    with pytest.raises(R5Error, match="no part of such a folder: it is not replaced"):
        write_model(other, MODEL, force=True)
    assert (other / "letter.txt").read_text() == "dear"


@pytest.mark.parametrize("name", ["rules.json", "weights.safetensors"])
def test_a_changed_file_does_not_match_its_checksum(folder: Path, name: str) -> None:
    (folder / name).write_bytes((folder / name).read_bytes() + b" ")
    with pytest.raises(ModelError, match=f"{name}: does not match its checksum"):
        read_model(folder)


@pytest.mark.parametrize("name", ["model.json", "rules.json", "weights.safetensors"])
def test_a_missing_file_is_named(folder: Path, name: str) -> None:
    (folder / name).unlink()
    with pytest.raises(ModelError, match=f"{name}: cannot be read"):
        read_model(folder)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "not valid JSON"),
        ("[" * 100_000, "not valid JSON"),
        ("[]", "expected an object"),
        ('{"format": 99}', "has format 99, this version reads up to 5: upgrade r5"),
        ('{"format": 3}', "has format 3, this version reads 5: train the model again"),
        ('{"format": true}', "has format True; expected 5"),
        ('{"format": 1.0}', r"has format 1\.0; expected 5"),
        ('{"format": "1"}', "has format '1'; expected 5"),
        ('{"format": ' + "9" * 50 + "}", "not valid JSON"),
        ('{"format": NaN}', "not valid JSON"),
        ('{"format": 1e999}', "not valid JSON"),
        ('{"format": "\\ud800"}', "not valid JSON"),
        ("[" + "0," * 10_000_000 + "0]", "model.json: has 20,000,003 bytes; expected at most"),
        ('{"format": 5, "checksums": []}', "checksum"),
    ],
)
def test_an_invalid_model_json_is_refused(folder: Path, text: str, words: str) -> None:
    (folder / "model.json").write_text(text)
    with pytest.raises(ModelError, match=words):
        read_model(folder)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"engine": 3}, "lacks engine"),
        ({"settings": []}, "lacks engine, settings"),
        ({"vocabulary": None}, "lacks the vocabulary"),
        ({"vocabulary": {"known": [1], "invented": []}}, "lists of names"),
        ({"vocabulary": {"known": ["a", "a"], "invented": []}}, "model.json: relation 'a' is listed twice"),
        ({"vocabulary": {"known": ["a"], "invented": ["a"]}}, "listed twice"),
        ({"vocabulary": {"known": [""], "invented": []}}, "empty name"),
        ({"vocabulary": {"known": [str(n) for n in range(100_001)], "invented": []}}, "more than 100,000 relations"),
        ({"engine": "x" * 100}, "the engine's name has 100 letters"),
    ],
)
def test_parts_of_another_type_are_refused(folder: Path, change: dict[str, object], words: str) -> None:
    head = json.loads((folder / "model.json").read_text())
    (folder / "model.json").write_text(json.dumps({**head, **change}))
    with pytest.raises(ModelError, match=words):
        read_model(folder)


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ({}, "expected a list"),
        ([3], "rule 1: expected an object"),
        ([{"head": "a", "body": []}], "needs a constant in its head"),
        ([{"head": "a", "body": [1]}], "must have a name"),
        ([{"head": "Öl", "body": ["Öl"]}, {"head": "Öl", "body": ["oil"]}], "rule 2: the relation 'oil' is not in"),
        ([{"head": "Öl", "body": ["Öl"], "score": "high"}], "score must be a number"),
        ([{"head": "Öl", "body": ["Öl"], "score": True}], "score must be a number"),
        ([{"head": "Öl", "body": ["Öl"], "support": float("inf")}], "rules.json: is not valid JSON"),
        ([{"head": "Öl", "body": ["Öl"], "invented": 1}], "invented must be true or false"),
    ],
)
def test_invalid_rules_are_refused(folder: Path, rules: object, words: str) -> None:
    resign(folder, "rules.json", json.dumps(rules).encode())
    with pytest.raises(ModelError, match=words):
        read_model(folder)


@pytest.mark.parametrize("content", [b"", b"\xff" * 16, b"\x08\x00\x00\x00\x00\x00\x00\x00notjson!"])
def test_invalid_weights_are_refused(folder: Path, content: bytes) -> None:
    resign(folder, "weights.safetensors", content)
    with pytest.raises(ModelError, match=r"weights\.safetensors: cannot be read"):
        read_model(folder)


def test_a_path_without_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no such model folder"):
        read_model(tmp_path / "nothing")
    with pytest.raises(ModelError, match="no such model folder"):
        read_model("\0")


@pytest.mark.parametrize("name", ["model.json", "rules.json", "weights.safetensors"])
def test_only_regular_files_are_read(folder: Path, name: str, tmp_path: Path) -> None:
    """A link to a file is followed; a folder, a pipe, a device or a link to itself is refused without delay."""
    elsewhere = tmp_path / f"elsewhere-{name}"
    (folder / name).rename(elsewhere)
    (folder / name).symlink_to(elsewhere)
    assert read_model(folder).engine == "test"
    makers = (
        ("cannot be read: Is a directory", Path.mkdir),
        ("is not a file", os.mkfifo),
        ("is not a file", lambda path: path.symlink_to("/dev/zero")),
        ("cannot be read: Too many levels", lambda path: path.symlink_to(path)),
        ("cannot be read: No such file", lambda path: path.symlink_to("nowhere")),
    )
    for words, make in makers:
        (folder / name).unlink() if not (folder / name).is_dir() else (folder / name).rmdir()
        make(folder / name)
        with pytest.raises(ModelError, match=f"{name}: {words}"):
            read_model(folder)


def test_files_that_are_too_large_are_not_read(folder: Path) -> None:
    with (folder / "weights.safetensors").open("wb") as file:
        file.truncate(3 << 30)  # sparse: takes no space on the disk
    with pytest.raises(ModelError, match=r"has 3,221,225,472 bytes; expected at most 2,147,483,648"):
        read_model(folder)


def test_json_of_too_many_values_is_not_parsed(folder: Path) -> None:
    resign(folder, "rules.json", b"[" + b"[]," * 10_000_000 + b"[]]")
    with pytest.raises(ModelError, match="holds more than 10,000,000 values"):
        read_model(folder)


def test_arrays_out_of_range_are_refused(folder: Path) -> None:
    model = read_model(folder)
    assert model.array("weights", (2, 3), least=0.0, most=5.0).size == 6
    with pytest.raises(ModelError, match="not in 0 to 4"):
        model.array("weights", (2, 3), least=0.0, most=4.0)
    with pytest.raises(ModelError, match="not in 2 to inf"):
        model.array("counts", (2,), "i", least=2)


def test_a_model_that_could_not_be_read_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(MAX_BYTES, "rules.json", 10)
    with pytest.raises(ModelError, match="no more than 10 are read"):
        write_model(tmp_path / "model", MODEL)
    for rule in (Rule("Öl", ("Öl",), score=float("nan")), Rule("\ud800", ("Öl",))):
        with pytest.raises(ModelError, match="cannot be written"):
            write_model(tmp_path / "model", replace(MODEL, rules=RuleSet.of([rule])))
    assert list(tmp_path.iterdir()) == []


def test_summary_values_that_are_not_finite_become_none(tmp_path: Path) -> None:
    history = [{"loss": float("nan"), "epoch": 1}, {"loss": 0.5, "epoch": 2}]
    write_model(tmp_path / "model", replace(MODEL, summary={"history": history, "fit": float("-inf")}))
    summary = read_model(tmp_path / "model").summary
    assert summary == {"history": [{"loss": None, "epoch": 1}, {"loss": 0.5, "epoch": 2}], "fit": None}


def test_long_settings_errors_are_cut() -> None:
    assert len(str(settings_error(R5Error("x" * 10_000)))) < 1100
    assert str(settings_error(R5Error("bad"))) == "the model's settings cannot be used: bad"


KILLED = """
import os, signal, sys, time
from pathlib import Path
import numpy as np
from r5.relations import Vocabulary
from r5.rules.ruleset import RuleSet
from r5.storage.folder import StoredModel, read_model, write_model

def model(number):
    arrays = {"w": np.full(20_000, number)}
    return StoredModel("test", {}, Vocabulary(("a",)), RuleSet(), arrays, {"number": number})

folder = Path(sys.argv[1]) / "model"
write_model(folder, model(0))
seen = set()
for turn in range(60):
    child = os.fork()
    if child == 0:
        number = 0
        while True:
            number += 1
            write_model(folder, model(number), force=True)
    time.sleep(0.002 + 0.0007 * turn)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    stored = read_model(folder)
    assert (stored.arrays["w"] == stored.summary["number"]).all()
    seen.add(stored.summary["number"])
print(len(seen))
"""


def test_a_killed_write_leaves_a_whole_model(tmp_path: Path) -> None:
    """Sixty writers are killed at different moments, and each leaves the old or the new model."""
    done = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 1


@pytest.mark.parametrize("swaps", [True, False])
def test_a_failed_write_keeps_the_old_model(folder: Path, monkeypatch: pytest.MonkeyPatch, swaps: bool) -> None:
    """With an atomic exchange, and with two renames where the system has none."""
    if not swaps:
        monkeypatch.setattr("r5._util.files.folders.swap_paths", lambda first, second: False)
    write_model(folder, replace(MODEL, engine="second"), force=True)
    assert read_model(folder).engine == "second"

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("r5.storage.folder.os.fsync", full)
    with pytest.raises(R5Error, match="cannot be written: No space left on device"):
        write_model(folder, MODEL, force=True)
    assert read_model(folder).engine == "second"
    assert [entry.name for entry in folder.parent.iterdir()] == ["model"]
