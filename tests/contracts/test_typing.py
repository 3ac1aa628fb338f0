"""A program that uses the library passes mypy, and one that misuses it does not."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import r5

PROGRAM = """\
import r5

model = r5.load_model("model")
for answer in model.complete(head="Ann", relation="aunt", top=3):
    print(answer.entity.upper(), answer.probability)
print(model.new_facts(10)[0].relation, model.audit(5), model.score_fact("Ann", "aunt", "Zoe").probability)
print(model.predict(r5.load("kinship").test[0]).relation)
"""
MISUSE = """\
import r5

r5.load_model("model").complete(haed="Ann")
r5.load_model("model").finish()
r5.load("kinship").test[0].source + 1
"""
CONFIGURATION = """\
[mypy]
strict = true
cache_dir = /dev/null
[mypy-numpy.*,numba.*,torch.*,pandas.*,pyarrow.*,networkx.*,ray.*]
follow_imports = skip
follow_imports_for_stubs = true
"""
"""Only the types of the package matter; those of its dependencies take a minute to read."""


def test_a_loaded_model_has_types(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "misuse.py").write_text(MISUSE)
    (tmp_path / "mypy.ini").write_text(CONFIGURATION)
    command = [sys.executable, "-m", "mypy", "--config-file", "mypy.ini", "program.py", "misuse.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    errors = [line for line in done.stdout.splitlines() if "error:" in line]
    assert len(errors) == 3, done.stdout + done.stderr
    assert errors[0].startswith("misuse.py:3: error: Unexpected keyword argument")
    assert errors[1].startswith('misuse.py:4: error: "Reasoner" has no attribute "finish"')
    assert errors[2].startswith("misuse.py:5: error: Unsupported operand types")


def test_an_engine_that_completes_no_graphs_says_so(tmp_path: Path) -> None:
    r5.GrammarReasoner(seed=0).fit(r5.load("kinship", train=20, test=1).train).save(tmp_path / "model")
    model = r5.load_model(tmp_path / "model")
    for ask in (model.complete, model.new_facts, model.audit):
        with pytest.raises(r5.R5Error, match="the engine grammar completes no graphs; train with the engine chains"):
            ask()
