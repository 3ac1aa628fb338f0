"""Comparison, sorting and rounding treat numbers equal up to rounding as ties."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from r5._util.kernels import comparison_kernels
from r5._util.ordering import argmax, at_least, format_number, round_half_up, sort_descending, top_indices

is_greater = comparison_kernels.is_greater.py_func  # compiled, only kernels can call it
NICE = st.sampled_from([0.0, 0.0125, 0.0625, 0.1, 0.125, 0.3, 1 / 3, 0.5, 0.9995, 1.0, 2.5, 12.0, 1234.0, 0.1 + 0.2])
NOISE = st.floats(-1e-12, 1e-12)


@settings(deadline=None, max_examples=40)
@given(st.lists(st.tuples(NICE, NOISE, NOISE), min_size=1, max_size=12), st.integers(1, 5))
def test_rounding_noise_changes_no_result(numbers: list[tuple[float, float, float]], count: int) -> None:
    one, other = (np.array([value * (1 + noise[k]) for value, *noise in numbers]) for k in (0, 1))
    assert argmax(one) == argmax(other)
    assert top_indices(one, count) == top_indices(other, count)
    places = range(one.size)
    assert sort_descending(places, one.__getitem__, key=lambda n: -n) == sort_descending(
        places, other.__getitem__, key=lambda n: -n
    )
    for a, b in zip(one.tolist(), other.tolist(), strict=True):
        assert round_half_up(a, 3) == round_half_up(b, 3)
        assert at_least(a, b)
        assert not is_greater(a, b)
        for form in (".2f", ".3f", ".3g", "+.3f"):
            assert format_number(a, form) == format_number(b, form)


@settings(deadline=None)
@given(st.lists(st.integers(0, 20), min_size=1, max_size=12), st.integers(1, 12))
def test_different_numbers_are_sorted_by_value(numbers: list[int], count: int) -> None:
    values = np.array(numbers) / 7.0
    wanted = sorted(range(values.size), key=lambda place: (-numbers[place], place))
    assert top_indices(values, count) == wanted[:count]
    assert argmax(values) == wanted[0]
    assert sort_descending(range(values.size), values.__getitem__, key=int) == wanted


def test_later_measures_and_the_key_break_ties() -> None:
    items = [("d", 1.0, 1.0), ("c", 0.3, 5.0), ("b", 0.1 + 0.2, 7.0), ("a", 0.3, 5.0 + 1e-13)]
    found = sort_descending(items, lambda one: one[1], lambda one: one[2], key=lambda one: one[0])
    assert [name for name, *_ in found] == ["d", "b", "a", "c"]


def test_kernel_comparisons_have_the_same_tolerance() -> None:
    assert is_greater(0.3 + 1e-6, 0.3)
    assert not is_greater(0.1 + 0.2, 0.3)
    assert not is_greater(0.3, 0.1 + 0.2)
