"""Many clients at once, each asking the explorer one question after the other."""

from __future__ import annotations

import asyncio
import http.client
import json
import time
from random import Random

__all__ = ["crowd"]


async def client(port: int, questions: list[dict[str, str]], until: float, random: Random) -> list[float]:
    """Ask one question after the other over one connection, and note how long each took."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    waited = []
    while time.monotonic() < until:
        body = json.dumps(random.choice(questions)).encode()
        head = f"POST /api/v1/ask HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
        start = time.perf_counter()
        writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        answer = await reader.readuntil(b"\r\n\r\n")
        length = next(line for line in answer.split(b"\r\n") if line.lower().startswith(b"content-length:"))
        content = await reader.readexactly(int(length.split(b":")[1]))
        waited.append(time.perf_counter() - start)
        if b" 200 " not in answer[:20] or b'"relation"' not in content:
            raise RuntimeError(f"not an answer: {answer!r} {content!r}")
    writer.close()
    await writer.wait_closed()
    return waited


async def crowd(port: int, clients: int, seconds: float) -> list[float]:
    """How long each question of all clients took, sorted."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.request("GET", "/api/v1/questions?limit=500")
    rows = json.loads(connection.getresponse().read())["questions"]
    connection.close()
    questions = [{key: row[key] for key in ("graph", "source", "target")} for row in rows]
    until = time.monotonic() + seconds
    each = await asyncio.gather(*(client(port, questions, until, Random(number)) for number in range(clients)))  # noqa: S311
    return sorted(wait for one in each for wait in one)
