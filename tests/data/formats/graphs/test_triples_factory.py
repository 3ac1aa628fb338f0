"""PyKEEN's triples factories and data sets, recognised by their attributes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
import torch

import r5
from r5.errors import R5Error


@dataclass
class TriplesFactory:
    """Stand-in with the attributes of `pykeen.triples.TriplesFactory`."""

    mapped_triples: Any = field(default_factory=lambda: torch.tensor([[0, 0, 1], [1, 1, 2]]))
    entity_to_id: dict[str, int] = field(default_factory=lambda: {"Zoe": 2, "Ann": 0, "Eve": 1})
    relation_to_id: dict[str, int] = field(default_factory=lambda: {"mother": 0, "sister": 1})


@dataclass
class CoreTriplesFactory:
    """Stand-in of a factory without labels."""

    mapped_triples: Any


@dataclass
class PykeenData:
    """Stand-in with the attributes of a data set of PyKEEN."""

    training: Any
    testing: Any
    validation: Any = None


def test_labels_are_those_of_the_factory() -> None:
    data = r5.load(TriplesFactory())
    assert data.train.pool.triples() == [("Ann", "mother", "Eve"), ("Eve", "sister", "Zoe")]
    assert data.source == "graph: 2 triples (PyKEEN TriplesFactory)"
    plain = r5.load(CoreTriplesFactory(np.array([[0, 0, 7]])))
    assert plain.train.pool.triples() == [("0", "0", "7")]
    assert "named by their ids" in plain.source


def test_a_data_set_has_splits() -> None:
    test = TriplesFactory(torch.tensor([[0, 1, 2]]))
    data = r5.load(PykeenData(TriplesFactory(), test))
    assert [len(data.split(split)) for split in ("train", "valid", "test")] == [2, 0, 1]
    assert (data.test[0].source, data.test[0].answer_name, data.test[0].target) == ("Ann", "sister", "Zoe")
    assert len(r5.load(PykeenData(TriplesFactory(), test, test)).valid) == 1


def test_a_damaged_factory_is_refused() -> None:
    with pytest.raises(R5Error, match=r"expected mapped_triples of shape \[triples, 3\], found \[2\]"):
        r5.load(TriplesFactory(torch.tensor([0, 1])))
    with pytest.raises(R5Error, match=r"ids must be in 0\.\.2"):
        r5.load(TriplesFactory(torch.tensor([[0, 0, 3]])))
