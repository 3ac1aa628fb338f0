"""Reading and writing files so that what is wrong is said in one line and nothing is left half done."""

from __future__ import annotations

import csv
import gzip
import io
import json
import reprlib
import tempfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

from r5._util.exchange import exchange
from r5._util.ordering import natural_key
from r5.errors import DataError, need

__all__ = [
    "beside",
    "check_folder",
    "is_folder",
    "list_files",
    "open_bytes",
    "parse_json",
    "read_bytes",
    "read_lines",
    "read_table",
    "read_text",
    "shown",
    "unpacked_name",
    "write_folder",
]

PACKED = (".gz", ".zst")
"""Endings of packed files, which are unpacked as they are read."""


def is_folder(path: str | Path) -> bool:
    """Whether there is such a folder; a path that cannot be one is no error."""
    try:
        return Path(path).is_dir()
    except (OSError, ValueError):
        return False


def list_files(folder: str | Path, pattern: str) -> list[Path]:
    """The files of a folder whose names fit, hidden ones left out, in natural order; none where there is no folder."""
    try:
        found = [path for path in Path(folder).glob(pattern) if path.is_file() and not path.name.startswith(".")]
    except (OSError, ValueError):
        return []
    return sorted(found, key=lambda path: natural_key(path.name))


def unpacked_name(path: Path) -> Path:
    """The path without the ending .gz or .zst of packed files: the ending before it tells the format."""
    return path.with_suffix("") if path.suffix.lower() in PACKED else path


def read_bytes(path: str | Path) -> bytes:
    """What stands in a file, unpacked if its name ends in .gz or .zst; one that is missing or blank is an error."""
    path = Path(path)
    with open_bytes(path) as stream:
        raw = stream.read()
    if not raw.strip(b"\xef\xbb\xbf \t\r\n"):
        raise DataError("is empty", path)
    return raw


@contextmanager
def open_bytes(path: str | Path) -> Iterator[BinaryIO]:
    """A file to read bit by bit, unpacked if its name ends in .gz or .zst; what cannot be read is a DataError."""
    path = Path(path)
    packed = path.suffix.lower()
    try:
        with path.open("rb") as raw:
            if packed == ".gz":
                with gzip.open(raw) as stream:
                    yield cast(BinaryIO, stream)
            elif packed == ".zst":
                with io.BufferedReader(_Unpacked(raw), 1 << 18) as buffered:
                    yield cast(BinaryIO, buffered)
            else:
                yield raw
    except FileNotFoundError:
        raise DataError("no such file", path) from None
    except IsADirectoryError:
        raise DataError("is a folder, expected a file", path) from None
    except (OSError, EOFError, zlib.error, ValueError) as error:
        if packed in PACKED and not getattr(error, "strerror", None):
            raise DataError(f"is not a packed file: {error}", path) from None
        raise DataError(f"cannot be read: {getattr(error, 'strerror', None) or error}", path) from None
    except Exception as error:
        # zstandard has an error of its own, which is of no class that is known here.
        if type(error).__module__.partition(".")[0] != "zstandard":
            raise
        raise DataError(f"is not a packed file: {error}", path) from None


class _Unpacked(io.RawIOBase):
    """What a file packed by zstandard holds; unlike that package's own reader it sees where a file is cut short."""

    def __init__(self, raw: BinaryIO) -> None:
        try:
            import zstandard
        except ImportError:
            raise need("zstandard", "zstd") from None
        self._raw, self._unpacker = raw, zstandard.ZstdDecompressor()
        self._frame = self._unpacker.decompressobj()
        self._ready = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._ready:
            packed = self._frame.unused_data if self._frame.eof else b""
            packed = packed or self._raw.read(1 << 17)
            if not packed:
                if not self._frame.eof:
                    raise EOFError("it is cut short")
                return 0
            if self._frame.eof:
                self._frame = self._unpacker.decompressobj()
            self._ready = self._frame.decompress(packed)
        size = min(len(buffer), len(self._ready))
        buffer[:size], self._ready = self._ready[:size], self._ready[size:]
        return size


def read_text(path: str | Path) -> str:
    """The text of a UTF-8 file, without its byte-order mark and with plain line ends."""
    raw = read_bytes(path)
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise DataError("is not UTF-8 text", path, line) from None
    if (place := text.find("\0")) >= 0:
        raise DataError("is not text: it holds a NUL byte", path, text.count("\n", 0, place) + 1)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_lines(path: str | Path) -> Iterator[tuple[int, str]]:
    """The lines of a text file that are not blank, each with its number (from 1)."""
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        if line.strip():
            yield number, line


