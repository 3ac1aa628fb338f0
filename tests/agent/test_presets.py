"""Presets: the settings of the paper, the tuned ones, and decisions from training data alone."""

from __future__ import annotations

from dataclasses import asdict

import pytest

from r5.agent.presets import PRESETS, decide, settings_of
from r5.agent.settings import R5Settings
from r5.agent.training.training import TrainingQuery
from r5.errors import R5Error


def queries(*paths: tuple[int, ...]) -> list[TrainingQuery]:
    return [TrainingQuery((path,), 0) for path in paths]


MANY = [*queries(*[(0, 1), (1, 0), (0, 1, 0)] * 3), TrainingQuery(((0, 1),), 1)]
FEW = queries((0, 1), (1, 0), (0, 1, 0))
CLEAN = queries(*[(0, 1), (1, 0), (0, 1, 0)] * 3)
LONG = queries(*[(0, 1, 0), (1, 0, 1)] * 9)


def test_paper_preset_is_all_defaults() -> None:
    assert settings_of("paper", {}) == R5Settings()


def test_paper_preset_decides_v_t_pos_alone() -> None:
    for data, value in ((MANY, 0.1), (FEW, 0.35), (LONG, 0.8)):
        settings, decisions = decide("paper", {}, data)
        assert [(one.name, one.value) for one in decisions] == [("end_right", value)]
        assert asdict(settings) == {**asdict(R5Settings()), "end_right": value}


def test_tuned_preset_does_not_depend_on_data() -> None:
    for data in (MANY, FEW, LONG):
        assert decide("tuned", {}, data) == (settings_of("tuned", {}), ())
    changed = {name for name, value in asdict(settings_of("tuned", {})).items() if value != getattr(R5Settings(), name)}
    assert changed == set(PRESETS["tuned"])


def test_auto_is_tuned_with_decisions_from_data() -> None:
    settings, decisions = decide("auto", {}, FEW)
    assert asdict(settings) == {**asdict(settings_of("tuned", {})), "answer_paths": "auto", "end_right": 0.35}
    settings, decisions = decide("auto", {}, LONG)
    assert (settings.end_right, settings.equivalence_threshold, settings.associativity) == (0.8, 2.0, True)
    assert (settings.restarts, settings.hidden_answers) == (4, 0.8)
    assert str(decisions[0]) == "end_right = 0.8 (no training example has a path of two relations)"


def test_data_without_noise_is_learned_from_once() -> None:
    settings, decisions = decide("auto", {}, CLEAN)
    assert (settings.distinct, settings.simulations, settings.simple_true, settings.simple_wrong) == (True, 200, 10, 0)
    assert decisions[-1].reason == "0 of 9 repeated paths have another answer than most of their kind"
    assert not decide("auto", {}, MANY)[0].distinct
    # Repeated paths are the only evidence about noise.
    assert not decide("auto", {}, FEW)[0].distinct


@pytest.mark.parametrize("preset", ["paper", "auto"])
def test_given_settings_are_not_decided(preset: str) -> None:
    settings, decisions = decide(preset, {"end_right": 0.5, "restarts": 1}, LONG)
    assert (settings.end_right, settings.restarts) == (0.5, 1)
    assert not {"end_right", "restarts"} & {one.name for one in decisions}


def test_unknown_names_raise() -> None:
    with pytest.raises(R5Error, match="no preset is called 'clutrr'; expected paper, tuned, auto"):
        settings_of("clutrr", {})
    with pytest.raises(R5Error, match="the engine r5 has no setting 'family'"):
        settings_of("auto", {"family": "clutrr"})
