"""Model folders: `model.json`, `rules.json` and `weights.safetensors`; safe, versioned, atomic.

Nothing in a folder is executed. A folder that is damaged, of another version or too large is refused with one line that
gives the reason.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save as save_tensors

from r5._util.files.folders import write_folder
from r5._util.files.reading import is_folder
from r5._util.text import abbreviate
from r5.errors import R5Error
from r5.relations import Vocabulary, inverse_name
from r5.rules.formats.json import rule_from_json
from r5.rules.ruleset import Rule, RuleSet
from r5.storage.files import MAX_BYTES, ModelError, parse_arrays, parse_json, read_file

__all__ = ["FORMAT_VERSION", "SUFFIXES", "ModelError", "StoredModel", "read_model", "settings_error", "write_model"]

FORMAT_VERSION = 5
"""Version of the names of files, settings and arrays; folders of other versions are refused."""
SUFFIXES = (".json", ".safetensors")
"""Suffixes of the files of a model; a folder with other files is not replaced by a model."""
_MAX_RELATIONS = 100_000
_MAX_ENGINE_NAME = 64
_FILES = ("rules.json", "weights.safetensors")


@dataclass(frozen=True)
class StoredModel:
    """Content of a model folder; the engine that wrote it interprets the arrays."""

    engine: str
    settings: Mapping[str, Any]
    vocabulary: Vocabulary
    rules: RuleSet
    arrays: Mapping[str, NDArray[Any]]
    summary: Mapping[str, Any]
    """Training summary: seconds, seed, likelihood or accuracy, number of examples."""

    def array(
        self,
        name: str,
        shape: tuple[int | None, ...],
        kind: str = "f",
        least: float = -math.inf,
        most: float = math.inf,
    ) -> NDArray[Any]:
        """Return an array after a check of its shape, kind and values.

        Args:
            name: Name of the array.
            shape: Expected shape, None for any size.
            kind: Expected kind of NumPy: f for floating point, i for whole numbers.
            least: Minimum value.
            most: Maximum value.

        Raises:
            ModelError: There is no such array, or it has another shape or kind, or values not finite or out of range.

        """
        array = self.arrays.get(name)
        if array is None:
            raise ModelError(f"the model lacks the array {name!r}")
        fits = len(array.shape) == len(shape) and all(
            want in (None, have) for want, have in zip(shape, array.shape, strict=True)
        )
        if not fits or array.dtype.kind != kind:
            raise ModelError(f"the model's array {name!r} is {array.dtype}{list(array.shape)}, expected {list(shape)}")
        if kind == "f" and not np.isfinite(array).all():
            raise ModelError(f"the model's array {name!r} holds values that are not finite")
        if array.size and not least <= float(array.min()) <= float(array.max()) <= most:
            raise ModelError(f"the model's array {name!r} holds values that are not in {least:g} to {most:g}")
        return array


def settings_error(error: Exception) -> ModelError:
    """Return the `ModelError` for settings that an engine refuses; settings of any size make a short message."""
    text = str(error)
    return ModelError(f"the model's settings cannot be used: {text if len(text) < 1000 else text[:1000] + '...'}")


def write_model(path: str | Path, model: StoredModel, force: bool = False) -> None:
    """Write a model folder atomically: whole or not at all.

    Args:
        path: The model folder.
        model: Its content.
        force: Replace an existing model.

    Raises:
        ModelError: A file would be too large, or a value is not finite.
        R5Error: The folder exists, or cannot be written.

    """
    rules = [{**asdict(rule), "body": list(rule.body)} for rule in model.rules]
    files = {
        "rules.json": _json(rules),
        "weights.safetensors": save_tensors({k: np.ascontiguousarray(v) for k, v in model.arrays.items()}),
    }
    head = {
        "format": FORMAT_VERSION,
        "engine": model.engine,
        "settings": dict(model.settings),
        "vocabulary": {"known": model.vocabulary.known, "invented": model.vocabulary.invented},
        "summary": _plain(dict(model.summary)),
        "checksums": {name: hashlib.sha256(content).hexdigest() for name, content in files.items()},
    }
    files["model.json"] = _json(head)
    for name, content in files.items():
        if len(content) > MAX_BYTES[name]:
            raise ModelError(f"{name} would have {len(content):,} bytes; no more than {MAX_BYTES[name]:,} are read")

    def fill(folder: Path) -> None:
        for name, content in files.items():
            with (folder / name).open("wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())  # the new files are on the disk before they replace old ones

    write_folder(path, fill, force=force, replaces=SUFFIXES)


def _json(value: Any) -> bytes:
    try:
        return json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False).encode()
    except ValueError as error:
        raise ModelError(f"the model cannot be written: {error}") from None


def _plain(value: Any) -> Any:
    """Return a summary as JSON values; a number that is not finite becomes None."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def read_model(path: str | Path) -> StoredModel:
    """Read a model folder.

    Args:
        path: The model folder.

    Raises:
        ModelError: There is no such folder, or it is damaged, of another version or too large.

    """
    if not isinstance(path, str | os.PathLike):
        raise ModelError(f"expected the path of a model folder, not a {type(path).__name__}")
    folder = Path(path)
    if not is_folder(folder):
        raise ModelError(f"{folder}: no such model folder")
    model_file = folder / "model.json"
    head = parse_json(model_file, read_file(model_file))
    if not isinstance(head, dict):
        raise ModelError(f"{model_file}: expected an object")
    _check_version(model_file, head.get("format"))
    content = {name: read_file(folder / name) for name in _FILES}
    checksums = head.get("checksums")
    for name, data in content.items():
        if not isinstance(checksums, dict) or checksums.get(name) != hashlib.sha256(data).hexdigest():
            raise ModelError(f"{folder / name}: does not match its checksum: the model is damaged")
    engine, settings, summary = head.get("engine"), head.get("settings"), head.get("summary")
    if not isinstance(settings, dict) or not isinstance(summary, dict) or not isinstance(engine, str):
        raise ModelError(f"{model_file}: lacks engine, settings or summary")
    if len(engine) > _MAX_ENGINE_NAME:
        raise ModelError(
            f"{model_file}: the engine's name has {len(engine)} letters; expected at most {_MAX_ENGINE_NAME}"
        )
    vocabulary = _vocabulary(model_file, head.get("vocabulary"))
    rules = parse_json(folder / "rules.json", content["rules.json"])
    return StoredModel(
        engine=engine,
        settings=settings,
        vocabulary=vocabulary,
        rules=_rules(folder / "rules.json", rules, vocabulary),
        arrays=parse_arrays(folder / "weights.safetensors", content["weights.safetensors"]),
        summary=summary,
    )


