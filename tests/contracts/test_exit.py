"""Exit of the program: interrupts, closed pipes, unprintable names, full disks, time limits."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import r5
from r5._util.files.lock import exclusive_lock
from tests.helpers.commands import run

PROGRAM = [sys.executable, "-m", "r5"]
QUIET = {"OMP_NUM_THREADS": "1"}
SMALL = ("--load", "train=10", "--load", "test=5")


def started(*words: object, **environment: str) -> subprocess.Popen[bytes]:
    """The program, running; it can be interrupted even where the tests run in the background, ignoring that."""
    return subprocess.Popen(
        [*PROGRAM, *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **QUIET, **environment},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509  no threads here
    )


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_closed_pipe_is_no_error(unbuffered: str) -> None:
    process = started("paths", "kinship", "--json", *SMALL, PYTHONUNBUFFERED=unbuffered)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(timeout=60) == 1


def test_the_first_lines_of_a_long_output_can_be_read(tmp_path: Path) -> None:
    """As in `r5 rules model | head -1`."""
    data = r5.load("kinship", train=200, test=1)
    r5.GrammarReasoner(restarts=(0.5,), annealing_steps=3).fit(data.train).save(tmp_path / "m")
    shell = f'{sys.executable} -m r5 rules "{tmp_path / "m"}" --format json | head -1'
    done = subprocess.run(["/bin/sh", "-c", shell], capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"[\n", b"")


def test_an_interrupt_exits_with_one_line() -> None:
    process = started("describe", "kinship", "--load", "train=5000000")
    used = Path(f"/proc/{process.pid}/stat")
    for _ in range(50):  # on a busy machine, too, the program is then past its imports and generates
        time.sleep(0.1)
        if used.exists() and int(used.read_text().rpartition(")")[2].split()[11]) > 1.5 * os.sysconf("SC_CLK_TCK"):
            break
    process.send_signal(signal.SIGINT)
    try:
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130
    assert (out, err) == (b"", b"r5: interrupted\n")


TRAIN = (
    "--engine",
    "r5",
    "--set",
    "network=false",
    "--set",
    "epochs=12",
    "--set",
    "patience=0",
    "--set",
    "simulations=400",
    "--load",
    "train=200",
    "--load",
    "test=6",
)


def test_an_interrupted_training_keeps_its_last_epoch_and_resumes(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    out = tmp_path / "model"
    checkpoint = tmp_path / "model.checkpoint" / "model.json"
    process = started("train", "world", "--out", out, "--seed", 5, *TRAIN)
    deadline = time.monotonic() + 60
    while not checkpoint.is_file() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.005)
    process.send_signal(signal.SIGINT)
    shown, log = process.communicate(timeout=60)
    assert (process.returncode, shown) == (130, b""), log
    kept = f"the checkpoint is kept in {tmp_path / 'model.checkpoint'}; continue with the same command and --resume"
    assert log.decode().splitlines() == [kept, "r5: interrupted"]
    assert not out.exists()
    assert run(capsys, "train", "world", "--out", out, "--resume", *TRAIN)[0] == 0
    assert [entry.name for entry in tmp_path.iterdir()] == ["model"]
    assert len(r5.load_model(out).rules_) > 10


def test_an_interrupt_before_the_first_epoch_leaves_nothing(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    for engine, reasoner, words in (
        ("r5", r5.R5Reasoner, "nothing was learned yet: there is no checkpoint"),
        ("grammar", r5.GrammarReasoner, "nothing was learned yet: there is no checkpoint"),
    ):
        monkeypatch.setattr(reasoner, "fit", interrupted)
        few = ("--load", "train=10", "--load", "test=6")
        code, shown, log = run(capsys, "train", "world", "--engine", engine, "--seed", 0, "--out", tmp_path / "m", *few)
        assert (code, shown) == (130, "")
        assert log.splitlines() == [words, "r5: interrupted"]
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_checkpoint_is_an_error(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out, checkpoint = tmp_path / "model", tmp_path / "model.checkpoint"
    few = ("--engine", "r5", "--set", "network=false", "--set", "epochs=1", "--load", "train=20", "--load", "test=6")
    data = r5.load("world", train=20, test=6)
    r5.R5Reasoner(seed=5, network=False, epochs=1).fit(data.train, checkpoint=checkpoint)
    head = (checkpoint / "model.json").read_text()
    (checkpoint / "model.json").write_text(head.replace('"model_selection"', '"later"'))
    code, _, log = run(capsys, "train", "world", "--out", out, "--resume", *few)
    assert code == 2
    assert "model.checkpoint: is damaged or of another version of r5; train without resuming" in log
    (checkpoint / "weights.safetensors").write_bytes(b"")
    assert "does not match its checksum" in run(capsys, "train", "world", "--out", out, "--resume", *few)[2]


def test_unprintable_names_are_escaped(tmp_path: Path) -> None:
    (tmp_path / "family.tsv").write_text("Zoë\tmère\tÉva\nÉva\tfrère\tTom\nZoë\toncle\tTom\n", encoding="utf-8")
    words = ("paths", tmp_path / "family.tsv", "--split", "train", "--index", 2)
    process = started(*words, PYTHONIOENCODING="ascii", PYTHONUTF8="0", LC_ALL="C")
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, b"read family.tsv: 3 triples (tab-separated, no header)\n")
    assert b"Tom" in out


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
def test_a_full_disk_is_an_error() -> None:
    shell = f"{sys.executable} -m r5 describe kinship --load train=10 --load test=3 > /dev/full"
    done = subprocess.run(["/bin/sh", "-c", shell], capture_output=True, check=False)
    assert done.returncode == 2
    assert done.stderr == b"r5: standard output cannot be written: No space left on device\n"


SLOW = """
import os, signal, sys
from r5.cli.main import main
from r5.grammar.training.runs import Run

