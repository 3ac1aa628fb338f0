"""Ray on this machine: the bits of one core, whatever happens to workers; what happens when the head is lost.

Run by `tests/parallel/test_ray_cluster.py`; alone by `python -m pytest tests/helpers/ray_tests.py`.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import r5
from r5._util.runtime.progress import Progress
from r5.bench.experiments.plan import Run
from r5.bench.records.store import read_records
from r5.bench.runs.cluster import run_on_cluster
from r5.bench.runs.job import Job, run_job
from r5.chains.inference import ranking
from r5.chains.storage import model_to_arrays
from r5.data.formats.examples.graphlog import write_graphlog
from r5.data.formats.pairs import Pair
from r5.errors import ClusterLostError, R5Error
from r5.grammar.corpus import batches
from r5.grammar.storage import to_arrays
from r5.parallel.cluster import Cluster, Shared
from r5.parallel.factory import open_cluster
from r5.parallel.local_cluster import LocalCluster
from r5.reasoners import batch_answers
from r5.reasoners.batch_answers import answer_pairs
from tests.helpers.commands import run

SMALL = {
    "restarts": (0.5, 2.0),
    "curriculum_steps": 1,
    "annealing_steps": 8,
    "sparse_steps": 4,
    "evidence": "one",
}


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A Ray in another process, for as long as these tests run."""
    ours = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32), "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in ours.items():
            patch.setenv(name, value)
        patch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
        command = [sys.executable, "-m", "tests.helpers.ray_head"]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as head:
            assert head.stdout is not None and head.stdin is not None
            where = head.stdout.readline().strip()
            yield where
            head.stdin.close()


@pytest.fixture(scope="module")
def cluster(address: str) -> Iterator[Cluster]:
    with open_cluster(address) as found:
        yield found


def children(process: int) -> dict[int, str]:
    """The processes that one has started, with their commands."""
    listed = Path(f"/proc/{process}/task/{process}/children").read_text(encoding="ascii").split()
    return {int(child): Path(f"/proc/{child}/cmdline").read_text(encoding="utf-8") for child in listed}


def bits(reasoner: r5.GrammarReasoner) -> dict[str, bytes]:
    return {name: array.tobytes() for name, array in to_arrays(reasoner.learned_).items()}


def slow(number: int) -> int:
    time.sleep(0.01 * (number % 3))
    if number == 13:
        raise R5Error("thirteen")
    return number**2


def weighed(shared: Shared[np.ndarray[Any, Any]], number: int) -> float:
    assert not shared.value.flags.writeable
    return float(shared.value[number])


def scaled(shard: np.ndarray[Any, Any], factor: np.ndarray[Any, Any], _: object) -> np.ndarray[Any, Any]:
    assert shard.flags.writeable
    assert not factor.flags.writeable
    return shard * factor


def test_the_seam_gives_what_one_core_gives(cluster: Cluster) -> None:
    assert (cluster.workers, cluster.is_local) == (2, False)
    told: dict[int, int] = {}
    assert cluster.map(slow, range(12), on_result=told.setdefault) == [number**2 for number in range(12)]
    assert told == {number: number**2 for number in range(12)}
    assert list(cluster.stream(slow, iter(range(12)))) == [number**2 for number in range(12)]
    with pytest.raises(R5Error, match=r"^thirteen$"):
        list(cluster.stream(slow, range(20)))
    assert cluster.map(partial(weighed, cluster.share(np.arange(1e5))), [5, 70_000]) == [5.0, 70_000.0]
    pieces = [np.random.default_rng(place).normal(size=30) for place in range(7)]
    factor = np.linspace(0.1, 3.0, 30)
    factor.flags.writeable = False
    there, here = (one.build_shards(np.exp, pieces) for one in (cluster, LocalCluster()))
    assert len(there) == 7
    assert [part.tobytes() for part in there.map(scaled, factor)] == [p.tobytes() for p in here.map(scaled, factor)]
    assert there.total(scaled, factor).tobytes() == here.total(scaled, factor).tobytes()
    there.release()


def test_a_fit_has_the_same_bits_and_a_lost_worker_leaves_no_trace(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "_CELL_ENTRIES", 3_000)
    data = r5.load("world", train=200, test=5, valid=0)
    there, here = (r5.GrammarReasoner(seed=3, **SMALL) for _ in range(2))
    here.fit(data.train, cluster=LocalCluster(1))
    killed: list[int] = []

    def kill_one(step: Progress) -> None:
        if step.message.startswith("paths") and step.done == 9:
            killed.append(cluster.processes[0])  # type: ignore[attr-defined]
            os.kill(killed[0], signal.SIGKILL)

    with pytest.warns(UserWarning, match="a worker was lost; another one does its work"):
        there.fit(data.train, progress=kill_one, cluster=cluster)
    assert killed
    assert bits(there) == bits(here)
    assert there.predict(data.test) == here.predict(data.test)


