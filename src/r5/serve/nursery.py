"""The nursery: a process with the model in memory that makes workers, each a copy of itself, and ends them.

A worker shares the model's memory until it writes to it, starts in milliseconds, and can be ended whatever it is
doing: that is how a question is called off. The nursery has one thread and no connections, so copying it is safe.
"""

from __future__ import annotations

import os
import resource
import signal
import socket
import struct
import traceback
from collections.abc import Callable

from r5.serve.frames import receive, send

__all__ = ["Nursery", "start_nursery"]

Work = Callable[[bytes], bytes]
"""What a worker does: from a message to a message. It must not raise."""
_MAKE, _END = b"+", b"-"
_PID = struct.Struct("!i")


class Nursery:
    """The server's side: asks for workers."""

    def __init__(self, pid: int, line: socket.socket) -> None:
        self.pid = pid
        self._line = line

    def make_worker(self) -> tuple[int, socket.socket]:
        """A new worker's number, and the socket that leads to it."""
        ours, theirs = socket.socketpair()
        with theirs:
            socket.send_fds(self._line, [_MAKE + _PID.pack(0)], [theirs.fileno()])
        answer = self._line.recv(_PID.size, socket.MSG_WAITALL)
        if len(answer) < _PID.size:
            ours.close()
            raise RuntimeError("the process that makes workers has gone")
        return _PID.unpack(answer)[0], ours

    def end_worker(self, pid: int) -> None:
        """End a worker, whatever it is doing; one that has ended already is no error."""
        socket.send_fds(self._line, [_END + _PID.pack(pid)], [])
        self._line.recv(_PID.size, socket.MSG_WAITALL)

    def close(self) -> None:
        """End the nursery, and with it all workers."""
        self._line.close()
        os.waitpid(self.pid, 0)


def start_nursery(prepare: Callable[[], Work], memory: int | None = None) -> Nursery:
    """A process that has run `prepare` and makes workers that do what it returned.

    `memory` is how many bytes a worker may take beyond those that it starts with.
    """
    ours, theirs = socket.socketpair()
    pid = os.fork()
    if pid:
        theirs.close()
        return Nursery(pid, ours)
    ours.close()
    code = 1
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server ends it, in order
        _raise(theirs, prepare(), memory)
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def _raise(line: socket.socket, work: Work, memory: int | None) -> None:
    """Make and end workers until the server has gone."""
    alive: set[int] = set()
    while True:
        message, sockets, _, _ = socket.recv_fds(line, 1 + _PID.size, 1)
        if not message:
            break
        if message[:1] == _END:
            pid = _PID.unpack(message[1:])[0]
            if pid in alive:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
                alive.discard(pid)
            line.sendall(_PID.pack(pid))
            continue
        pid = os.fork()
        if pid == 0:
            line.close()
            with socket.socket(fileno=sockets[0]) as own:
                _limit(memory)
                _serve(own, work)
            os._exit(0)
        os.close(sockets[0])
        alive.add(pid)
        line.sendall(_PID.pack(pid))
    for pid in alive:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def _limit(memory: int | None) -> None:
    """From here on no more than so many further bytes, where the system can hold a process to that."""
    if memory is None:
        return
    try:
        with open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123  read before anything else is done
            taken = int(file.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (taken + memory, resource.RLIM_INFINITY))
    except (OSError, ValueError):
        return


def _serve(own: socket.socket, work: Work) -> None:
    while (message := receive(own)) is not None:
        send(own, work(message))
