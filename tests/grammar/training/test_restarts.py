"""Restarts: two at a time, until the best description has been confirmed, or the time limit is reached."""

from __future__ import annotations

from dataclasses import replace

import pytest

from r5._util.runtime.budget import Budget, TimeLimitError
from r5.grammar.corpus.corpus import Corpus
from r5.grammar.settings import GrammarSettings
from r5.grammar.training import restarts
from r5.grammar.training.checkpoint import Checkpointer
from r5.grammar.training.runs import Run
from r5.grammar.training.trainer import learn
from tests.helpers.groups import cyclic, draw

FEW = GrammarSettings(annealing_steps=4, sparse_steps=2, threads=1)
PATHS, LABELS = draw(cyclic(4), 60, [2, 3], 0.1, seed=0)
CORPUS = Corpus.of([(path,) for path in PATHS], LABELS, 4)


def tried(monkeypatch: pytest.MonkeyPatch, lengths: list[float], settings: GrammarSettings = FEW) -> int:
    """Return the number of restarts run where their descriptions have these lengths."""
    given = iter(lengths)
    monkeypatch.setattr(restarts, "description_length", lambda *_: next(given))
    learn(CORPUS, settings)
    return len(lengths) - len(list(given))


@pytest.mark.parametrize(
    ("lengths", "count"),
    [
        ([9.0, 9.1, 1.0, 1.0], 2),
        ([9.0, 5.0, 9.0, 5.1, 1.0, 1.0], 4),
        ([9.0, 8.0, 7.0, 6.0], 4),
    ],
)
def test_restarts_stop_once_two_reach_the_shortest_description(
    monkeypatch: pytest.MonkeyPatch, lengths: list[float], count: int
) -> None:
    assert tried(monkeypatch, lengths) == count


def test_restart_with_the_shortest_description_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    curves = []
    for lengths in ([5.0, 9.0], [9.0, 5.0]):
        given = iter(lengths)
        monkeypatch.setattr(restarts, "description_length", lambda *_, given=given: next(given))
        curves.append(learn(CORPUS, replace(FEW, restarts=(0.1, 2.0))).curve)
    assert curves[0] == learn(CORPUS, replace(FEW, restarts=(0.1,))).curve
    assert curves[0] != curves[1]


def test_many_relations_have_one_restart() -> None:
    assert restarts.initial_smoothings(FEW, relations=4) == FEW.restarts
    assert restarts.initial_smoothings(FEW, relations=1000) == (0.5,)


def test_best_finished_restart_is_kept_at_the_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    lengths = iter([9.0, 5.0])
    monkeypatch.setattr(restarts, "description_length", lambda *_: next(lengths))
    step, left = Run.advance, [2 * 10 + 3]  # two whole restarts of ten steps, and three more

    def advance(self: Run, *arguments: object) -> object:
        left[0] -= 1
        if left[0] < 0:
            raise TimeLimitError("over")
        return step(self, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(Run, "advance", advance)
    short = learn(CORPUS, FEW, None, Budget(), Checkpointer())
    assert short.cut_short == "2 of 4 restarts"
    monkeypatch.setattr(Run, "advance", step)
    alone = learn(CORPUS, GrammarSettings(**{**vars(FEW), "restarts": FEW.restarts[1:2]}))
    assert len(short.curve) == len(alone.curve) == 10
