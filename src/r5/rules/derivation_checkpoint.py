"""DerivationCheckpoint: a file of the facts derived so far, from which an interrupted derivation continues.

The first line is a fingerprint of rules, graph and options. Records of four int64 follow: round, number of the rule,
head and tail; a record with head -1 says that the rule is done with in that round. What follows the last such record is
cut off.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from r5.errors import DataError
from r5.graph import Graph
from r5.rules.rule import Rule

__all__ = ["DerivationCheckpoint", "fingerprint"]

_WIDTH = 4
_DONE = -1
Ids = NDArray[np.int64]


def fingerprint(rules: Sequence[Rule], graph: Graph, fixpoint: bool, loops: bool) -> str:
    """Return a digest of all that the derived facts depend on."""
    digest = hashlib.sha256(json.dumps([[list(rule.key) for rule in rules], fixpoint, loops]).encode())
    for names in (graph.entities, tuple(graph.vocabulary)):
        digest.update(json.dumps(names).encode())
    for column in (graph.sources, graph.relations, graph.targets):
        digest.update(np.ascontiguousarray(column).tobytes())
    return digest.hexdigest()


class DerivationCheckpoint:
    """Facts derived so far, on disk.

    Args:
        path: The file; removed by `remove` when all facts are written elsewhere.
        print_of_run: See `fingerprint`.
        resume: Continue from an existing file; without one, and without this, the file is made anew.

    Raises:
        DataError: The file to resume from is missing, damaged or of another run.
    """

    def __init__(self, path: str | Path, print_of_run: str, resume: bool = False) -> None:
        self._path = Path(path)
        self._saved: dict[tuple[int, int], tuple[Ids, Ids]] = {}
        header = f"{print_of_run}\n".encode()
        size = self._read(header) if resume else 0
        self._stream = self._path.open("r+b" if resume else "w+b")
        self._stream.truncate(size)
        self._stream.seek(size)
        if not resume:
            self._stream.write(header)
            self._stream.flush()
        self._is_empty = not self._saved

    def _read(self, header: bytes) -> int:
        """Read the rules that are done with, and return the size of the file up to the last of them."""
        try:
            content = self._path.read_bytes()
        except OSError:
            raise DataError("there is no checkpoint to resume; start without --resume", self._path) from None
        if not content.startswith(header):
            raise DataError("is a checkpoint of other rules, another graph or other options", self._path)
        whole = (len(content) - len(header)) // (8 * _WIDTH)
        records = np.frombuffer(content, np.int64, whole * _WIDTH, len(header)).reshape(-1, _WIDTH)
        start = 0
        for end in np.flatnonzero(records[:, 2] == _DONE).tolist():
            number, rule = records[end, :2].tolist()
            if (records[start:end, :2] != (number, rule)).any():
                raise DataError("is damaged; start without --resume", self._path)
            self._saved[number, rule] = records[start:end, 2].copy(), records[start:end, 3].copy()
            start = end + 1
        return len(header) + start * 8 * _WIDTH

    def facts_of(self, number: int, rule: int) -> tuple[Ids, Ids] | None:
        """Return heads and tails that a rule derived in a round; None if it is not done with."""
        return self._saved.get((number, rule))

    def add(self, number: int, rule: int, heads: Ids, tails: Ids) -> None:
        """Write facts that a rule derives."""
        records = np.empty((heads.size, _WIDTH), np.int64)
        records[:, 0], records[:, 1], records[:, 2], records[:, 3] = number, rule, heads, tails
        self._stream.write(records.tobytes())

    def finish(self, number: int, rule: int) -> None:
        """Write that a rule is done with in a round."""
        self._stream.write(np.array([number, rule, _DONE, _DONE], np.int64).tobytes())
        self._stream.flush()
        self._is_empty = False

    def close(self) -> bool:
        """Close the file and return whether it stays; one without a rule that is done with is removed."""
        self._stream.close()
        if self._is_empty:
            self._path.unlink(missing_ok=True)
        return not self._is_empty

    def remove(self) -> None:
        """Close and remove the file."""
        self._stream.close()
        self._path.unlink(missing_ok=True)
