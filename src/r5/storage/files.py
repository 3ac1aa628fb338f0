"""Files of a model folder: reading and parsing within limits, since a folder may be damaged or malicious."""

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

__all__ = ["MAX_BYTES", "ModelError", "parse_arrays", "parse_json", "read_file"]

MAX_BYTES = {"model.json": 16 << 20, "rules.json": 256 << 20, "weights.safetensors": 2 << 30}
"""Maximum number of bytes of each file, in reading and writing."""
_MAX_VALUES = 10_000_000
"""Maximum number of values in a JSON file, some 100 bytes each in memory; more than a million rules."""
_MAX_DIGITS = 40
"""Maximum number of digits of an integer; the state of a random number generator has 39."""


class ModelError(R5Error):
    """Error of a model folder that cannot be used."""


def read_file(path: Path) -> bytes:
    """Return the content of one of the files. Symbolic links are followed.

    Raises:
        ModelError: The path is not a regular file, is too large or cannot be read.

    """
    most = MAX_BYTES[path.name]
    try:
        with open(path, "rb", buffering=0, opener=_open_nonblocking) as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise ModelError(f"{path}: is not a file")
            if status.st_size > most:
                raise ModelError(f"{path}: has {status.st_size:,} bytes; expected at most {most:,}")
            return file.readall()[:most]
    except (OSError, ValueError) as error:
        raise ModelError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from None


def _open_nonblocking(path: str, flags: int) -> int:
    """Open without blocking, since a named pipe would block for ever."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def parse_json(path: Path, data: bytes) -> Any:
    """Return the value of a JSON file.

    Raises:
        ModelError: The file has too many values, is no JSON, is no Unicode, or has a number too long or not finite.

    """
    if data.count(b",") + data.count(b"[") + data.count(b"{") > _MAX_VALUES:
        raise ModelError(f"{path}: holds more than {_MAX_VALUES:,} values")
    try:
        text = data.decode("utf-8")
        value = json.loads(text, parse_int=_parse_integer, parse_float=_parse_finite, parse_constant=_parse_finite)
        if "\\u" in text:
            json.dumps(value, ensure_ascii=False).encode()  # a lone surrogate cannot be encoded
    except (ValueError, RecursionError):
        raise ModelError(f"{path}: is not valid JSON") from None
    return value


def _parse_integer(digits: str) -> int:
    if len(digits) > _MAX_DIGITS:
        raise ValueError("the number is too long")
    return int(digits)


def _parse_finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError("the number is not finite")
    return number


def parse_arrays(path: Path, data: bytes) -> dict[str, NDArray[Any]]:
    """Return the arrays of a safetensors file, or raise a `ModelError`."""
    try:
        return load_tensors(data)
    except (SafetensorError, ValueError, KeyError, TypeError, OverflowError, MemoryError, ImportError) as error:
        raise ModelError(f"{path}: cannot be read: {error}") from None
