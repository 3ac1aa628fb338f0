"""Objects of installed packages, found through entry points."""

from __future__ import annotations

from importlib.metadata import EntryPoint

import pytest

from r5._util.plugins import load_plugins
from r5.rules.formats.registry import RuleFormat, rule_formats

TOY = RuleFormat("toy")


def points(*values: str) -> list[EntryPoint]:
    return [EntryPoint(f"p{number}", value, "r5.rules") for number, value in enumerate(values)]


def test_installed_rule_formats_come_after_built_in_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    built_in = rule_formats()
    monkeypatch.setattr("r5._util.plugins.entry_points", lambda group: points(f"{__name__}:TOY"))
    assert rule_formats() == (*built_in, TOY)


def test_objects_that_fail_to_load_or_have_another_type_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = points("no_such_package:X", "sys:path", f"{__name__}:TOY")
    monkeypatch.setattr("r5._util.plugins.entry_points", lambda group: chosen)
    with pytest.warns(UserWarning) as found:
        assert load_plugins("any", RuleFormat, "rule format") == [TOY]
    first, second = (str(one.message) for one in found)
    assert first.startswith("the rule format 'p0' of no_such_package:X does not load: No module")
    assert second == "sys:path, declared as the rule format 'p1', is not a RuleFormat"
