"""Training that is interrupted and resumed, or stopped by the time limit, ends with the same model."""

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
def complete(graph: r5.Graph) -> ChainReasoner:
    return ChainReasoner(seed=3).fit(graph)


def assert_same(first: ChainReasoner, second: ChainReasoner) -> None:
    assert first.model_.temperature == second.model_.temperature
    assert list(first.model_.targets) == list(second.model_.targets)
    for step, target in first.model_.targets.items():
        assert target.bodies == second.model_.targets[step].bodies
        for expected, actual in zip(target.weights, second.model_.targets[step].weights, strict=True):
            assert expected.tobytes() == actual.tobytes()


class Interrupt:
    """Progress callback that raises KeyboardInterrupt at its n-th call."""

    def __init__(self, after: int) -> None:
        self.left = after

    def __call__(self, _: Progress) -> None:
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt


@pytest.mark.parametrize("threads", [1, 2])
def test_resumed_training_gives_the_same_model(
    graph: r5.Graph, complete: ChainReasoner, tmp_path: Path, threads: int
) -> None:
    folder = tmp_path / "model.checkpoint"

    def interrupted(after: int) -> None:
        ChainReasoner(seed=3).fit(
            graph, progress=Interrupt(after), budget=Budget(threads=threads), checkpoint=folder, resume=True
        )

    with pytest.raises(KeyboardInterrupt):
        interrupted(2)
    with suppress(KeyboardInterrupt):  # several threads may finish despite the interrupt
        interrupted(2)
    assert folder.is_dir()
    assert_same(ChainReasoner(seed=3).fit(graph, checkpoint=folder, resume=True), complete)


def test_checkpoint_of_another_training_is_refused(graph: r5.Graph, complete: ChainReasoner, tmp_path: Path) -> None:
    folder = tmp_path / "model.checkpoint"
    with pytest.raises(KeyboardInterrupt):
        ChainReasoner(seed=3).fit(graph, progress=Interrupt(2), checkpoint=folder)
    with pytest.raises(ModelError, match="is a checkpoint of other settings or other data"):
        ChainReasoner(seed=3, rules=7).fit(graph, checkpoint=folder, resume=True)
    other = r5.Graph.from_triples([*graph.triples(), ("a", "knows", "b")])
    with pytest.raises(ModelError, match="is a checkpoint of other settings or other data"):
        ChainReasoner(seed=3).fit(other, checkpoint=folder, resume=True)
    complete.save(folder, force=True)
    with pytest.raises(ModelError, match="is a checkpoint of other settings or other data"):
        ChainReasoner(seed=3).fit(graph, checkpoint=folder, resume=True)


def test_training_stopped_by_the_time_limit_resumes_to_the_same_model(
    graph: r5.Graph, complete: ChainReasoner, tmp_path: Path
) -> None:
    folder = tmp_path / "model.checkpoint"
    budget = Budget(threads=1)
    half = len(complete.model_.relations) // 2

    class Stop:
        """Progress callback that cancels the budget half-way."""

        def __init__(self) -> None:
            self.calls = 0

        def __call__(self, _: Progress) -> None:
            self.calls += 1
            if self.calls == half:
                budget.cancel()

    short = ChainReasoner(seed=3).fit(graph, progress=Stop(), budget=budget, checkpoint=folder)
    assert "cut_short" in short.summary_
    assert 0 < len(short.model_.targets) < len(complete.model_.targets)
    assert_same(ChainReasoner(seed=3).fit(graph, checkpoint=folder, resume=True), complete)
    assert np.isfinite(short.model_.temperature.base)
