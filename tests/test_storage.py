"""Model folders: what is written is read back; anything else is refused in one line."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from r5.errors import R5Error
from r5.relations import Vocabulary
from r5.rules import Rule, RuleSet
from r5.storage import ModelError, StoredModel, read_model, write_model

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
    """Replace a file and its checksum, as somebody who means harm would."""
    (folder / name).write_bytes(content)
    head = json.loads((folder / "model.json").read_text())
    head["checksums"][name] = hashlib.sha256(content).hexdigest()
    (folder / "model.json").write_text(json.dumps(head))


def test_what_is_written_is_read_back(folder: Path) -> None:
    model = read_model(folder)
    assert (model.engine, model.settings, model.summary) == ("test", MODEL.settings, MODEL.summary)
    assert model.vocabulary == MODEL.vocabulary
    assert model.rules == MODEL.rules
    assert np.array_equal(model.array("weights", (2, None)), MODEL.arrays["weights"])
    assert model.array("counts", (2,), kind="i").tolist() == [1, 2]


def test_arrays_of_another_shape_kind_or_with_rubbish_are_refused(folder: Path) -> None:
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
    with pytest.raises(R5Error, match="there already"):
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
        ('{"format": 99}', "has format 99"),
        ('{"format": 1, "checksums": []}', "checksum"),
    ],
)
def test_a_model_json_that_is_not_one_is_refused(folder: Path, text: str, words: str) -> None:
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
        ({"vocabulary": {"known": ["a", "a"], "invented": []}}, "listed twice"),
    ],
)
def test_parts_of_another_type_are_refused(folder: Path, change: dict[str, object], words: str) -> None:
    head = json.loads((folder / "model.json").read_text())
    (folder / "model.json").write_text(json.dumps({**head, **change}))
    with pytest.raises(R5Error, match=words):
        read_model(folder)


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ({}, "expected a list"),
        ([3], "rule 1: expected an object"),
        ([{"head": "a", "body": []}], "names of relations"),
        ([{"head": "a", "body": [1]}], "names of relations"),
        ([{"head": "a", "body": ["b"], "score": "high"}], "score must be a number"),
        ([{"head": "a", "body": ["b"], "support": float("inf")}], "support must be a number"),
    ],
)
def test_rules_that_are_none_are_refused(folder: Path, rules: object, words: str) -> None:
    resign(folder, "rules.json", json.dumps(rules).encode())
    with pytest.raises(ModelError, match=words):
        read_model(folder)


@pytest.mark.parametrize("content", [b"", b"\xff" * 16, b"\x08\x00\x00\x00\x00\x00\x00\x00notjson!"])
def test_weights_that_are_none_are_refused(folder: Path, content: bytes) -> None:
    resign(folder, "weights.safetensors", content)
    with pytest.raises(ModelError, match=r"weights\.safetensors: cannot be read"):
        read_model(folder)


def test_a_path_that_is_no_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no such model folder"):
        read_model(tmp_path / "nothing")
