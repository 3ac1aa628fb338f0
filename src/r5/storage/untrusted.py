"""The files of a model folder, which may be damaged or made to do harm: bytes, JSON and arrays, all within limits."""

from __future__ import annotations

import json
import math
import os
import stat
from pathlib import Path
from typing import Any

from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load as load_tensors

from r5.errors import R5Error

__all__ = ["MOST_BYTES", "ModelError", "parse_arrays", "parse_json", "read_file"]

MOST_BYTES = {"model.json": 16 << 20, "rules.json": 256 << 20, "weights.safetensors": 2 << 30}
"""The largest file of each name that is written or read."""
_MOST_VALUES = 10_000_000
"""Values in a JSON file, some 100 bytes each in memory: more than a million rules."""
_MOST_DIGITS = 40
"""Digits of a whole number; the state of a random number generator has 39."""


class ModelError(R5Error):
    """A model folder that cannot be used."""


def read_file(path: Path) -> bytes:
    """The content of one of the files; a link to a file is followed, anything but a file is refused."""
    most = MOST_BYTES[path.name]
    try:
        with open(path, "rb", buffering=0, opener=_at_once) as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise ModelError(f"{path}: is not a file")
            if status.st_size > most:
                raise ModelError(f"{path}: has {status.st_size:,} bytes; expected at most {most:,}")
            return file.readall()[:most]
    except (OSError, ValueError) as error:
        raise ModelError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from None


def _at_once(path: str, flags: int) -> int:
    """Open without waiting: a pipe in the place of a file would keep us for ever."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def parse_json(path: Path, data: bytes) -> Any:
    """What a JSON file says; numbers that are not finite or very long, and what is no Unicode, are refused."""
    if data.count(b",") + data.count(b"[") + data.count(b"{") > _MOST_VALUES:
        raise ModelError(f"{path}: holds more than {_MOST_VALUES:,} values")
    try:
        text = data.decode("utf-8")
        value = json.loads(text, parse_int=_whole, parse_float=_finite, parse_constant=_finite)
        if "\\u" in text:
            json.dumps(value, ensure_ascii=False).encode()  # half of a surrogate pair cannot be written
    except (ValueError, RecursionError):
        raise ModelError(f"{path}: is not valid JSON") from None
    return value


def _whole(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:
        raise ValueError("the number is too long")
    return int(digits)


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError("the number is not finite")
    return number


def parse_arrays(path: Path, data: bytes) -> dict[str, NDArray[Any]]:
    """The arrays of a safetensors file."""
    try:
        return load_tensors(data)
    except (SafetensorError, ValueError, KeyError, TypeError, OverflowError, MemoryError, ImportError) as error:
        raise ModelError(f"{path}: cannot be read: {error}") from None
