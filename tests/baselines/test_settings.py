"""Settings of the baselines: their defaults, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from r5.baselines.settings import GraphSettings, SequenceSettings, settings_of
from r5.errors import R5Error


def test_rgcn_has_the_hyperparameters_of_appendix_b() -> None:
    settings = settings_of("rgcn")
    assert isinstance(settings, GraphSettings)
    assert (settings.learning_rate, settings.embedding, settings.epochs) == (0.001, 200, 20)
    assert (settings.layers, settings.dropout) == (4, 0.1)


def test_each_kind_of_architecture_has_settings_of_its_own() -> None:
    assert isinstance(settings_of("lstm"), SequenceSettings)
    assert isinstance(settings_of("egat"), GraphSettings)
    assert settings_of("gcn", learning_rate=1).learning_rate == 1.0


@pytest.mark.parametrize(
    ("architecture", "changes", "message"),
    [
        ("transformer", {}, "no architecture is called 'transformer'; expected one of rnn, lstm"),
        ("lstm", {"layers": 2}, "the baseline lstm has no setting 'layers'; it has architecture, seed, epochs"),
        ("gcn", {"training_paths": "trail"}, "the baseline gcn has no setting 'training_paths'"),
        ("lstm", {"training_paths": "long"}, "training_paths must be one of shortest, simple, trail, not 'long'"),
        ("lstm", {"epochs": 0}, "epochs must be a whole number from 1 to 1,000,000, not 0"),
        ("lstm", {"hidden": 2.5}, "hidden must be a whole number"),
        ("lstm", {"seed": True}, "seed must be a whole number from 0 to"),
        ("lstm", {"learning_rate": "fast"}, "learning_rate must be a number above 0, not 'fast'"),
        ("lstm", {"learning_rate": float("nan")}, "learning_rate must be a number"),
        ("lstm", {"learning_rate": 0}, "learning_rate must be a number above 0"),
        ("lstm", {"dropout": 1}, "dropout must be a number of at least 0 and below 1"),
        ("gcn", {"inverse": 1}, "inverse must be true or false, not 1"),
        ("mha", {"heads": 3}, "heads must divide embedding, 100; 3 does not"),
    ],
)
def test_what_is_not_a_setting_is_refused(architecture: str, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(R5Error, match=message):
        settings_of(architecture, **changes)
