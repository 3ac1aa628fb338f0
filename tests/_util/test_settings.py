"""Settings are checked against their declaration, with the same messages for every engine."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Literal

import numpy as np
import pytest

from r5._util.settings import Settings, SettingsError, build_settings, list_settings, setting
from r5.agent.settings import R5Settings
from r5.baselines.settings import GraphSettings, SequenceSettings, baseline_settings
from r5.grammar.settings import GrammarSettings


@dataclass(frozen=True)
class Everything(Settings):
    share: float = setting(0.5, least=0, most=1)
    """A share
    of something."""
    rate: float = setting(0.1, above=0)
    part: float = setting(0.1, least=0, below=1)
    inside: float = setting(0.1, above=0, below=1)
    limit: float = setting(-1.0, below=0)
    any: float = setting(3.0)
    count: int = setting(2, least=1, most=1000)
    size: int = setting(2, least=1)
    threads: int | None = setting(None, least=1)
    word: Literal["one", "two"] = "one"
    flag: bool = True
    several: tuple[float, ...] = setting((0.1, 0.2), above=0)

    def check(self) -> None:
        if self.size > 2 * self.count:
            raise SettingsError("size must be at most twice the count")


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("share", 2, "share must be a number from 0 to 1, not 2"),
        ("share", -0.1, "share must be a number from 0 to 1, not -0.1"),
        ("share", "half", "share must be a number from 0 to 1, not 'half'"),
        ("share", True, "share must be a number from 0 to 1, not True"),
        ("share", float("nan"), "share must be a number from 0 to 1, not nan"),
        ("share", None, "share must be a number from 0 to 1, not None"),
        ("rate", 0, "rate must be a number above 0, not 0"),
        ("rate", 10**400, "rate must be a number above 0, not 1000"),
        ("part", 1, "part must be a number of at least 0 and below 1, not 1"),
        ("inside", 0, "inside must be a number above 0 and below 1, not 0"),
        ("limit", 0, "limit must be a number below 0, not 0"),
        ("any", float("inf"), "any must be a number, not inf"),
        ("any", 1j, "any must be a number, not 1j"),
        ("count", 1001, "count must be a whole number from 1 to 1,000, not 1001"),
        ("count", 2.0, "count must be a whole number from 1 to 1,000, not 2.0"),
        ("size", 0, "size must be a whole number from 1 on, not 0"),
        ("size", 10, "size must be at most twice the count"),
        ("threads", 0, "threads must be a whole number from 1 on or None, not 0"),
        ("word", "three", "word must be one of one, two, not 'three'"),
        ("word", ["one"], "word must be one of one, two, not ['one']"),
        ("flag", 1, "flag must be true or false, not 1"),
        ("several", (), "several must be a list of one or more numbers above 0, not ()"),
        ("several", [1, 0], "several must be a list of one or more numbers above 0, not [1, 0]"),
        ("several", 5, "several must be a list of one or more numbers above 0, not 5"),
        ("several", "12", "several must be a list of one or more numbers above 0, not '12'"),
    ],
)
def test_a_value_out_of_range_is_an_error_that_names_the_range(name: str, value: object, message: str) -> None:
    with pytest.raises(SettingsError) as refused:
        build_settings(Everything, "the engine", {name: value})
    assert str(refused.value).startswith(message)


def test_values_are_converted_to_the_declared_type() -> None:
    made = build_settings(
        Everything, "it", {"share": 1, "count": np.int64(3), "several": [1, 2], "rate": np.float32(0.5), "threads": 3}
    )
    assert (made.share, made.count, made.several, made.rate, made.threads) == (1.0, 3, (1.0, 2.0), 0.5, 3)
    assert [type(x) for x in (made.share, made.count, made.rate)] == [float, int, float]


def test_an_unknown_setting_is_an_error_that_lists_the_known_ones() -> None:
    with pytest.raises(SettingsError, match="the engine has no setting 'speed'; it has share, rate, part"):
        build_settings(Everything, "the engine", {"speed": 1})


def test_list_settings_describes_each_setting() -> None:
    shown = {entry.name: entry for entry in list_settings(Everything(count=7))}
    assert list(shown) == [field.name for field in fields(Everything)]
    assert shown["share"].sentence == "A share of something."
    assert (shown["count"].default, shown["count"].allowed) == (7, "a whole number from 1 to 1,000")


@pytest.mark.parametrize(
    "settings", [R5Settings(), GrammarSettings(), *map(baseline_settings, ("lstm", "rgcn", "gntp"))]
)
def test_every_setting_of_an_engine_has_a_description(settings: Settings) -> None:
    for shown in list_settings(settings):
        assert shown.sentence.endswith("."), shown.name


@pytest.mark.parametrize(
    ("kind", "changes"),
    [
        (R5Settings, {"dirichlet_fraction": 2}),
        (R5Settings, {"hidden_answers": 5}),
        (R5Settings, {"decay": 2}),
        (R5Settings, {"l2": -1}),
        (R5Settings, {"dirichlet_alpha": -1}),
        (R5Settings, {"longest_path": 1}),
        (GrammarSettings, {"longest_path": 1}),
        (SequenceSettings, {"longest_path": 1}),
        (GraphSettings, {"dropout": 1}),
    ],
)
def test_each_engine_names_the_setting_that_it_refuses(kind: type[Settings], changes: dict[str, Any]) -> None:
    (name,) = changes
    with pytest.raises(SettingsError, match=f"^{name} must be a (whole )?number"):
        build_settings(kind, "the engine", changes)
