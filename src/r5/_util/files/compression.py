"""Reading of files compressed with gzip or Zstandard."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

from r5.errors import DataError, need

__all__ = ["open_bytes", "strip_compression_suffix"]

COMPRESSION_SUFFIXES = (".gz", ".zst")


def strip_compression_suffix(path: Path) -> Path:
    """Return the path without .gz or .zst; the suffix before it is that of the format."""
    return path.with_suffix("") if path.suffix.lower() in COMPRESSION_SUFFIXES else path


@contextmanager
def open_bytes(path: str | Path) -> Iterator[BinaryIO]:
    """Open a file for reading, decompressed if its suffix is .gz or .zst.

    Raises:
        DataError: The file cannot be read or decompressed.
    """
    path = Path(path)
    suffix = path.suffix.lower()
    try:
        with path.open("rb") as raw:
            if suffix == ".gz":
                with gzip.open(raw) as stream:
                    yield cast(BinaryIO, stream)
            elif suffix == ".zst":
                with io.BufferedReader(_ZstandardReader(raw), 1 << 18) as buffered:
                    yield cast(BinaryIO, buffered)
            else:
                yield raw
    except FileNotFoundError:
        raise DataError("no such file", path) from None
    except IsADirectoryError:
        raise DataError("is a folder, expected a file", path) from None
    except (OSError, EOFError, zlib.error, ValueError) as error:
        if suffix in COMPRESSION_SUFFIXES and not getattr(error, "strerror", None):
            raise DataError(f"is not a packed file: {error}", path) from None
        raise DataError(f"cannot be read: {getattr(error, 'strerror', None) or error}", path) from None
    except Exception as error:
        # ZstdError has no base class that is known without importing zstandard.
        if type(error).__module__.partition(".")[0] != "zstandard":
            raise
        raise DataError(f"is not a packed file: {error}", path) from None


class _ZstandardReader(io.RawIOBase):
    """Decompressed stream; unlike the reader of zstandard it raises EOFError at a truncated file."""

    def __init__(self, raw: BinaryIO) -> None:
        try:
            import zstandard
        except ImportError:
            raise need("zstandard", "zstd") from None
        self._raw, self._decompressor = raw, zstandard.ZstdDecompressor()
        self._frame = self._decompressor.decompressobj()
        self._decompressed = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._decompressed:
            compressed = self._frame.unused_data if self._frame.eof else b""
            compressed = compressed or self._raw.read(1 << 17)
            if not compressed:
                if not self._frame.eof:
                    raise EOFError("it is cut short")
                return 0
            if self._frame.eof:
                self._frame = self._decompressor.decompressobj()
            self._decompressed = self._frame.decompress(compressed)
        size = min(len(buffer), len(self._decompressed))
        buffer[:size], self._decompressed = self._decompressed[:size], self._decompressed[size:]
        return size
