"""Storage of grammars: arrays are restored, and invalid ones are refused."""

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
    path = tmp_path_factory.mktemp("models") / "grammar"
    r5.GrammarReasoner(seed=0, temperature=1.5, restarts=(0.5,)).fit(data.train).save(path)
    return path


def test_temperature_is_restored(folder: Path) -> None:
    model = r5.load_model(folder)
    assert isinstance(model, r5.GrammarReasoner)
    assert model.learned_.temperature == 1.5


@pytest.mark.parametrize("temperature", [[-1.0], [1e6], [np.nan], [1.0, 2.0], []])
def test_an_invalid_temperature_is_refused(folder: Path, tmp_path: Path, temperature: list[float]) -> None:
    stored = read_model(folder)
    write_model(tmp_path / "odd", replace(stored, arrays={**stored.arrays, "temperature": np.array(temperature)}))
    with pytest.raises(ModelError, match="temperature"):
        r5.load_model(tmp_path / "odd")
