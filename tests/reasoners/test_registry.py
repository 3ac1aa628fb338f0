"""The registry: engines and baselines by name."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from r5.baselines.methods import RULE_LEARNERS
from r5.errors import R5Error
from r5.reasoners.baseline import BaselineReasoner
from r5.reasoners.registry import BASELINES, ENGINES, load_model, make_reasoner
from r5.storage.folder import ModelError, read_model, write_model
from tests.helpers.relatives import family


def test_engines_and_baselines_are_listed_apart() -> None:
    assert list(ENGINES) == ["r5", "grammar", "chains"]
    encoders, networks = ["rnn", "lstm", "gru", "cnn", "cnnh", "mha"], ["gcn", "gat", "rgcn", "egat"]
    stories = [f"story-{name}" for name in (*encoders, "gcn", "gat")]
    assert list(BASELINES) == [*encoders, *stories[:6], *networks, *stories[6:], *RULE_LEARNERS]


@pytest.mark.parametrize("name", [*ENGINES, *BASELINES])
def test_each_is_made_by_name(name: str) -> None:
    reasoner = make_reasoner(name, seed=5)
    assert (reasoner.engine, reasoner.get_params()["seed"]) == (name, 5)


def test_an_unknown_engine_is_refused_with_the_known_ones() -> None:
    wanted = "no engine is called 'magic'; expected r5, grammar, chains, rnn, .* or rnnlogic"
    with pytest.raises(R5Error, match=wanted):
        make_reasoner("magic")


def test_the_method_of_a_baseline_is_its_name() -> None:
    with pytest.raises(R5Error, match="the baseline lstm cannot have the method 'gru'"):
        make_reasoner("lstm", method="gru")
    assert make_reasoner("lstm", method="lstm").engine == "lstm"


def test_a_folder_of_an_unknown_engine_is_refused(tmp_path: Path) -> None:
    BaselineReasoner("rnn", epochs=1).fit(family(1)).save(tmp_path / "model")
    write_model(tmp_path / "other", replace(read_model(tmp_path / "model"), engine="ctp"))
    with pytest.raises(ModelError, match="the model is of an engine that is not known, 'ctp'"):
        load_model(tmp_path / "other")
