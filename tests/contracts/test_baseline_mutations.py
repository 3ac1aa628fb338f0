"""Damaged and malicious model folders of baselines end in an answer or an `R5Error`, in little memory.

As in `test_model_mutations.py`; `R5_FUZZ=10000` tries as many as it says.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from r5.baselines.rule_learners import rnnlogic, rule_predictor
from r5.data.generators.world.dataset import generate_world
from r5.reasoners.augmented import AugmentedReasoner
from r5.reasoners.baseline import BaselineReasoner
from r5.reasoners.r5 import R5Reasoner
from tests.helpers.documentation import ROOT

COUNT = int(os.environ.get("R5_FUZZ", "50"))
# torch_geometric warns when it is imported, which the program takes for a failure.
PROGRAM = """
import sys, pathlib, torch_geometric.utils, tests.helpers.model_mutations
tests.helpers.model_mutations.main(pathlib.Path(sys.argv[1]), 0, int(sys.argv[2]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited in the way of Linux")
def test_mutated_baselines_answer_or_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rnnlogic, "_GENERATOR_STEPS", 5)
    monkeypatch.setattr(rule_predictor, "_STEPS", 10)
    train = generate_world(seed=1, train=80, test=6).train
    for name in ("lstm", "cnnh", "mha", "egat"):
        BaselineReasoner(name, epochs=1, min_steps=1, embedding=4).fit(train).save(tmp_path / name)
    for name in ("ctp-m", "gntp", "neural-lp", "rnnlogic"):
        few = {"modules": 3} if name in ("ctp-m", "gntp") else {}
        BaselineReasoner(name, epochs=1, min_steps=4, **few).fit(train).save(tmp_path / name)
    agent = R5Reasoner(seed=0, epochs=1, simulations=8, invented=3, network=False)
    both = AugmentedReasoner(agent, BaselineReasoner("gru", epochs=1, min_steps=1, embedding=4, hidden=4))
    both.fit(train).save(tmp_path / "augmented")
    command = [sys.executable, "-W", "ignore", "-c", PROGRAM, str(tmp_path), str(COUNT)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"ended with {done.returncode} at {done.stderr.splitlines()[-1:]}"
    found = json.loads(done.stdout)
    assert found["failures"] == []
    assert sum(found["outcomes"].values()) == COUNT
    assert {name.split()[-1] for name in found["outcomes"]} >= {"refused", "answers"}
