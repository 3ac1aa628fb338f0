"""PathShards: training questions in files of relation paths, each read where it is used: more than memory holds.

A line of JSON is a question: `{"path": ["father", "mother"], "answer": "grandmother"}`, or `"paths"` where there are
several, and `"weight"` where it occurs more than once. A Parquet file has the columns `path` or `paths` (lists of
names), `answer` and, if need be, `weight`. Names may end in .gz or .zst, too.
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

__all__ = ["PathQuestion", "PathShards", "digest_of", "is_shards", "read_questions"]

_SUFFIXES = (".jsonl", ".parquet")
_AT_ONCE = 10_000


@dataclass(frozen=True, slots=True)
class PathQuestion:
    """Relation paths between two entities, by name, and how these are related."""

    paths: tuple[tuple[str, ...], ...]
    answer: str
    weight: float = 1.0


@dataclass(frozen=True)
class PathShards:
    """Files of questions, in order: what `GrammarReasoner.fit` takes in place of examples."""

    files: tuple[Path, ...]

    @classmethod
    def of(cls, folder: str | Path) -> PathShards:
        """The files of a folder whose names end in .jsonl or .parquet, by name."""
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
    """Whether a path is meant as files of paths: a folder whose name ends in .paths."""
    return Path(path).suffix == ".paths" and Path(path).is_dir()


def read_questions(path: Path) -> Iterator[PathQuestion]:
    """The questions of a file; what is no question is an error with its line."""
    rows = _table(path) if strip_compression_suffix(path).suffix.lower() == ".parquet" else _lines(path)
    for number, row in rows:
        yield _question(path, number, row)


def digest_of(path: Path) -> str:
    """The checksum of a file."""
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
        for batch in parquet.ParquetFile(path).iter_batches(_AT_ONCE):
            for row in batch.to_pylist():
                number += 1
                yield number, row
    except (pyarrow.ArrowException, OSError) as error:
        raise DataError(f"is not a Parquet file: {' '.join(str(error).split())}", path) from None


def _question(path: Path, number: int, row: Any) -> PathQuestion:
    match row:
        case {"answer": str() as answer, **rest} if answer:
            ways: Any = rest.get("paths")
            paths: list[Any] = ways if isinstance(ways, list) else [rest.get("path")]
            weight: Any = rest.get("weight")
            weight = 1.0 if weight is None else weight
            good = all(
                isinstance(way, list) and way and all(isinstance(name, str) and name for name in way) for way in paths
            )
            if paths and good and isinstance(weight, int | float) and 0 < weight < float("inf"):
                return PathQuestion(tuple(sorted({tuple(way) for way in paths})), answer, float(weight))
    raise DataError(f'expected {{"path": [names], "answer": name}}, found {abbreviate(row)}', path, number)
