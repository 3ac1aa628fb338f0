"""Settings of an operator: host names, URL prefix, token, access log."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from r5.errors import R5Error

__all__ = ["Operation"]

_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9_.-]+)(:[0-9]{1,5})?")
_PREFIX = re.compile(r"(/[A-Za-z0-9._~-]+)+")
_TOKEN = re.compile(r"[A-Za-z0-9._~+/=-]{16,512}")


@dataclass(frozen=True)
class Operation:
    """Settings of an operator.

    Raises:
        R5Error: A host name, the prefix or the token is invalid.
    """

    hosts: tuple[str, ...] = ()
    """Further host names of the server, with or without a port; without one, any port."""
    root_path: str = ""
    """Prefix of all URLs behind a proxy; with or without it, requests are accepted."""
    token: str | None = None
    """Token that each request needs; None for a random one if other machines reach the server, else for none."""
    access_log: Callable[[str], None] | None = None
    """Receiver of one line for each request."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "hosts", tuple(host.lower() for host in self.hosts))
        object.__setattr__(self, "root_path", self.root_path.rstrip("/"))
        for host in self.hosts:
            if not _HOST.fullmatch(host):
                raise R5Error(f"--allow-host needs a host name such as r5.example.org or [::1]:8441, got {host[:80]!r}")
        if self.root_path and (not _PREFIX.fullmatch(self.root_path) or "/." in self.root_path):
            raise R5Error(f"--root-path needs a path such as /r5, got {self.root_path[:80]!r}")
        if self.token is not None and not _TOKEN.fullmatch(self.token):
            raise R5Error("the token in R5_TOKEN needs 16 to 512 letters, digits or characters of -._~+/=")

    def accepts_host(self, host: str) -> bool:
        """Return whether a host name, with its port, is one of the further names.

        >>> named = Operation(hosts=("r5.example.org", "[::1]:80"))
        >>> [named.accepts_host(host) for host in ("R5.example.org:8441", "[::1]:80", "[::1]:81", "example.org")]
        [True, True, False, False]
        """
        name = host.lower()
        return name in self.hosts or re.sub(r":[0-9]{1,5}$", "", name) in self.hosts
