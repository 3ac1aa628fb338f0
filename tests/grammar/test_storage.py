"""Grammars as arrays: what is kept comes back, and what cannot be is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import r5
from r5.data.generators.world.dataset import generate_world
from r5.storage.folder import ModelError, read_model, write_model


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    data = generate_world(seed=5, relations=8, rules=20, train=200, test=20, wrong_edges=0.1)
    path = tmp_path_factory.mktemp("models") / "clear"
    r5.GrammarReasoner(seed=0, clarity=8.0, restarts=(0.5,)).fit(data.train).save(path)
    return path


def _changed(folder: Path, where: Path, clarity: np.ndarray | None) -> Path:
    """The same model with another clarity, or without one, as models were before there was such a thing."""
    stored = read_model(folder)
    arrays = {name: array for name, array in stored.arrays.items() if name != "clarity"}
    write_model(where, replace(stored, arrays=arrays if clarity is None else {**arrays, "clarity": clarity}))
    return where


def test_clarity_comes_back(folder: Path, tmp_path: Path) -> None:
    model = r5.load_model(folder)
    assert isinstance(model, r5.GrammarReasoner)
    assert model.learned_.clarity == 8.0
    before = r5.load_model(_changed(folder, tmp_path / "before", None))
    assert isinstance(before, r5.GrammarReasoner)
    assert before.learned_.clarity == 0.0


@pytest.mark.parametrize("clarity", [[-1.0], [1e6], [np.nan], [1.0, 2.0], []])
def test_a_clarity_that_is_none_is_refused(folder: Path, tmp_path: Path, clarity: list[float]) -> None:
    with pytest.raises(ModelError, match="clarity"):
        r5.load_model(_changed(folder, tmp_path / "odd", np.array(clarity)))
