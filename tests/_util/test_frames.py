"""Data frames of pandas and polars are made, read and extended."""

from __future__ import annotations

import pytest

from r5._util.frames import columns_of, frame_library, make_frame, with_columns
from r5.errors import R5Error

pytest.importorskip("pandas")
pytest.importorskip("polars")


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_columns_of_a_frame_read_back(library: str) -> None:
    frame = make_frame({"name": ["a", None], "number": [1, 2]}, library)
    assert frame_library(frame) == library
    assert columns_of(frame, [0, 1]) == [["a", None], [1, 2]]
    more = with_columns(frame, {"share": [0.5, None], "number": [3, 4]})
    assert frame_library(more) == library
    assert list(more.columns) == ["name", "number", "share"]
    assert columns_of(more, [1, 2]) == [[3, 4], [0.5, None]]
    assert list(frame.columns) == ["name", "number"]


def test_with_columns_keeps_the_index_of_pandas() -> None:
    import pandas

    frame = pandas.DataFrame({"name": ["a", "b"]}, index=[7, 3])
    assert with_columns(frame, {"share": [0.1, 0.2]}).loc[7, "share"] == 0.1


def test_objects_other_than_frames_are_refused() -> None:
    with pytest.raises(R5Error, match="expected a data frame of pandas or polars, found"):
        frame_library([("a", "b")])
    with pytest.raises(R5Error, match="a frame is of pandas or polars"):
        make_frame({}, "dask")
