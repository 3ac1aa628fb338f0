"""One run: its record, epoch curves, model selection, and the environment."""

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
from r5.baselines.networks.fitting import _CHOSEN
from r5.bench import environment
from r5.bench.environment import describe
from r5.bench.experiments.plan import Run, group_by_training
from r5.bench.runs import job
from r5.bench.runs.job import Job, describe_selection, load_data, run_job, warm_up
from r5.data.generators.world.dataset import generate_world
from r5.data.registry import load
from r5.dataset import Dataset
from r5.derivations.derivation import Prediction
from r5.rules.ruleset import RuleSet

DATA = generate_world(train=60, valid=10, test=12, train_lengths=(2, 3), test_lengths=(3, 4))


def read(name: str, root: Path) -> Dataset:
    return DATA


def make_record(run: Run, **options: Any) -> dict[str, Any]:
    (record,) = run_job(Job(run, Path(), Path(), **options), read)
    return record


def test_the_record_has_figures_and_everything_to_repeat_the_run() -> None:
    run = Run("re_0", "grammar", {"restarts": [0.5]}, 3)
    found = make_record(run, provenance={"version": "1", "data_sha256": "abc"})
    assert (found["key"], found["seed"], found["n"], found["version"]) == (run.key, 3, 12, "1")
    assert found["accuracy"] > 0.5
    assert set(found["by_length"]) == {"3", "4"}
    assert found["hyperparameters"]["seed"] == 3
    assert found["hyperparameters"]["threads"] == 1
    assert found["protocol"] == "the restart with the shortest description of rules and training answers"
    assert found["statistics"]["train"] == 60
    assert "history" not in found["fitted"]
    assert json.loads(json.dumps(found)) == found


def test_equal_runs_give_equal_records_except_for_times() -> None:
    run = Run("re_0", "grammar", {"restarts": [0.5]}, 0)
    one, other = ({key: value for key, value in make_record(run).items() if "seconds" not in key} for _ in range(2))
    assert one == other


def test_an_epoch_curve_does_not_change_the_run() -> None:
    pytest.importorskip("torch")
    run = Run("re_0", "r5", {"epochs": 2, "simulations": 4, "network": False, "restarts": 1, "patience": 0}, 0)
    plain, watched = make_record(run), make_record(run, curve=True)
    curve = watched.pop("epochs")
    assert [point["epoch"] for point in curve] == [1, 2]
    assert {"restart", "accuracy", "rule_recall"} <= set(curve[0])
    for record in (plain, watched):
        del record["training_seconds"], record["answering_seconds"]
    assert plain == watched


def test_a_quick_run_takes_examples_of_each_length() -> None:
    seen = []

    def spy(name: str, root: Path) -> Dataset:
        seen.append(job._truncate(DATA, 4))
        return DATA

    (found,) = run_job(Job(Run("re_0", "grammar", {"restarts": [0.5]}, 0, examples=4), Path(), Path()), spy)
    assert (found["n"], found["examples"]) == (4, 4)
    assert sorted(seen[0].test.hops.tolist()) == [3, 3, 4, 4]
    assert len(seen[0].train) == 4


@dataclass(frozen=True)
class FakeSettings:
    """Settings with values that JSON cannot represent."""

    size: Any = field(default_factory=lambda: np.int64(3))
    rate: float = float("nan")
    names: tuple[Any, ...] = ("a", Path("b"))


class Fake:
    """Network without rules and with a constant answer."""

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


def test_a_network_gets_validation_data_and_has_no_rule_recall(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = Fake()
    monkeypatch.setattr(job, "make_reasoner", lambda engine, **settings: fake)
    found = make_record(Run("re_0", "lstm", {}, 0))
    assert fake.valid is DATA.valid
    assert found["rule_recall"] is None
    assert found["hyperparameters"] == {"size": 3, "rate": None, "names": ["a", "b"]}
    assert found["protocol"] == "the epoch with the best validation accuracy"
    assert found["fitted"] == {"chosen_by": "validation accuracy", "part": {}}


def test_describe_selection_names_the_rule_of_each_engine() -> None:
    assert describe_selection("r5", {}) == "the epoch and restart with the best training fit"
    assert describe_selection("rgcn", {"chosen_by": "training loss"}) == "the epoch with the lowest training loss"
    fitted = {"reasoner": {}, "fallback": {"chosen_by": "validation accuracy"}}
    both = ["the epoch and restart with the best training fit", "the epoch with the best validation accuracy"]
    assert describe_selection("r5+rgcn", fitted).split("; ") == both


def test_two_joined_engines_run_as_one() -> None:
    pytest.importorskip("torch_geometric")
    settings = {"r5": {"epochs": 1, "simulations": 4, "network": False}, "rgcn": {"epochs": 1, "embedding": 8}}
    found = make_record(Run("re_0", "r5+rgcn", settings, 0))
    assert found["invalid_ratio"] == 0.0
    assert found["rule_recall"] is not None
    assert found["hyperparameters"]["fallback"]["embedding"] == 8
    assert "history" not in json.dumps(found["fitted"])


def test_load_data_reads_or_generates(real_data: Path) -> None:
    assert len(load_data("re_0", real_data).train) == 1000
    assert load_data("stand_in_re_1", Path("nowhere")).name == "stand_in_re_1"


def test_warm_up_writes_no_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    warm_up("grammar")
    warm_up("lstm")
    assert list(tmp_path.iterdir()) == []


def test_describe_has_versions_and_cores() -> None:
    found = describe()
    assert found["version"]
    assert found["libraries"]["numpy"] == np.__version__
    assert found["machine"]["cores"] == usable_threads() >= 1
    assert environment._version("no-such-package") is None


def test_the_commit_is_that_of_the_source_tree(tmp_path: Path) -> None:
    assert environment._commit(tmp_path) is None
    git = shutil.which("git")
    if git is None:
        pytest.skip("git is not installed")

    def git_command(*words: str) -> None:
        who = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
        subprocess.run([git, "-C", str(tmp_path), *who, *words], check=True, capture_output=True)

    git_command("init")
    assert environment._commit(tmp_path) is None
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.py").write_text("1")
    git_command("add", ".")
    git_command("commit", "--message", "first")
    commit = environment._commit(tmp_path)
    assert commit is not None
    assert len(commit) == 40
    (tmp_path / "src" / "a.py").write_text("2")
    assert environment._commit(tmp_path) == f"{commit}+changes"


def test_one_training_serves_both_rules_for_the_epoch() -> None:
    pytest.importorskip("torch")
    data = load("kinship", train=510, valid=0, test=4)
    short, long = (
        Run("re_0", "story-rnn", {"epochs": 3, "embedding": 4, "hidden": 4, **held}, 0)
        for held in ({}, {"held_out": "long"})
    )
    (shared,) = group_by_training([long, short])
    assert shared == (short, long)

    def records(*runs: Run) -> list[dict[str, Any]]:
        made = run_job(Job(runs[0], Path(), Path(), sharing=runs[1:]), lambda name, root: data)
        return [{key: value for key, value in record.items() if "seconds" not in key} for record in made]

    assert records(short, long) == [*records(short), *records(long)]
    assert [record["protocol"] for record in records(short, long)] == [*map(_CHOSEN.get, ("short", "long"))]
