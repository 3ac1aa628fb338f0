"""One run: its figures, what is needed to repeat it, and that looking at epochs changes nothing."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from r5._util.runtime.threads import usable_threads
from r5.bench import environment, work
from r5.bench.environment import describe
from r5.bench.plan import Run, together
from r5.bench.work import Job, load_data, perform, protocol, warm_up
from r5.data.generators.world.dataset import generate_world
from r5.data.registry import load
from r5.dataset import Dataset
from r5.derivations.derivation import Prediction
from r5.reasoners.neural import _HELD
from r5.rules.ruleset import RuleSet

DATA = generate_world(train=60, valid=10, test=12, train_lengths=(2, 3), test_lengths=(3, 4))


def read(name: str, root: Path) -> Dataset:
    return DATA


def done(run: Run, **more: Any) -> dict[str, Any]:
    (record,) = perform(Job(run, Path(), Path(), **more), read)
    return record


def test_the_record_says_how_good_the_model_is_and_how_to_make_it_again() -> None:
    run = Run("re_0", "grammar", {"restarts": [0.5]}, 3)
    found = done(run, facts={"version": "1", "data_sha256": "abc"})
    assert (found["key"], found["seed"], found["n"], found["version"]) == (run.key, 3, 12, "1")
    assert found["accuracy"] > 0.5
    assert set(found["by_length"]) == {"3", "4"}
    assert found["hyperparameters"]["seed"] == 3
    assert found["hyperparameters"]["threads"] == 1
    assert found["protocol"] == "the restart with the shortest description of rules and training answers"
    assert found["statistics"]["train"] == 60
    assert "history" not in found["fitted"]
    assert json.loads(json.dumps(found)) == found


def test_the_same_run_gives_the_same_record_but_for_its_time() -> None:
    run = Run("re_0", "grammar", {"restarts": [0.5]}, 0)
    one, other = ({key: value for key, value in done(run).items() if "seconds" not in key} for _ in range(2))
    assert one == other


def test_looking_at_epochs_changes_nothing_but_the_curve() -> None:
    pytest.importorskip("torch")
    run = Run("re_0", "r5", {"epochs": 2, "simulations": 4, "network": False, "restarts": 1, "patience": 0}, 0)
    plain, watched = done(run), done(run, watched=True)
    curve = watched.pop("epochs")
    assert [point["epoch"] for point in curve] == [1, 2]
    assert {"restart", "accuracy", "rule_recall"} <= set(curve[0])
    for record in (plain, watched):
        del record["training_seconds"], record["answering_seconds"]
    assert plain == watched


def test_a_quick_run_takes_a_few_of_each_length() -> None:
    seen = []

    def spy(name: str, root: Path) -> Dataset:
        seen.append(work._part(DATA, 4))
        return DATA

    (found,) = perform(Job(Run("re_0", "grammar", {"restarts": [0.5]}, 0, examples=4), Path(), Path()), spy)
    assert (found["n"], found["examples"]) == (4, 4)
    assert sorted(seen[0].test.hops.tolist()) == [3, 3, 4, 4]
    assert len(seen[0].train) == 4


@dataclass(frozen=True)
class FakeSettings:
    """Values that JSON has no words for."""

    size: Any = field(default_factory=lambda: np.int64(3))
    rate: float = float("nan")
    names: tuple[Any, ...] = ("a", Path("b"))


class Fake:
    """A network that knows no rules and always says the same."""

    rules_ = RuleSet()
    summary_: ClassVar[dict[str, Any]] = {"chosen_by": "validation accuracy", "history": [1], "part": {"history": [1]}}

    def __init__(self) -> None:
        self.valid: object = "nothing"

    def fit(self, examples: object, valid: object = None) -> Fake:
        self.valid = valid
        return self

    def predict_many(self, examples: Any) -> list[Prediction]:
        return [Prediction("R_0_+", 1.0)] * len(examples)

    settings = FakeSettings()


def test_a_network_gets_the_validation_data_and_has_no_recall(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = Fake()
    monkeypatch.setattr(work, "make_reasoner", lambda engine, **settings: fake)
    found = done(Run("re_0", "lstm", {}, 0))
    assert fake.valid is DATA.valid
    assert found["rule_recall"] is None
    assert found["hyperparameters"] == {"size": 3, "rate": None, "names": ["a", "b"]}
    assert found["protocol"] == "the epoch with the best validation accuracy"
    assert found["fitted"] == {"chosen_by": "validation accuracy", "part": {}}


def test_how_models_are_chosen() -> None:
    assert protocol("r5", {}) == "the epoch and restart with the best training fit"
    assert protocol("rgcn", {"chosen_by": "training loss"}) == "the epoch with the lowest training loss"
    fitted = {"reasoner": {}, "fallback": {"chosen_by": "validation accuracy"}}
    both = ["the epoch and restart with the best training fit", "the epoch with the best validation accuracy"]
    assert protocol("r5+rgcn", fitted).split("; ") == both


def test_two_engines_joined_answer_together() -> None:
    pytest.importorskip("torch_geometric")
    settings = {"r5": {"epochs": 1, "simulations": 4, "network": False}, "rgcn": {"epochs": 1, "embedding": 8}}
    found = done(Run("re_0", "r5+rgcn", settings, 0))
    assert found["invalid_ratio"] == 0.0
    assert found["rule_recall"] is not None
    assert found["hyperparameters"]["fallback"]["embedding"] == 8
    assert "history" not in json.dumps(found["fitted"])


def test_data_is_read_from_its_place_or_generated(real_data: Path) -> None:
    assert len(load_data("re_0", real_data).train) == 1000
    assert load_data("stand_in_re_1", Path("nowhere")).name == "stand_in_re_1"


def test_warming_up_leaves_no_trace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    warm_up("grammar")
    warm_up("lstm")
    assert list(tmp_path.iterdir()) == []


def test_the_environment_names_versions() -> None:
    found = describe()
    assert found["version"]
    assert found["libraries"]["numpy"] == np.__version__
    assert found["machine"]["cores"] == usable_threads() >= 1
    assert environment._version("no-such-package") is None


def test_the_commit_is_that_of_the_sources(tmp_path: Path) -> None:
    assert environment._commit(tmp_path) is None
    git = shutil.which("git")
    if git is None:
        pytest.skip("git is not installed")

    def ask(*words: str) -> None:
        who = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
        subprocess.run([git, "-C", str(tmp_path), *who, *words], check=True, capture_output=True)

    ask("init")
    assert environment._commit(tmp_path) is None  # there is none yet
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.py").write_text("1")
    ask("add", ".")
    ask("commit", "--message", "first")
    commit = environment._commit(tmp_path)
    assert commit is not None
    assert len(commit) == 40
    (tmp_path / "src" / "a.py").write_text("2")
    assert environment._commit(tmp_path) == f"{commit}+changes"


def test_one_training_serves_both_ways_to_choose_an_epoch() -> None:
    pytest.importorskip("torch")
    data = load("kinship", train=510, valid=0, test=4)
    short, long = (
        Run("re_0", "story-rnn", {"epochs": 3, "embedding": 4, "hidden": 4, **held}, 0)
        for held in ({}, {"held_out": "long"})
    )
    (shared,) = together([long, short])
    assert shared == (short, long)

    def found(*runs: Run) -> list[dict[str, Any]]:
        records = perform(Job(runs[0], Path(), Path(), also=runs[1:]), lambda name, root: data)
        return [{key: value for key, value in record.items() if "seconds" not in key} for record in records]

    assert found(short, long) == [*found(short), *found(long)]
    assert [record["protocol"] for record in found(short, long)] == [*map(_HELD.get, ("short", "long"))]
