"""Messages between the server and its workers: bytes after their length."""

from __future__ import annotations

import asyncio
import json
import socket
import struct
from typing import Any

__all__ = ["encode_message", "read_message", "receive", "send"]

_LENGTH = struct.Struct("!Q")


def encode_message(message: Any) -> bytes:
    """Encode a message as JSON after its length."""
    body = json.dumps(message, ensure_ascii=False).encode("utf-8", "surrogatepass")
    return _LENGTH.pack(len(body)) + body


def send(to: socket.socket, body: bytes) -> None:
    """Send bytes as one message."""
    to.sendall(_LENGTH.pack(len(body)) + body)


def receive(source: socket.socket) -> bytes | None:
    """Receive the next message; None if the connection is closed."""
    header = _receive_exactly(source, _LENGTH.size)
    return None if header is None else _receive_exactly(source, _LENGTH.unpack(header)[0])


def _receive_exactly(source: socket.socket, size: int) -> bytes | None:
    parts: list[bytes] = []
    while size:
        part = source.recv(min(size, 1 << 20))
        if not part:
            return None
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


async def read_message(source: asyncio.StreamReader) -> bytes:
    """Receive the next message asynchronously.

    Raises:
        asyncio.IncompleteReadError: The connection is closed.
    """
    header = await source.readexactly(_LENGTH.size)
    return await source.readexactly(_LENGTH.unpack(header)[0])
