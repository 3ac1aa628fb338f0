"""`r5 demo`, with and without PyTorch."""

from __future__ import annotations

import re

import pytest

import r5
from r5.cli.demo import _show_missing_facts
from r5.errors import need
from tests.helpers.commands import run


def test_demo_learns_answers_and_completes(capsys: pytest.CaptureFixture[str]) -> None:
    code, shown, _ = run(capsys, "demo")
    assert code == 0
    assert all(f"\n{length:>18}" in shown for length in range(4, 11))
    families, library = shown.split("A library")
    assert families.count(" <= ") == 10
    assert "because" in families.split("step by step")[1]
    assert "reports_to(X, Y) <= " in library
    explained, missing = library.split("most probable missing facts")
    assert explained.count("is the score") == 1
    *facts, verdict = missing.splitlines()[1:]
    shown_facts = [re.fullmatch(r" +(\d)  (.+) -(\w+)-> (.+?) +([01]\.\d{3})(   .*)?", line) for line in facts]
    assert [one[1] for one in shown_facts if one] == ["1", "2", "3", "4", "5"]
    data = r5.load("library", seed=0, members=60, books=60)
    truth = {(one.source, one.answer_name, one.target) for one in [*data.valid, *data.test]}
    true = sum((one[2], one[3], one[4]) in truth for one in shown_facts if one)
    assert verdict == f"{true} of 5 are true"
    assert true == 5


def test_demo_counts_true_facts(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def new_facts(model: r5.ChainReasoner, count: int) -> list[r5.Completion]:
        made_up = r5.Completion("Atlantis", 0.9, 1.0, head="Nobody", relation="citizen_of", tail="Atlantis")
        return [*find(model, count - 1), made_up]

    find = r5.ChainReasoner.new_facts
    monkeypatch.setattr(r5.ChainReasoner, "new_facts", new_facts)
    _show_missing_facts(0, quiet=True)
    assert capsys.readouterr().out.rstrip().endswith("4 of 5 are true")


def test_demo_of_the_paper_names_the_missing_extra(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def learned(engine: str, data: r5.Dataset, seed: int, quiet: bool) -> r5.Reasoner:
        if engine == "r5":
            raise need("torch", "torch")
        return r5.GrammarReasoner(seed=seed, restarts=(0.5,)).fit(data.train)

    monkeypatch.setattr("r5.cli.demo._train", learned)
    code, _, log = run(capsys, "demo", "--paper")
    assert (code, log) == (2, 'r5: torch is not installed: pip install "r5-reasoning[torch]"\n')
