"""Model folders: `model.json`, `rules.json` and `weights.safetensors`; safe, versioned, atomic.

Nothing in a folder is executed. A folder that is damaged, too new or too large is refused with
one line that says why.
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
from r5.storage.untrusted import MOST_BYTES, ModelError, parse_arrays, parse_json, read_file

__all__ = ["FORMAT_VERSION", "SUFFIXES", "ModelError", "StoredModel", "read_model", "settings_error", "write_model"]

FORMAT_VERSION = 3
SUFFIXES = (".json", ".safetensors")
"""How the names of a model's files end; a folder that holds others is not replaced by a model."""
_MOST_RELATIONS = 100_000
_LONGEST_ENGINE = 64
_FILES = ("rules.json", "weights.safetensors")


@dataclass(frozen=True)
class StoredModel:
    """What a model folder holds; the engine that wrote it knows what the arrays mean."""

    engine: str
    settings: Mapping[str, Any]
    vocabulary: Vocabulary
    rules: RuleSet
    arrays: Mapping[str, NDArray[Any]]
    summary: Mapping[str, Any]
    """How training went: seconds, seed, likelihood or accuracy, number of examples."""

    def array(
        self,
        name: str,
        shape: tuple[int | None, ...],
        kind: str = "f",
        least: float = -math.inf,
        most: float = math.inf,
    ) -> NDArray[Any]:
        """The array of that name, refused unless it has this shape (None: any size), kind, and finite values in range.

        `kind` is that of NumPy: f for floating point, i for whole numbers.
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
    """What is said where an engine refuses the settings of a folder; they may be of any size."""
    text = str(error)
    return ModelError(f"the model's settings cannot be used: {text if len(text) < 1000 else text[:1000] + '...'}")


def write_model(path: str | Path, model: StoredModel, force: bool = False) -> None:
    """Write a model folder whole or not at all."""
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
        if len(content) > MOST_BYTES[name]:
            raise ModelError(f"{name} would have {len(content):,} bytes; no more than {MOST_BYTES[name]:,} are read")

    def fill(folder: Path) -> None:
        for name, content in files.items():
            with (folder / name).open("wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())  # what replaces an old model is on the disk before it does

    write_folder(path, fill, force=force, replaces=SUFFIXES)


def _json(value: Any) -> bytes:
    try:
        return json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False).encode()
    except ValueError as error:
        raise ModelError(f"the model cannot be written: {error}") from None


def _plain(value: Any) -> Any:
    """The summary as JSON can say it: what is not a number is nothing."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def read_model(path: str | Path) -> StoredModel:
    """Read a model folder, or refuse it with a `ModelError`."""
    if not isinstance(path, str | os.PathLike):
        raise ModelError(f"expected the path of a model folder, not a {type(path).__name__}")
    folder = Path(path)
    if not is_folder(folder):
        raise ModelError(f"{folder}: no such model folder")
    where = folder / "model.json"
    head = parse_json(where, read_file(where))
    if not isinstance(head, dict):
        raise ModelError(f"{where}: expected an object")
    _check_version(where, head.get("format"))
    content = {name: read_file(folder / name) for name in _FILES}
    checksums = head.get("checksums")
    for name, data in content.items():
        if not isinstance(checksums, dict) or checksums.get(name) != hashlib.sha256(data).hexdigest():
            raise ModelError(f"{folder / name}: does not match its checksum: the model is damaged")
    engine, settings, summary = head.get("engine"), head.get("settings"), head.get("summary")
    if not isinstance(settings, dict) or not isinstance(summary, dict) or not isinstance(engine, str):
        raise ModelError(f"{where}: lacks engine, settings or summary")
    if len(engine) > _LONGEST_ENGINE:
        raise ModelError(f"{where}: the engine's name has {len(engine)} letters; expected at most {_LONGEST_ENGINE}")
    vocabulary = _vocabulary(where, head.get("vocabulary"))
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
        raise ModelError(f"{path}: has format {version}, which is read no more: train the model again")


def _vocabulary(path: Path, value: Any) -> Vocabulary:
    try:
        known, invented = value["known"], value["invented"]
    except (TypeError, KeyError):
        raise ModelError(f"{path}: lacks the vocabulary") from None
    if not all(isinstance(names, list) and all(isinstance(n, str) for n in names) for names in (known, invented)):
        raise ModelError(f"{path}: the vocabulary must be lists of names")
    if len(known) + len(invented) > _MOST_RELATIONS:
        raise ModelError(f"{path}: the vocabulary has more than {_MOST_RELATIONS:,} relations")
    try:
        return Vocabulary(tuple(known), tuple(invented))
    except R5Error as error:
        raise ModelError(f"{path}: {error}") from None


def _rules(path: Path, value: Any, vocabulary: Vocabulary) -> RuleSet:
    if not isinstance(value, list):
        raise ModelError(f"{path}: expected a list of rules")
    return RuleSet.of(_rule(f"{path}: rule {number}", item, vocabulary) for number, item in enumerate(value, start=1))


def _rule(place: str, item: Any, vocabulary: Vocabulary) -> Rule:
    try:
        rule = rule_from_json(item)
    except R5Error as error:
        raise ModelError(f"{place}: {error}") from None
    names = (rule.head, *rule.body)
    stranger = next((name for name in names if name not in vocabulary and inverse_name(name) not in vocabulary), None)
    if stranger is not None:
        raise ModelError(f"{place}: the relation {abbreviate(stranger)} is not in the vocabulary")
    return rule
