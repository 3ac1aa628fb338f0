"""Settings of the baselines: defaults, and values that are refused."""

from __future__ import annotations

from typing import Any

import pytest

from r5.baselines.settings import GraphSettings, ProverSettings, SequenceSettings, baseline_settings
from r5.errors import R5Error


def test_rgcn_has_the_hyperparameters_of_appendix_b() -> None:
    settings = baseline_settings("rgcn")
    assert isinstance(settings, GraphSettings)
    assert (settings.learning_rate, settings.embedding, settings.epochs) == (0.001, 200, 20)
    assert (settings.layers, settings.dropout) == (4, 0.1)


def test_each_kind_of_baseline_has_settings_of_its_own() -> None:
    assert isinstance(baseline_settings("lstm"), SequenceSettings)
    assert isinstance(baseline_settings("egat"), GraphSettings)
    assert isinstance(baseline_settings("gntp", modules=500), ProverSettings)
    assert baseline_settings("gcn", learning_rate=1).learning_rate == 1.0


@pytest.mark.parametrize(
    ("method", "changes", "message"),
    [
        ("transformer", {}, "no baseline is called 'transformer'; expected one of rnn, lstm"),
        ("lstm", {"layers": 2}, "the baseline lstm has no setting 'layers'; it has method, seed, epochs"),
        ("gcn", {"training_paths": "trail"}, "the baseline gcn has no setting 'training_paths'"),
        ("lstm", {"training_paths": "long"}, "training_paths must be one of shortest, simple, trail, not 'long'"),
        ("lstm", {"epochs": 0}, "epochs must be a whole number from 1 to 1,000,000, not 0"),
        ("lstm", {"dropout": 1}, "dropout must be a number of at least 0 and below 1"),
        ("gcn", {"inverse": 1}, "inverse must be true or false, not 1"),
        ("mha", {"heads": 3}, "heads must divide embedding, 100; 3 does not"),
        ("ctp-l", {"modules": 50}, "modules must be fewer"),
    ],
)
def test_other_settings_and_values_are_refused(method: str, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(R5Error, match=message):
        baseline_settings(method, **changes)