def _check_version(path: Path, version: Any) -> None:
    if type(version) is not int:
        raise ModelError(f"{path}: has format {abbreviate(version)}; expected {FORMAT_VERSION}")
    if version > FORMAT_VERSION:
        raise ModelError(f"{path}: has format {version}, this version reads up to {FORMAT_VERSION}: upgrade r5")
    if version < FORMAT_VERSION:
        raise ModelError(f"{path}: has format {version}, this version reads {FORMAT_VERSION}: train the model again")


def _vocabulary(path: Path, value: Any) -> Vocabulary:
    try:
        known, invented = value["known"], value["invented"]
    except (TypeError, KeyError):
        raise ModelError(f"{path}: lacks the vocabulary") from None
    if not all(isinstance(names, list) and all(isinstance(n, str) for n in names) for names in (known, invented)):
        raise ModelError(f"{path}: the vocabulary must be lists of names")
    if len(known) + len(invented) > _MAX_RELATIONS:
        raise ModelError(f"{path}: the vocabulary has more than {_MAX_RELATIONS:,} relations")
    try:
        return Vocabulary(tuple(known), tuple(invented))
    except R5Error as error:
        raise ModelError(f"{path}: {error}") from None


def _rules(path: Path, value: Any, vocabulary: Vocabulary) -> RuleSet:
    if not isinstance(value, list):
        raise ModelError(f"{path}: expected a list of rules")
    return RuleSet.of(_rule(f"{path}: rule {number}", item, vocabulary) for number, item in enumerate(value, start=1))


def _rule(location: str, item: Any, vocabulary: Vocabulary) -> Rule:
    try:
        rule = rule_from_json(item)
    except R5Error as error:
        raise ModelError(f"{location}: {error}") from None
    names = (rule.head, *rule.body)
    unknown = next((name for name in names if name not in vocabulary and inverse_name(name) not in vocabulary), None)
    if unknown is not None:
        raise ModelError(f"{location}: the relation {abbreviate(unknown)} is not in the vocabulary")
    return rule
