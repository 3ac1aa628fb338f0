"""Data frames of pandas or polars; neither is imported before use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

from r5._util.text import abbreviate
from r5.errors import R5Error, need

__all__ = ["columns_of", "frame_library", "make_frame", "with_columns"]

LIBRARIES = ("pandas", "polars")


def frame_library(frame: object) -> str:
    """Return the library of a data frame.

    Raises:
        R5Error: The object is no data frame.

    >>> import pandas
    >>> frame_library(pandas.DataFrame())
    'pandas'
    """
    packages = {cls.__module__.partition(".")[0] for cls in type(frame).__mro__}
    found = next((name for name in LIBRARIES if name in packages), None)
    if found is None or not hasattr(frame, "columns"):
        raise R5Error(f"expected a data frame of pandas or polars, found {abbreviate(frame)}")
    return found


def make_frame(columns: Mapping[str, Sequence[Any]], library: str = "pandas") -> Any:
    """Make a data frame of columns; a missing number is None in polars and NaN in pandas."""
    if library not in LIBRARIES:
        raise R5Error(f"a frame is of pandas or polars, not of {library!r}")
    try:
        module = import_module(library)
    except ImportError:
        raise need(library, library) from None
    return module.DataFrame({name: list(values) for name, values in columns.items()})


def columns_of(frame: Any, positions: Sequence[int]) -> list[list[Any]]:
    """Return the values of the columns at some positions; missing values are None."""
    names = list(frame.columns)
    if frame_library(frame) == "polars":
        return [frame.get_column(names[position]).to_list() for position in positions]
    columns = [frame.iloc[:, position].astype(object) for position in positions]
    return [column.where(column.notna(), None).tolist() for column in columns]


def with_columns(frame: Any, columns: Mapping[str, Sequence[Any]]) -> Any:
    """Return the frame with further columns; columns with the same names are replaced."""
    if frame_library(frame) == "pandas":
        made = make_frame(columns)
        made.index = frame.index
        return frame.assign(**{name: made[name] for name in columns})
    return frame.with_columns(*make_frame(columns, "polars").get_columns())