@pytest.mark.parametrize("engine", ["grammar", "chains"])
def test_completion_and_many_questions_have_the_same_answers(
    cluster: Cluster, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch_answers, "_EXPLAINED_BATCH_SIZE", 3)
    monkeypatch.setattr(ranking, "_REMOTE_BATCH", 5)
    data = r5.load("library", members=12, books=8)
    graph = data.graph
    assert graph is not None
    model: r5.GrammarReasoner | r5.ChainReasoner
    if engine == "chains":
        model = r5.ChainReasoner(seed=0).fit(data.train, cluster=cluster)
        here = r5.ChainReasoner(seed=0).fit(data.train)
        arrays = (model_to_arrays(one.model_) for one in (model, here))
        first, second = ({name: array.tobytes() for name, array in one.items()} for one in arrays)
        assert first == second
        both = [r5.rank(here, data.test, cluster=where).to_json() for where in (None, cluster)]
        assert {**both[0], "seconds": 0} == {**both[1], "seconds": 0}
    else:
        model = r5.GrammarReasoner(seed=0, **SMALL).fit(r5.Examples.from_edges(graph, 30))
    rows = [Pair(line, graph.entities[line], graph.entities[-line]) for line in range(1, 9)]
    rows.insert(4, Pair(0, "nobody", "nowhere"))
    plain, there = (list(answer_pairs(model, graph, rows, cluster=where)) for where in (None, cluster))
    assert plain == there
    assert [pair.line for pair, _ in there] == [pair.line for pair in rows]
    assert there[4][1] is None


def test_restarts_of_the_paper_s_engine_have_the_same_bits(cluster: Cluster, tmp_path: Path) -> None:
    data = r5.load("world", train=20, test=5, valid=0)
    settings = {"epochs": 2, "restarts": 3, "pool_rules": True, "simulations": 4, "network": False, "keep_epoch": "fit"}
    here, there, again = (r5.R5Reasoner(seed=1, **settings) for _ in range(3))
    here.fit(data.train)
    heard: list[str] = []

    def enough(step: Progress) -> None:
        heard.append(step.message)
        if len(heard) > 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        again.fit(data.train, progress=enough, checkpoint=tmp_path / "kept", cluster=cluster)
    again.fit(data.train, checkpoint=tmp_path / "kept", resume=True, cluster=cluster)
    there.fit(data.train, cluster=cluster)
    for one in (there, again):
        assert [array.tobytes() for array in one.learned_.arrays.values()] == [
            array.tobytes() for array in here.learned_.arrays.values()
        ]
        assert one.summary_["history"] == here.summary_["history"]
    assert [entry["restart"] for entry in here.summary_["history"]] == [0, 0, 1, 1, 2, 2]


def test_benchmark_runs_come_back_as_from_the_pool(cluster: Cluster, tmp_path: Path) -> None:
    data = r5.load("world", train=40, valid=5, test=6)
    write_graphlog(data, tmp_path / "graphlog" / "re_0")
    runs = [Run("re_0", "grammar", {"restarts": [0.5]}, 0), Run("re_0", "grammar", {"no_such": 1}, 1)]
    jobs = [Job(one, tmp_path, tmp_path / "out", provenance={"version": "1"}) for one in runs]
    done: list[Job] = []
    failures = run_on_cluster(jobs, cluster, done.append)
    assert [(failure.key, "no setting 'no_such'" in failure.reason) for failure in failures] == [(runs[1].key, True)]
    assert {job.run.key for job in done} == {one.key for one in runs}
    (record,) = read_records(tmp_path / "out").values()
    (here,) = run_job(jobs[0])
    timed = ("training_seconds", "answering_seconds")
    assert {**record, **dict.fromkeys(timed)} == {**json.loads(json.dumps(here)), **dict.fromkeys(timed)}


def test_work_that_kills_every_worker_is_told(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("r5.parallel.ray_pool._MAX_DEATHS", 1)
    with (
        pytest.warns(UserWarning, match="a worker was lost"),
        pytest.raises(ClusterLostError, match="2 workers died at the same piece of work"),
    ):
        cluster.map(os._exit, [1])
    assert cluster.map(abs, [-1]) == [1]


TRAIN = """
import sys
from r5.storage.checkpoint import FolderCheckpointer
FolderCheckpointer.interval = 0.1
from r5.cli.main import main
main(sys.argv[1:])
"""


def test_the_head_is_lost_and_training_goes_on_here(
    address: str, cluster: Cluster, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cluster.close()
    head = next(pid for pid, name in children(os.getpid()).items() if "ray_head" in name)
    settings = {**SMALL, "annealing_steps": 400, "restarts": [0.5]}
    asked = ["train", "world", "--load=train=60", "--engine=grammar", "--seed=1", f"--out={tmp_path / 'm'}"]
    asked += [f"--set={name}={value}" for name, value in settings.items()]
    command = [sys.executable, "-c", TRAIN, *asked, f"--cluster={address}"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as training:
        while training.poll() is None and not (tmp_path / "m.checkpoint").is_dir():
            time.sleep(0.1)
        for process in [*children(head), head]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        out, log = training.communicate(timeout=60)
    if training.returncode != 1:  # else Ray has ended the process before we could: it leaves no choice, and no word
        assert (training.returncode, out) == (2, ""), log
        kept = f"the checkpoint is kept in {tmp_path / 'm'}.checkpoint; continue with the same command and --resume"
        assert kept in log
        assert "r5: the Ray cluster is lost" in log.splitlines()[-1]
    assert run(capsys, *asked, "--resume", "--quiet")[0] == 0
    assert run(capsys, *asked[:-1], asked[-1], f"--out={tmp_path / 'whole'}", "--quiet")[0] == 0
    resumed, whole = (r5.load_model(tmp_path / name) for name in ("m", "whole"))
    assert isinstance(resumed, r5.GrammarReasoner)
    assert isinstance(whole, r5.GrammarReasoner)
    assert bits(resumed) == bits(whole)
