"""The calibration error of known cases."""

from __future__ import annotations

import numpy as np
import pytest

from r5.knowledge.calibration import calibration_by_chance, calibration_error


def test_calibration_error_is_the_gap_between_confidence_and_accuracy() -> None:
    assert calibration_error([0.8] * 10, [True] * 8 + [False] * 2) == pytest.approx(0.0)
    assert calibration_error([1.0, 0.0], [False, True]) == pytest.approx(1.0)
    assert calibration_error([0.95, 0.15], [True, False]) == pytest.approx(0.1)
    assert calibration_error([], []) == 0.0


def test_calibration_error_by_chance_falls_with_the_number_of_answers() -> None:
    few, many = (calibration_by_chance(np.full(n, 0.5)) for n in (25, 2500))
    assert few == pytest.approx(10 * many, rel=0.25)  # the mean absolute deviation falls with sqrt(n)
