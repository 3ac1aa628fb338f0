"""JSON form of numba types: scalars, arrays, tuples and the named tuples of this package.

A scalar is its name, a structure `<left=int64,right=int64>`. An array is `float64:2C` (element, dimensions, layout; `!`
if it is read-only). A tuple is a list, whose first element is the class of a named tuple, or an empty string.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np
from numba import core, from_dtype

__all__ = ["read_type", "write_type"]

types: Any = core.types

_SCALARS = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64")


def write_type(given: Any) -> Any:
    """Return the JSON form of a type.

    >>> write_type(types.UniTuple(types.float64[:, ::1], 2))
    ['', 'float64:2C', 'float64:2C']

    Raises:
        ValueError: The type has no form.
    """
    form = _form(given)
    if read_type(form) != given:
        raise ValueError(f"the type {given} has no form")
    return form


def _form(given: Any) -> Any:
    if isinstance(given, types.Array):
        return f"{_scalar(given.dtype)}:{given.ndim}{given.layout}{'' if given.mutable else '!'}"
    if isinstance(given, types.BaseTuple):
        named = getattr(given, "instance_class", None)
        name = "" if named is None else f"{named.__module__}:{named.__qualname__}"
        return [name, *map(_form, given)]
    return _scalar(given)


def _scalar(given: Any) -> str:
    if isinstance(given, types.Record):
        return f"<{','.join(f'{name}={_scalar(given.typeof(name))}' for name in given.fields)}>"
    name = str(given)
    if name not in _SCALARS:
        raise ValueError(f"the type {given} has no name")
    return name


def read_type(given: str | Sequence[Any]) -> Any:
    """Return the type of a JSON form.

    Raises:
        ValueError: The form is invalid, or the class is not one of this package.
    """
    if isinstance(given, str):
        name, is_array, shape = given.partition(":")
        scalar = from_dtype(_read_dtype(name))
        if not is_array:
            return scalar
        return types.Array(scalar, int(shape[0]), shape[1], readonly=shape.endswith("!"))
    parts = [read_type(part) for part in given[1:]]
    if not given[0]:
        return types.BaseTuple.from_types(parts)
    module, _, name = given[0].partition(":")
    if not module.startswith("r5."):
        raise ValueError(f"{given[0]} is not a class of this package")
    return types.BaseTuple.from_types(parts, getattr(import_module(module), name))


def _read_dtype(name: str) -> np.dtype[Any]:
    if name.startswith("<") and name.endswith(">"):
        fields = (field.partition("=") for field in name[1:-1].split(","))
        return np.dtype([(field, _read_dtype(kind)) for field, _, kind in fields])
    if name not in _SCALARS:
        raise ValueError(f"{name!r} is no type")
    return np.dtype(name)
