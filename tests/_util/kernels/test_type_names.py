"""Types of kernels survive their JSON form."""

from __future__ import annotations

import json

import numpy as np
import pytest
from numba import from_dtype, typeof, types

from r5._util.kernels.type_names import read_type, write_type
from r5.chains.graph.step_kernels import Trie


@pytest.mark.parametrize(
    "given",
    [
        types.int64,
        types.boolean,
        types.float32[:, ::1],
        types.Array(types.uint32, 1, "A", readonly=True),
        types.Tuple((types.int64, types.float64[::1])),
        types.UniTuple(types.float64[::1], 3),
        typeof(Trie(*[np.zeros(1, np.int32)] * 5)),
        from_dtype(np.dtype([("left", np.int64), ("right", np.float64)]))[::1],
        types.Tuple(()),
    ],
)
def test_a_type_survives(given: types.Type) -> None:
    assert read_type(json.loads(json.dumps(write_type(given)))) == given


@pytest.mark.parametrize("given", [types.unicode_type, types.List(types.int64)])
def test_a_type_without_a_form_is_an_error(given: types.Type) -> None:
    with pytest.raises(ValueError, match="has no name"):
        write_type(given)


@pytest.mark.parametrize("given", ["object", ["os:stat_result", "int64"], ["", "unicode"]])
def test_an_invalid_form_is_an_error(given: str | list[str]) -> None:
    with pytest.raises(ValueError, match=r"is no type|is not a class of this package"):
        read_type(given)
