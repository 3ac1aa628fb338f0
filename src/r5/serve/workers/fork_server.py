"""Fork server: a process with the model in memory that forks worker processes and kills them.

A worker shares the memory of the model until it writes to it, starts in milliseconds and can be killed at any time,
which cancels its job. The fork server has one thread and no connections, so forking is safe.
"""

from __future__ import annotations

import os
import resource
import signal
import socket
import struct
import traceback
from collections.abc import Callable
from contextlib import suppress
from functools import partial

from r5.serve.workers.messages import receive, send

__all__ = ["ForkServer", "MessageHandler", "start_fork_server"]

MessageHandler = Callable[[bytes, Callable[[bytes], None]], bytes]
"""Function of a worker from a message and a sender of reports of progress to the answer; it must not raise."""
_FORK, _KILL = b"+", b"-"
_PID = struct.Struct("!i")


class ForkServer:
    """Client of the fork server process."""

    def __init__(self, pid: int, connection: socket.socket) -> None:
        self.pid = pid
        self._connection = connection
        self._has_ended = False
        self._has_forked = False

    def fork_worker(self) -> tuple[int, socket.socket]:
        """Fork a worker; return its process id and the socket to it."""
        ours, theirs = socket.socketpair()
        try:
            with theirs:
                socket.send_fds(self._connection, [_FORK + _PID.pack(0)], [theirs.fileno()])
            answer = self._connection.recv(_PID.size, socket.MSG_WAITALL)
            if len(answer) < _PID.size:
                raise RuntimeError("the fork server has ended")
        except BaseException:
            ours.close()
            raise
        self._has_forked = True
        return _PID.unpack(answer)[0], ours

    def kill_worker(self, pid: int) -> None:
        """Kill a worker; one that has ended already is no error."""
        socket.send_fds(self._connection, [_KILL + _PID.pack(pid)], [])
        self._connection.recv(_PID.size, socket.MSG_WAITALL)

    def is_alive(self) -> bool:
        """Return whether the fork server runs."""
        if not self._has_ended:
            self._has_ended = os.waitpid(self.pid, os.WNOHANG)[0] != 0
        return not self._has_ended

    def close(self) -> None:
        """End the fork server and all workers."""
        with suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)  # wakes a thread that waits for a worker
        self._connection.close()
        if not self._has_ended:
            if not self._has_forked:  # it may still prepare for long
                os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            self._has_ended = True


def start_fork_server(prepare: Callable[[], MessageHandler], memory: int | None = None) -> ForkServer:
    """Start the process that forks workers.

    Args:
        prepare: Function run once in the new process; returns the message handler of the workers.
        memory: Maximum bytes that a worker allocates beyond those it starts with; None for no limit.
    """
    ours, theirs = socket.socketpair()
    pid = os.fork()
    if pid:
        theirs.close()
        return ForkServer(pid, ours)
    ours.close()
    code = 1
    try:
        # The server ends it, after the last answer: a terminal or a service manager signals the whole group.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        _fork_workers(theirs, prepare(), memory)
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def _fork_workers(connection: socket.socket, handle: MessageHandler, memory: int | None) -> None:
    """Fork and kill workers until the server closes the connection."""
    alive: set[int] = set()
    while True:
        message, sockets, _, _ = socket.recv_fds(connection, 1 + _PID.size, 1)
        if not message:
            break
        if message[:1] == _KILL:
            pid = _PID.unpack(message[1:])[0]
            if pid in alive:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
                alive.discard(pid)
            connection.sendall(_PID.pack(pid))
            continue
        pid = os.fork()
        if pid == 0:
            connection.close()
            with socket.socket(fileno=sockets[0]) as own:
                _limit_memory(memory)
                _serve(own, handle)
            os._exit(0)
        os.close(sockets[0])
        alive.add(pid)
        connection.sendall(_PID.pack(pid))
    for pid in alive:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def _limit_memory(memory: int | None) -> None:
    """Limit further allocations of this process, if the system can."""
    if memory is None:
        return
    try:
        with open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123  allocates little
            used = int(file.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + memory, resource.RLIM_INFINITY))
    except (OSError, ValueError):
        return


def _serve(own: socket.socket, handle: MessageHandler) -> None:
    while (message := receive(own)) is not None:
        send(own, handle(message, partial(send, own)))
