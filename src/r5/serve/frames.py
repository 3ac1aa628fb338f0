"""Messages between the server and its workers: JSON with its length before it, never anything that is executed."""

from __future__ import annotations

import asyncio
import json
import socket
import struct
from typing import Any

__all__ = ["read_message", "receive", "send", "written"]

_LENGTH = struct.Struct("!Q")


def written(message: Any) -> bytes:
    """A message as bytes."""
    body = json.dumps(message, ensure_ascii=False).encode("utf-8", "surrogatepass")
    return _LENGTH.pack(len(body)) + body


def send(to: socket.socket, body: bytes) -> None:
    """Send bytes as one message."""
    to.sendall(_LENGTH.pack(len(body)) + body)


def receive(source: socket.socket) -> bytes | None:
    """The next message; None where the other side has gone."""
    head = _exactly(source, _LENGTH.size)
    return None if head is None else _exactly(source, _LENGTH.unpack(head)[0])


def _exactly(source: socket.socket, size: int) -> bytes | None:
    parts: list[bytes] = []
    while size:
        part = source.recv(min(size, 1 << 20))
        if not part:
            return None
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


async def read_message(source: asyncio.StreamReader) -> bytes:
    """The next message, for the side that must not wait; `IncompleteReadError` where the other side has gone."""
    head = await source.readexactly(_LENGTH.size)
    return await source.readexactly(_LENGTH.unpack(head)[0])
