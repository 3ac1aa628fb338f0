"""Pickling for other processes of a cluster, which keeps read-only arrays read-only.

Ray moves values between its own processes as pickles, and so does this package; no pickle is read from a file or from
outside the cluster. Kernels are compiled for read-only or for writable arrays, so the flag must survive.
"""

from __future__ import annotations

import pickle
from dataclasses import fields
from typing import Any

__all__ = ["PickledFields", "pack", "unpack"]


class PickledFields:
    """Base of a dataclass that is pickled as its fields only, without cached properties."""

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: self.__dict__[field.name] for field in fields(self)}  # type: ignore[arg-type]


def pack(value: Any) -> bytes:
    """Pickle a value with protocol 5, which records whether an array is read-only."""
    return pickle.dumps(value, protocol=5)


def unpack(packed: bytes) -> Any:
    """Return a value that another process of this cluster has packed."""
    return pickle.loads(packed)  # noqa: S301  see above
