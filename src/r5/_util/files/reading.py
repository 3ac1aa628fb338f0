"""Reading of text, tables and JSON; errors name the file and the line."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from r5._util.files.compression import open_bytes
from r5._util.ordering import natural_key
from r5.errors import DataError

__all__ = [
    "is_folder",
    "list_files",
    "parse_json",
    "read_bytes",
    "read_columns",
    "read_lines",
    "read_table",
    "read_text",
]


def is_folder(path: str | Path) -> bool:
    """Return whether a folder exists; False for an invalid path."""
    try:
        return Path(path).is_dir()
    except (OSError, ValueError):
        return False


def list_files(folder: str | Path, pattern: str) -> list[Path]:
    """Return the files of a folder that match a pattern, without hidden ones, in natural order."""
    try:
        found = [path for path in Path(folder).glob(pattern) if path.is_file() and not path.name.startswith(".")]
    except (OSError, ValueError):
        return []
    return sorted(found, key=lambda path: natural_key(path.name))


def read_bytes(path: str | Path) -> bytes:
    """Return the content of a file, decompressed if its suffix is .gz or .zst.

    Raises:
        DataError: The file is missing, blank or cannot be read.
    """
    path = Path(path)
    with open_bytes(path) as stream:
        raw = stream.read()
    if not raw.strip(b"\xef\xbb\xbf \t\r\n"):
        raise DataError("is empty", path)
    return raw


def read_text(path: str | Path) -> str:
    """Return the text of a UTF-8 file, without a byte-order mark and with plain line ends.

    Raises:
        DataError: The file cannot be read or is not text.
    """
    raw = read_bytes(path)
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise DataError("is not UTF-8 text", path, line) from None
    if (position := text.find("\0")) >= 0:
        raise DataError("is not text: it holds a NUL byte", path, text.count("\n", 0, position) + 1)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_lines(path: str | Path) -> Iterator[tuple[int, str]]:
    """Yield the non-blank lines of a text file with their numbers (from 1)."""
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        if line.strip():
            yield number, line


def read_table(path: str | Path) -> list[tuple[int, list[str]]]:
    """Return the non-blank rows of a CSV file, each with the number of its first line (from 1).

    Raises:
        DataError: The file cannot be read or is not CSV.
    """
    text = read_text(path)
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    rows: list[tuple[int, list[str]]] = []
    line = 1
    # Stories may exceed the field size limit of the csv module, a global of all its readers.
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
    """Yield the rows of a CSV file with a header, as line number and values by column.

    Raises:
        DataError: A column of `needed` is missing, or a row has another length than the header.
    """
    rows = read_table(path)
    line, header = rows[0] if rows else (1, [])
    if missing := [name for name in needed if header.count(name) != 1]:
        raise DataError(f"has no column {missing[0]!r}, or has it twice; expected {', '.join(needed)}", path, line)
    for line, cells in rows[1:]:
        if len(cells) != len(header):
            raise DataError(f"has {len(cells)} columns, expected {len(header)}", path, line)
        yield line, dict(zip(header, cells, strict=True))


def parse_json(text: str, path: str | Path, line: int = 1) -> Any:
    """Return the value of a JSON text.

    Args:
        text: The JSON text.
        path: File of the text, for the message of an error.
        line: Line of the file at which the text starts.

    Raises:
        DataError: The text is not valid JSON or not valid Unicode.
    """
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
    """Return whether all strings in a JSON value are valid Unicode, without unpaired surrogates."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except (UnicodeEncodeError, RecursionError):
        return False
    return True
