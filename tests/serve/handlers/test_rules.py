"""Accuracy without some rules."""

from __future__ import annotations

import numpy as np

import r5
from r5.data.one_graph import dataset_with_splits
from r5.serve.handlers.rules import measure_accuracy
from r5.serve.handlers.session import Session


def test_accuracy_of_a_knowledge_graph_is_that_of_held_out_relations() -> None:
    # Every pair has the relation near and, at random, one of two others.
    chosen = np.random.default_rng(0).integers(0, 2, 60).tolist()
    near = [(f"a{n}", "near", f"b{n}") for n in range(60)]
    other = [(f"a{n}", ("left", "right")[side], f"b{n}") for n, side in enumerate(chosen)]
    data = dataset_with_splits("pairs", {"train": [*near, *other[:40]], "test": other[40:]})
    session = Session(r5.ChainReasoner(seed=0).fit(data.train), "pairs", data, "pairs")
    found = measure_accuracy(session, {"split": "test", "off": []})
    assert found["accuracy"] == r5.evaluate(session.model, data.test).accuracy
    assert found["accuracy"] < 1.0
    assert {one.relation for one in session.model.predict_many(data.test)} == {"near"}
