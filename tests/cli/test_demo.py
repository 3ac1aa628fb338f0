"""`r5 demo`, with and without PyTorch."""

from __future__ import annotations

import pytest

import r5
from r5.errors import need
from tests.helpers.commands import run


def test_the_demo_does_the_main_job(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("r5.cli.demo.ENGINES", ("grammar",))
    code, shown, _ = run(capsys, "demo")
    assert code == 0
    assert all(f"\n{length:>18}" in shown for length in range(4, 11))
    families, library = shown.split("A library")
    assert families.count(" <= ") == 10
    assert "because" in families.split("step by step")[1]
    assert "reports_to(X, Y) <= " in library
    assert library.rstrip().endswith("is the score")


def test_the_demo_says_which_engine_needs_more(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def learned(engine: str, data: r5.Dataset, seed: int, quiet: bool) -> r5.Reasoner:
        if engine == "r5":
            raise need("torch", "torch")
        return r5.GrammarReasoner(seed=seed, restarts=(0.5,)).fit(data.train)

    monkeypatch.setattr("r5.cli.demo._learned", learned)
    code, shown, log = run(capsys, "demo")
    assert code == 0
    assert 'torch is not installed: pip install "r5-reasoning[torch]"' in log
    assert "grammar" in shown