signal.signal(signal.SIGINT, signal.default_int_handler)  # which a shell may have set to be ignored

step = Run.advance
def advance_and_report(self, *arguments):
    found = step(self, *arguments)
    os.write(1, b"a step is done\\n")  # in one piece: several threads report
    return found
Run.advance = advance_and_report
main(sys.argv[1:])
"""


def test_an_interrupt_ends_the_grammar_engine_and_keeps_a_checkpoint(
    tmp_path: Path,
) -> None:
    """A training of minutes, in the middle of steps of seconds on several threads."""
    data = ("--load", "relations=25", "--load", "rules=60", "--load", "train=4000", "--load", "train_lengths=[4,8,12]")
    few = ("--load", "test=0", "--load", "valid=0", "--set", "annealing_steps=400")
    words = ("train", "world", "--engine", "grammar", "--out", tmp_path / "model", "--seed", 1, *data, *few)
    command = [sys.executable, "-c", SLOW, *map(str, words)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    for _ in range(3):
        assert process.stdout.readline() == b"a step is done\n"
    start = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, log = process.communicate(timeout=60)
    assert time.monotonic() - start < 10  # two seconds where nothing else runs
    assert process.returncode == 130, log
    assert log.decode().splitlines()[0].startswith(f"the checkpoint is kept in {tmp_path / 'model.checkpoint'}")
    assert [entry.name for entry in tmp_path.iterdir()] == ["model.checkpoint"]
    head = json.loads((tmp_path / "model.checkpoint" / "model.json").read_text(encoding="utf-8"))
    assert sum(head["summary"]["done"]) >= 3


def test_a_second_training_into_one_folder_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    few = ("--engine", "grammar", "--seed", 0, "--set", "restarts=[0.5]", "--load", "train=40", "--load", "test=3")
    with exclusive_lock(tmp_path / "model"):
        code, shown, log = run(capsys, "train", "world", "--out", tmp_path / "model", *few)
    assert (code, shown) == (2, "")
    assert "model: is being written by another process that has not ended" in log
    assert list(tmp_path.iterdir()) == []
    assert run(capsys, "train", "world", "--out", tmp_path / "model", *few)[0] == 0


def test_a_time_limit_that_is_too_short_is_an_error(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for engine in ("r5", "grammar"):
        words = ("train", "world", "--engine", engine, "--out", tmp_path / "m", "--seed", 0, "--time-limit", 0.001)
        code, shown, log = run(capsys, *words, "--load", "train=40", "--load", "test=3")
        assert (code, shown) == (2, "")
        assert (
            log == "r5: the time limit of 0.001 s was over before anything was learned; give more with --time-limit\n"
        )
    assert list(tmp_path.iterdir()) == []
