"""`r5 serve`: address on standard output, end by Ctrl-C, errors before the start."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from pathlib import Path

import pytest

import r5
from r5.serve.handlers.completion import complete
from tests.helpers.commands import run

pytest.importorskip("uvicorn", reason="the extra serve is not installed")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("serve") / "model"
    data = r5.load("kinship", train=100, test=1)
    reasoner = r5.GrammarReasoner(seed=0, restarts=(0.5,)).fit(data.train)
    reasoner.summary_["data"] = {"name": "kinship", "options": {"train": 100, "test": 1}}
    reasoner.save(folder)
    return folder


def test_serve_runs_until_interrupted(model: Path) -> None:
    words = [sys.executable, "-m", "r5", "serve", str(model), "--port", "0", "--quiet"]
    program = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert program.stdout is not None
    url = program.stdout.readline().strip()
    try:
        with urllib.request.urlopen(f"{url}api/v1/about") as answer:  # noqa: S310  our own
            about = json.load(answer)
        assert about["model"]["name"] == "model"
        assert about["data"]["name"] == "kinship"
        assert about["data"]["splits"]["train"] == 100
    finally:
        program.send_signal(signal.SIGINT)
        _, told = program.communicate(timeout=30)
    assert (program.returncode, told) == (0, "")
    with pytest.raises(ProcessLookupError):
        os.kill(program.pid, 0)


def test_sigterm_to_the_group_answers_what_is_in_progress_and_ends_without_an_error(model: Path) -> None:
    words = [sys.executable, "-m", "r5", "serve", str(model), "--port", "0", "--quiet", "--access-log"]
    program = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
    assert program.stdout is not None
    url = program.stdout.readline().strip()
    answered: list[int] = []

    def ask() -> None:
        with urllib.request.urlopen(f"{url}api/v1/accuracy?split=train", timeout=30) as answer:  # noqa: S310  our own
            answered.append(json.load(answer)["n"])

    urllib.request.urlopen(f"{url}health").close()  # noqa: S310  our own
    asking = threading.Thread(target=ask)
    asking.start()
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:  # until the request is in progress
        with urllib.request.urlopen(f"{url}metrics") as answer:  # noqa: S310  our own
            if b"r5_workers_busy 1" in answer.read() or answered:
                break
    os.killpg(program.pid, signal.SIGTERM)
    _, log = program.communicate(timeout=30)
    asking.join(30)
    assert answered == [100]
    assert program.returncode == 0
    assert "Traceback" not in log
    assert "GET /api/v1/accuracy 200" in log


@pytest.mark.parametrize("named", [False, True])
def test_the_served_graph_has_the_added_facts(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: bool
) -> None:
    rows = [(f"p{i}", "parent", f"p{i + 1}") for i in range(12)]
    rows += [(f"p{i}", "grandparent", f"p{i + 2}") for i in range(10)]
    r5.ChainReasoner(seed=0).fit(r5.Graph.from_triples(rows)).save(tmp_path / "m")
    (tmp_path / "g.tsv").write_text("".join("\t".join(row) + "\n" for row in rows))
    (tmp_path / "new.tsv").write_text("p12\tparent\tnew\n")
    served = []
    monkeypatch.setattr("r5.serve.server.serve", lambda session, *words, **more: served.append(session))
    data = [tmp_path / "g.tsv"] if named else []
    code, _, log = run(capsys, "serve", tmp_path / "m", *data, "--add", tmp_path / "new.tsv")
    assert (code, log) == (0, "added 1 fact, 1 new entity\n")
    (session,) = served
    assert session.graph("data", []).triples() == [*rows, ("p12", "parent", "new")]
    question = {"graph": "data", "edits": [], "off": [], "head": "p11", "relation": "grandparent", "tail": None}
    found = complete(session, {**question, "top": 1, "explain": False, "known": False, "drawing": False})
    assert found[0]["fact"] == ["p11", "grandparent", "new"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--host", "0.0.0.0"), "allow that with --allow-remote"),  # noqa: S104
        (("--port", "70000"), "less than or equal to 65535"),
        (("nowhere.tsv",), "no such file"),
        (("--compare", "nowhere"), "nowhere"),
        (("--allow-host", "http://a"), "--allow-host needs a host name"),
        (("--root-path", "r5"), "--root-path needs a path such as /r5"),
        (("--add", "nowhere.tsv"), "--add needs one graph to add facts to: give a file of triples as DATA"),
    ],
)
def test_invalid_options_are_errors(
    capsys: pytest.CaptureFixture[str], model: Path, words: tuple[str, ...], told: str
) -> None:
    code, _, log = run(capsys, "serve", model, *words)
    assert code == 2
    assert told in log


def test_a_missing_extra_is_an_error_before_anything_is_read(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    code, _, log = run(capsys, "serve", "no-model")
    assert code == 2
    assert 'uvicorn is not installed: pip install "r5-reasoning[serve]"' in log