def read_table(path: str | Path) -> list[tuple[int, list[str]]]:
    """The rows of a CSV file that are not blank, each with the number of its first line (from 1)."""
    text = read_text(path)
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    rows: list[tuple[int, list[str]]] = []
    line = 1
    # Stories may be longer than the csv module's limit for a field, which is the same for all its readers.
    limit = csv.field_size_limit(len(text) + 1)
    try:
        for row in reader:
            if row:
                rows.append((line, row))
            line = reader.line_num + 1
    except csv.Error as error:
        raise DataError(f"is not valid CSV: {error}", path, line) from None
    finally:
        csv.field_size_limit(limit)
    return rows


def read_columns(path: str | Path, needed: Sequence[str]) -> Iterator[tuple[int, dict[str, str]]]:
    """The rows of a CSV file with a header, by column, each with its line; the `needed` columns must be there."""
    rows = read_table(path)
    line, header = rows[0] if rows else (1, [])
    if missing := [name for name in needed if header.count(name) != 1]:
        raise DataError(f"has no column {missing[0]!r}, or has it twice; expected {', '.join(needed)}", path, line)
    for line, cells in rows[1:]:
        if len(cells) != len(header):
            raise DataError(f"has {len(cells)} columns, expected {len(header)}", path, line)
        yield line, dict(zip(header, cells, strict=True))


def parse_json(text: str, path: str | Path, line: int = 1) -> Any:
    """What a JSON text says; `path` and the `line` where it starts are for the message if it is broken."""
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise DataError(f"is not valid JSON: {error.msg}", path, line + error.lineno - 1) from None
    except RecursionError:
        raise DataError("is not valid JSON: nested too deeply", path, line) from None
    except ValueError:
        raise DataError("is not valid JSON: a number is too long", path, line) from None
    if ("\\ud" in text or "\\uD" in text) and not _is_unicode(value):
        raise DataError("is not valid Unicode: a name holds half a surrogate pair", path, line)
    return value


def _is_unicode(value: Any) -> bool:
    """Whether all strings in a JSON value can be written as UTF-8: half of a surrogate pair cannot."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except (UnicodeEncodeError, RecursionError):
        return False
    return True


def shown(value: object) -> str:
    """A value of any size and depth for a message, cut short.

    >>> shown("x" * 1000)
    "'xxxxxxxxxxxxxxxxxxxxxxxxxxxx...xxxxxxxxxxxxxxxxxxxxxxxxxxxxx'"
    """
    short = reprlib.Repr()
    short.maxstring = short.maxother = short.maxlong = 64
    return short.repr(value)


def check_folder(path: str | Path, force: bool = False, replaces: Sequence[str] = ()) -> None:
    """An error, before any long work, where `write_folder` would refuse to make or to replace a folder."""
    path = Path(path)
    try:
        above = Path.cwd().is_relative_to(path.resolve())
    except (OSError, ValueError, RuntimeError) as error:
        raise DataError(f"cannot be written: {getattr(error, 'strerror', None) or error}", path) from None
    if above:
        raise DataError("is the folder that this runs in, or one above it; name another one", path)
    there = _entries(path)
    if there and not force:
        raise DataError("already exists and is not empty; choose another folder or force it", path)
    stranger = next((old for old in there if replaces and not (old.is_file() and old.suffix in replaces)), None)
    if stranger is not None:
        raise DataError(f"holds {shown(stranger.name)}, which is no part of such a folder: it is not replaced", path)


def write_folder(
    path: str | Path, fill: Callable[[Path], None], force: bool = False, replaces: Sequence[str] = ()
) -> None:
    """Make a folder whole or not at all; one that is there and not empty is kept unless `force` is set.

    Where `replaces` lists endings of file names, even `force` keeps a folder that holds anything else.
    """
    check_folder(path, force, replaces)
    # A link to a folder stays; the folder behind it is replaced.
    path = Path(path).resolve()
    with beside(path) as folder:
        new, old = folder / "new", folder / "old"
        new.mkdir()
        fill(new)
        if path.exists() and exchange(new, path):
            return
        try:
            if path.exists():
                path.rename(old)
            new.rename(path)
        except BaseException:
            if old.exists() and not path.exists():
                old.rename(path)
            raise


def _entries(path: Path) -> list[Path]:
    """What a folder holds; nothing where there is none."""
    try:
        return sorted(path.iterdir())
    except FileNotFoundError:
        return []
    except NotADirectoryError:
        raise DataError("is a file, expected a folder to write to", path) from None
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror}", path) from None


@contextmanager
def beside(path: Path) -> Iterator[Path]:
    """A temporary folder on the same disk as `path`, gone at the end; what the disk refuses is a DataError."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".r5-", dir=path.parent) as folder:
            yield Path(folder)
    except UnicodeEncodeError:
        raise DataError("cannot be written: a name is not valid Unicode", path) from None
    except OSError as error:
        raise DataError(f"cannot be written: {error.strerror or error}", path) from None
