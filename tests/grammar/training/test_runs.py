"""Interrupted training resumes with the same bits; training cut short keeps its best state."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import r5
from r5._util.runtime.budget import Budget, TimeLimitError
from r5.grammar.corpus.corpus import Corpus
from r5.grammar.settings import GrammarSettings
from r5.grammar.storage import to_arrays
from r5.reasoners.base import Progress
from r5.reasoners.evidence.choice import choose_evidence
from r5.storage.folder import ModelError

DATA = r5.load("world", seed=2, train=120, test=20)
FEW: dict[str, Any] = {"seed": 4, "restarts": (0.3, 0.7), "annealing_steps": 5, "sparse_steps": 3, "threads": 1}
MANY = {**FEW, "dense_rules": 0}
"""Settings under which data counts as having many relations: suggested rules, confusions fitted at the end."""


class At:
    """Callback that acts once a number of steps is done."""

    def __init__(self, steps: int, act: Any) -> None:
        self.steps = steps
        self.act = act

    def __call__(self, progress: Progress) -> None:
        if progress.stage == "" and progress.done >= self.steps:
            self.act()


def interrupt() -> None:
    raise KeyboardInterrupt


def same(first: r5.GrammarReasoner, second: r5.GrammarReasoner) -> bool:
    """Return whether two models are equal to the last bit."""
    one, other = to_arrays(first.learned_), to_arrays(second.learned_)
    return first.policy_ == second.policy_ and all(np.array_equal(one[name], other[name]) for name in one)


@pytest.mark.parametrize("settings", [FEW, MANY], ids=["few", "many"])
def test_resumed_training_gives_the_same_bits(tmp_path: Path, settings: dict[str, Any]) -> None:
    whole = r5.GrammarReasoner(**settings).fit(DATA.train)
    total: list[int] = []
    folder = tmp_path / "checkpoint"
    r5.GrammarReasoner(**settings).fit(DATA.train, progress=lambda progress: total.append(progress.total))
    for stop in (1, 9, total[-1]):
        with pytest.raises(KeyboardInterrupt):
            r5.GrammarReasoner(**settings).fit(DATA.train, progress=At(stop, interrupt), checkpoint=folder)
        steps: list[Progress] = []
        again = r5.GrammarReasoner(**{**settings, "threads": 2})
        again.fit(DATA.train, progress=steps.append, checkpoint=folder, resume=True)
        assert same(whole, again)
        assert again.summary_["history"] == whole.summary_["history"]
        assert steps[-1].done == steps[-1].total
        assert sum(step.message == "from the checkpoint" for step in steps) >= stop


def test_checkpoint_of_another_training_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "checkpoint"
    with pytest.raises(KeyboardInterrupt):
        r5.GrammarReasoner(**FEW).fit(DATA.train, progress=At(3, interrupt), checkpoint=folder)
    with pytest.raises(ModelError, match="is a checkpoint of other settings or other data"):
        r5.GrammarReasoner(**{**FEW, "sparsity": 0.5}).fit(DATA.train, checkpoint=folder, resume=True)
    with pytest.raises(ModelError, match="is a checkpoint of other settings or other data"):
        r5.GrammarReasoner(**FEW).fit(DATA.train[:50], checkpoint=folder, resume=True)
    head = (folder / "model.json").read_text()
    (folder / "model.json").write_text(head.replace('"done"', '"gone"'))
    with pytest.raises(ModelError, match="is damaged or of another version"):
        r5.GrammarReasoner(**FEW).fit(DATA.train, checkpoint=folder, resume=True)


def test_training_interrupted_before_its_first_step_writes_no_checkpoint(tmp_path: Path) -> None:
    folder = tmp_path / "checkpoint"

    def at_once(progress: Progress) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        r5.GrammarReasoner(**FEW).fit(DATA.train, progress=at_once, checkpoint=folder)
    assert not folder.exists()


@pytest.mark.parametrize("settings", [FEW, MANY], ids=["few", "many"])
def test_training_stopped_by_the_time_limit_keeps_its_best_state(tmp_path: Path, settings: dict[str, Any]) -> None:
    whole = r5.GrammarReasoner(**settings).fit(DATA.train)
    assert "cut_short" not in whole.summary_
    budget = Budget()
    model = r5.GrammarReasoner(**settings)
    model.fit(DATA.train, progress=At(6, budget.cancel), budget=budget, checkpoint=tmp_path / "checkpoint")
    assert model.summary_["cut_short"] == f"step 6 of {len(whole.summary_['history'])} in each restart"
    assert len(model.rules_)
    assert model.score(DATA.test) > 0.3
    model.save(tmp_path / "model")
    assert r5.load_model(tmp_path / "model").summary_["cut_short"] == model.summary_["cut_short"]
    again = r5.GrammarReasoner(**settings).fit(DATA.train, checkpoint=tmp_path / "checkpoint", resume=True)
    assert same(whole, again)


def test_no_finished_step_raises_a_time_limit_error() -> None:
    budget = Budget()
    budget.cancel()
    with pytest.raises(TimeLimitError, match="was over before anything was learned"):
        r5.GrammarReasoner(**FEW).fit(DATA.train, budget=budget)


def test_decision_is_read_from_the_checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The kind of evidence may depend on the time limit: it is not chosen a second time."""
    whole = r5.GrammarReasoner(**{**FEW, "evidence": "every"}).fit(DATA.train)
    monkeypatch.setattr("r5.reasoners.grammar.choose_evidence", lambda *_: ("every", {"one": -1.0, "every": -0.5}))
    folder = tmp_path / "checkpoint"
    with pytest.raises(KeyboardInterrupt):
        r5.GrammarReasoner(**FEW).fit(DATA.train, progress=At(3, interrupt), checkpoint=folder)
    monkeypatch.setattr("r5.reasoners.grammar.choose_evidence", None)
    again = r5.GrammarReasoner(**FEW).fit(DATA.train, checkpoint=folder, resume=True)
    assert again.summary_["evidence"] == "every"
    assert again.summary_["evidence_tried"] == {"one": -1.0, "every": -0.5}
    assert again.summary_["history"] == whole.summary_["history"]
    head = (folder / "model.json").read_text()
    (folder / "model.json").write_text(head.replace('"every",', '"none",'))
    with pytest.raises(ModelError, match="the checkpoint does not say which evidence paths are"):
        r5.GrammarReasoner(**FEW).fit(DATA.train, checkpoint=folder, resume=True)


def test_evidence_is_one_path_without_time_for_a_trial() -> None:
    budget = Budget()
    budget.cancel()
    corpus = Corpus.of([((0, 1), (1, 0)), ((1, 1), (0, 0))], [0, 1], 2)
    assert choose_evidence(corpus, GrammarSettings(), budget) == ("one", {})


def test_the_choice_of_evidence_reports_steps_of_a_known_total() -> None:
    heard: list[Progress] = []
    corpus = Corpus.of([((0, 1), (1, 0)), ((1, 1), (0, 0))] * 6, [0, 1] * 6, 2)
    choose_evidence(corpus, GrammarSettings(), Budget(), heard.append)
    assert {(p.stage, p.total) for p in heard} == {("choosing evidence", heard[-1].total)}
    assert [p.done for p in heard] == list(range(1, heard[-1].total + 1))
