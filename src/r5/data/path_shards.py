"""PathShards: training examples as relation paths in files, for data larger than memory.

Each line of a JSON file is an example: `{"path": ["father", "mother"], "answer": "grandmother"}`. `"paths"` holds
several paths, and `"weight"` counts repetitions. A Parquet file has the columns `path` or `paths` (lists of names),
`answer` and, optionally, `weight`. Files may be compressed (.gz, .zst).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from r5._util.files.compression import open_bytes, strip_compression_suffix
from r5._util.files.reading import parse_json
from r5._util.text import abbreviate
from r5.errors import DataError, need

__all__ = ["PathExample", "PathShards", "file_digest", "is_shards", "read_path_examples"]

_SUFFIXES = (".jsonl", ".parquet")
_BATCH_SIZE = 10_000
"""Rows of a Parquet file that are read at a time."""


@dataclass(frozen=True, slots=True)
class PathExample:
    """Relation paths between two entities and the relation between them, by name."""

    paths: tuple[tuple[str, ...], ...]
    answer: str
    weight: float = 1.0
    """Number of repetitions."""


@dataclass(frozen=True)
class PathShards:
    """Ordered files of path examples, accepted by `GrammarReasoner.fit`."""

    files: tuple[Path, ...]

    @classmethod
    def of(cls, folder: str | Path) -> PathShards:
        """List the .jsonl and .parquet files of a folder, in order of their names.

        Raises:
            DataError: The folder is missing or has no such file.
        """
        place = Path(folder)
        if not place.is_dir():
            raise DataError("is no folder of files with paths", place)
        files = sorted(one for one in place.iterdir() if strip_compression_suffix(one).suffix.lower() in _SUFFIXES)
        if not files:
            raise DataError(f"has no file that ends in {' or '.join(_SUFFIXES)}", place)
        return cls(tuple(file.resolve() for file in files))

    def __len__(self) -> int:
        return len(self.files)


def is_shards(path: str | Path) -> bool:
    """Return whether a path is a folder of path examples: its name ends in .paths."""
    return Path(path).suffix == ".paths" and Path(path).is_dir()


def read_path_examples(path: Path) -> Iterator[PathExample]:
    """Read the examples of a file.

    Raises:
        DataError: A row is invalid; the message names its line.
    """
    rows = _table(path) if strip_compression_suffix(path).suffix.lower() == ".parquet" else _lines(path)
    for number, row in rows:
        yield _example(path, number, row)


def file_digest(path: Path) -> str:
    """Return the SHA-256 sum of a file's unpacked content."""
    digest = hashlib.sha256()
    with open_bytes(path) as stream:
        while part := stream.read(1 << 20):
            digest.update(part)
    return digest.hexdigest()


def _lines(path: Path) -> Iterator[tuple[int, Any]]:
    with open_bytes(path) as stream:
        for number, line in enumerate(stream, start=1):
            if line.strip():
                try:
                    text = line.decode("utf-8-sig" if number == 1 else "utf-8")
                except UnicodeDecodeError:
                    raise DataError("is not UTF-8 text", path, number) from None
                yield number, parse_json(text.rstrip(), path, number)


def _table(path: Path) -> Iterator[tuple[int, Any]]:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise need("pyarrow", "pandas") from None
    try:
        number = 0
        for batch in parquet.ParquetFile(path).iter_batches(_BATCH_SIZE):
            for row in batch.to_pylist():
                number += 1
                yield number, row
    except (pyarrow.ArrowException, OSError) as error:
        raise DataError(f"is not a Parquet file: {' '.join(str(error).split())}", path) from None


def _example(path: Path, number: int, row: Any) -> PathExample:
    match row:
        case {"answer": str() as answer, **rest} if answer:
            several: Any = rest.get("paths")
            paths: list[Any] = several if isinstance(several, list) else [rest.get("path")]
            weight: Any = rest.get("weight")
            weight = 1.0 if weight is None else weight
            valid = all(
                isinstance(one, list) and one and all(isinstance(name, str) and name for name in one) for one in paths
            )
            if paths and valid and isinstance(weight, int | float) and 0 < weight < float("inf"):
                return PathExample(tuple(sorted({tuple(one) for one in paths})), answer, float(weight))
    raise DataError(f'expected {{"path": [names], "answer": name}}, found {abbreviate(row)}', path, number)
