"""Model folders: `model.json`, `rules.json` and `weights.safetensors`; safe, versioned, atomic.

Nothing in a folder is executed. A folder that is damaged, too new or too large is refused with
one line that says why.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load as load_tensors
from safetensors.numpy import save as save_tensors

from r5.data.files import write_folder
from r5.errors import R5Error
from r5.relations import Vocabulary
from r5.rules import Rule, RuleSet

__all__ = ["FORMAT_VERSION", "ModelError", "StoredModel", "read_model", "write_model"]

FORMAT_VERSION = 1
_MOST_BYTES = 2 << 30
_FILES = ("rules.json", "weights.safetensors")


class ModelError(R5Error):
    """A model folder that cannot be used."""


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

    def array(self, name: str, shape: tuple[int | None, ...], kind: str = "f") -> NDArray[Any]:
        """The array of that name, refused unless it has this shape (None: any size), kind and finite values."""
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
        return array


def write_model(path: str | Path, model: StoredModel, force: bool = False) -> None:
    """Write a model folder whole or not at all."""
    rules = [{**asdict(rule), "body": list(rule.body)} for rule in model.rules]
    files = {
        "rules.json": json.dumps(rules, indent=1, ensure_ascii=False, allow_nan=False).encode(),
        "weights.safetensors": save_tensors({k: np.ascontiguousarray(v) for k, v in model.arrays.items()}),
    }
    head = {
        "format": FORMAT_VERSION,
        "engine": model.engine,
        "settings": dict(model.settings),
        "vocabulary": {"known": model.vocabulary.known, "invented": model.vocabulary.invented},
        "summary": dict(model.summary),
        "checksums": {name: hashlib.sha256(content).hexdigest() for name, content in files.items()},
    }
    files["model.json"] = json.dumps(head, indent=1, ensure_ascii=False, allow_nan=False).encode()

    def fill(folder: Path) -> None:
        for name, content in files.items():
            (folder / name).write_bytes(content)

    write_folder(path, fill, force=force, replaces=(".json", ".safetensors"))


def read_model(path: str | Path) -> StoredModel:
    """Read a model folder, or refuse it with a `ModelError`."""
    folder = Path(path)
    if not folder.is_dir():
        raise ModelError(f"{folder}: no such model folder")
    head = _json(folder / "model.json", _bytes(folder / "model.json"))
    if not isinstance(head, dict):
        raise ModelError(f"{folder / 'model.json'}: expected an object")
    version = head.get("format")
    if version != FORMAT_VERSION:
        raise ModelError(f"{folder}: has format {version!r}; this version reads {FORMAT_VERSION}: train it again")
    content = {name: _bytes(folder / name) for name in _FILES}
    checksums = head.get("checksums")
    for name, data in content.items():
        if not isinstance(checksums, dict) or checksums.get(name) != hashlib.sha256(data).hexdigest():
            raise ModelError(f"{folder / name}: does not match its checksum: the model is damaged")
    try:
        arrays = load_tensors(content["weights.safetensors"])
    except (SafetensorError, ValueError, KeyError, TypeError, OverflowError, MemoryError) as error:
        raise ModelError(f"{folder / 'weights.safetensors'}: cannot be read: {error}") from None
    settings, summary = head.get("settings"), head.get("summary")
    if not isinstance(settings, dict) or not isinstance(summary, dict) or not isinstance(head.get("engine"), str):
        raise ModelError(f"{folder / 'model.json'}: lacks engine, settings or summary")
    return StoredModel(
        engine=head["engine"],
        settings=settings,
        vocabulary=_vocabulary(folder / "model.json", head.get("vocabulary")),
        rules=_rules(folder / "rules.json", _json(folder / "rules.json", content["rules.json"])),
        arrays=arrays,
        summary=summary,
    )


def _bytes(path: Path) -> bytes:
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise ModelError(f"{path}: is larger than {_MOST_BYTES >> 30} GiB")
        return path.read_bytes()
    except OSError as error:
        raise ModelError(f"{path}: cannot be read: {error.strerror}") from None


def _json(path: Path, data: bytes) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        raise ModelError(f"{path}: is not valid JSON") from None


def _vocabulary(path: Path, value: Any) -> Vocabulary:
    try:
        known, invented = value["known"], value["invented"]
    except (TypeError, KeyError):
        raise ModelError(f"{path}: lacks the vocabulary") from None
    if not all(isinstance(names, list) and all(isinstance(n, str) for n in names) for names in (known, invented)):
        raise ModelError(f"{path}: the vocabulary must be lists of names")
    return Vocabulary(tuple(known), tuple(invented))


def _rules(path: Path, value: Any) -> RuleSet:
    if not isinstance(value, list):
        raise ModelError(f"{path}: expected a list of rules")
    return RuleSet.of(_rule(path, number, item) for number, item in enumerate(value, start=1))


def _rule(path: Path, number: int, item: Any) -> Rule:
    place = f"{path}: rule {number}"
    if not isinstance(item, dict) or not isinstance(item.get("head"), str) or not isinstance(item.get("body"), list):
        raise ModelError(f"{place}: expected an object with a head and a body")
    body = item["body"]
    if not body or not all(isinstance(name, str) for name in body):
        raise ModelError(f"{place}: the body must be names of relations")
    numbers = {key: item.get(key) for key in ("probability", "body_probability", "score", "support")}
    for key, figure in numbers.items():
        if figure is not None and (type(figure) not in (int, float) or not math.isfinite(figure)):
            raise ModelError(f"{place}: {key} must be a number")
    return Rule(item["head"], tuple(body), **numbers, invented=bool(item.get("invented", False)))
