"""Interrupted, resumed, cut short: the model is the same in the end."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

import r5
from r5._util.runtime.budget import Budget
from r5._util.runtime.progress import Progress
from r5.reasoners.chains import ChainReasoner
from r5.storage.folder import ModelError


@pytest.fixture(scope="module")
def graph() -> r5.Graph:
    return r5.load("library", members=20, books=12).train.pool


@pytest.fixture(scope="module")
def whole(graph: r5.Graph) -> ChainReasoner:
    return ChainReasoner(seed=3).fit(graph)


def assert_same(one: ChainReasoner, other: ChainReasoner) -> None:
    assert one.model_.heat == other.model_.heat
    assert list(one.model_.targets) == list(other.model_.targets)
    for step, target in one.model_.targets.items():
        assert target.bodies == other.model_.targets[step].bodies
        for mine, theirs in zip(target.weights, other.model_.targets[step].weights, strict=True):
            assert mine.tobytes() == theirs.tobytes()


class Interrupt:
    """Ctrl-C as the so manieth step is done."""

    def __init__(self, after: int) -> None:
        self.left = after

    def __call__(self, _: Progress) -> None:
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt


@pytest.mark.parametrize("threads", [1, 2])
def test_interrupted_and_resumed_it_is_the_same(
    graph: r5.Graph, whole: ChainReasoner, tmp_path: Path, threads: int
) -> None:
    folder = tmp_path / "model.checkpoint"

    def interrupted(after: int) -> None:
        ChainReasoner(seed=3).fit(
            graph, progress=Interrupt(after), budget=Budget(threads=threads), checkpoint=folder, resume=True
        )

    with pytest.raises(KeyboardInterrupt):
        interrupted(2)
    with suppress(KeyboardInterrupt):  # several threads may have been through before the first was told
        interrupted(2)
    assert folder.is_dir()
    again = ChainReasoner(seed=3).fit(graph, checkpoint=folder, resume=True)
    assert_same(again, whole)


def test_a_checkpoint_of_another_training_is_refused(graph: r5.Graph, whole: ChainReasoner, tmp_path: Path) -> None:
    folder = tmp_path / "model.checkpoint"
    with pytest.raises(KeyboardInterrupt):
        ChainReasoner(seed=3).fit(graph, progress=Interrupt(2), checkpoint=folder)
    with pytest.raises(ModelError, match="is a checkpoint of other settings or other data"):
        ChainReasoner(seed=3, rules=7).fit(graph, checkpoint=folder, resume=True)
    other = r5.Graph.from_triples([*graph.triples(), ("a", "knows", "b")])
    with pytest.raises(ModelError, match="is a checkpoint of other settings or other data"):
        ChainReasoner(seed=3).fit(other, checkpoint=folder, resume=True)
    whole.save(folder, force=True)
    with pytest.raises(ModelError, match="is a checkpoint of other settings or other data"):
        ChainReasoner(seed=3).fit(graph, checkpoint=folder, resume=True)


def test_cut_short_by_the_time_limit_it_goes_on_to_the_same(
    graph: r5.Graph, whole: ChainReasoner, tmp_path: Path
) -> None:
    folder = tmp_path / "model.checkpoint"
    budget = Budget(threads=1)
    left = len(whole.model_.relations) // 2

    class Over:
        def __init__(self) -> None:
            self.calls = 0

        def __call__(self, notify: Progress) -> None:
            self.calls += 1
            if self.calls == left:
                budget.cancel()

    short = ChainReasoner(seed=3).fit(graph, progress=Over(), budget=budget, checkpoint=folder)
    assert "cut_short" in short.summary_
    assert 0 < len(short.model_.targets) < len(whole.model_.targets)
    assert_same(ChainReasoner(seed=3).fit(graph, checkpoint=folder, resume=True), whole)
    assert np.isfinite(short.model_.heat.temperature)
