"""Allocations beyond the available memory raise an error that names the setting to change."""

from __future__ import annotations

from pathlib import Path

import pytest

import r5
from r5._util.runtime import memory
from r5._util.runtime.memory import available_memory, check_memory
from r5.errors import LongWorkWarning, R5Error
from r5.graph import Graph


def test_available_memory_is_the_smallest_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "_SYSTEM", tmp_path / "meminfo")
    monkeypatch.setattr(memory, "_CONTROL_GROUP", tmp_path)
    monkeypatch.setattr(memory, "_PROCESS", tmp_path / "none")
    assert available_memory() is None
    check_memory(1e15, "anything", "")
    (tmp_path / "meminfo").write_text("MemTotal: 9 kB\nMemAvailable:    3000 kB\n")
    assert available_memory() == 3_072_000
    (tmp_path / "memory.max").write_text("2000000\n")
    (tmp_path / "memory.current").write_text("500000\n")
    assert available_memory() == 1_500_000
    (tmp_path / "memory.max").write_text("max\n")
    assert available_memory() == 3_072_000
    (tmp_path / "memory.max").write_text("100\n")
    assert available_memory() == 0


def test_check_memory_refuses_more_than_is_available(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available_memory", lambda: 10**9)
    check_memory(9e8, "this", "")
    with pytest.raises(R5Error) as caught:
        check_memory(2.5e9, "keeping all paths", "set path_limit lower")
    told = "keeping all paths would take about 2.5 GB of memory, of which 1.0 GB are available; set path_limit lower"
    assert str(caught.value) == told


@pytest.fixture
def tiny_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave 2000 bytes of memory and check every allocation."""
    monkeypatch.setattr(memory, "available_memory", lambda: 2000)
    monkeypatch.setattr(memory, "_UNCHECKED", 0)


@pytest.mark.usefixtures("tiny_memory")
def test_learning_from_too_many_paths_names_the_setting() -> None:
    data = r5.load("world", train=50, test=5)
    with pytest.raises(R5Error, match=r"learning from [\d,]+ paths would take .* set path_limit lower"):
        r5.GrammarReasoner(restarts=(0.5,)).fit(data.train)


def test_too_many_dense_rules_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    data = r5.load("world", train=50, test=5)
    monkeypatch.setattr(memory, "available_memory", lambda: 100_000)
    monkeypatch.setattr(memory, "_UNCHECKED", 0)
    with pytest.raises(R5Error, match=r"considering all rules over \d+ relations .* set dense_rules lower"):
        r5.GrammarReasoner(restarts=(0.5,)).fit(data.train)


def chain(length: int) -> Graph:
    return Graph.from_triples((f"n{i}", "next", f"n{i + 1}") for i in range(length))


def test_long_paths_warn_and_paths_beyond_memory_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = r5.RuleSet.of([r5.Rule("next", ("next", "next"), support=3.0)])
    model = r5.GrammarReasoner.from_rules(rules)
    assert model.ask(chain(60), "n0", "n60").relation == "next"
    monkeypatch.setattr("r5.grammar.inference.scoring._PRODUCTS_PER_SECOND", 1000.0)
    with pytest.warns(LongWorkWarning, match="answering over paths of up to 60 relations takes some 72 s"):
        model.ask(chain(60), "n0", "n60")
    monkeypatch.setattr(memory, "available_memory", lambda: 1000)
    monkeypatch.setattr(memory, "_UNCHECKED", 0)
    with pytest.raises(R5Error, match="answering over a path of 60 relations would take"):
        model.ask(chain(60), "n0", "n60")
