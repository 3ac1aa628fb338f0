"""Models with perturbed last digits give the same output: rounding breaks no tie."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import r5
from r5._util.ordering import is_close
from r5.dataset import Dataset
from r5.reasoners.base import Reasoner
from r5.report.findings import gather_findings
from r5.report.page import render_page
from r5.storage.folder import read_model, write_model

pytestmark = pytest.mark.same_everywhere

_TIMES = 2
_SIZE = 1e-12


def _grammar() -> tuple[Reasoner, Dataset]:
    data = r5.load("kinship", train=300, test=6)
    return r5.GrammarReasoner(seed=0, restarts=(0.5,)).fit(data.train), data


def _noisy_grammar() -> tuple[Reasoner, Dataset]:
    data = r5.load("world", train=300, test=30, wrong_edges=0.25, seed=3)
    return r5.GrammarReasoner(seed=0, restarts=(0.5,)).fit(data.train), data


def _clear_grammar() -> tuple[Reasoner, Dataset]:
    data = r5.load("world", train=300, test=30, relations=8, rules=40, wrong_edges=0.1, seed=5)
    return r5.GrammarReasoner(seed=0, restarts=(0.5,)).fit(data.train), data


def _hand_made_grammar() -> tuple[Reasoner, Dataset]:
    """Addition modulo 5: every order of merging is as likely as any other, and two answers compete everywhere."""
    names = [f"r_{n}" for n in range(5)]
    bodies = [(a, b) for a in range(5) for b in range(5)]
    rules = [
        r5.Rule(names[(a + b + more) % 5], (names[a], names[b]), support=8.0) for a, b in bodies for more in (0, 1)
    ]
    data = r5.load("world", train=2, test=30, relations=5, seed=1)
    return r5.GrammarReasoner.from_rules(r5.RuleSet.of(rules)), data


def _r5() -> tuple[Reasoner, Dataset]:
    data = r5.load("kinship", train=200, test=15)
    return r5.R5Reasoner(seed=0, epochs=2, restarts=1, simulations=32).fit(data.train), data


def _r5_of_the_paper() -> tuple[Reasoner, Dataset]:
    data = r5.load("kinship", train=200, test=15)
    return r5.R5Reasoner(seed=0, preset="paper", epochs=2, simulations=24).fit(data.train), data


def _disturbed(stored: Path, where: Path, rng: np.random.Generator) -> Reasoner:
    """The model with each of its numbers a little larger or smaller."""
    model = read_model(stored)
    arrays = {
        name: array * (1.0 + _SIZE * rng.choice([-1.0, 1.0], array.shape)) if array.dtype == np.float64 else array
        for name, array in model.arrays.items()
    }
    assert any((arrays[name] != array).any() for name, array in model.arrays.items())
    write_model(where, replace(model, arrays=arrays), force=True)
    return r5.load_model(where)


def _told(model: Reasoner, data: Dataset) -> tuple[str, list[object]]:
    """All that the model says, as people read it and as programs do."""
    text, numbers = [], []
    for answer in model.predict_many(data.test):
        text.append(answer.explain(top=4))
        if answer.derivation is not None:
            text += [answer.derivation.tree(), answer.derivation.to_svg()]
        numbers.append(answer.to_json(top=4))
    for rules in (model.rules_, model.rules_.sorted(), model.rules_.sorted().unfold(4)):
        text.append(rules.to_text())
        numbers.append(json.loads(rules.to_json()))
    if isinstance(model, r5.GrammarReasoner):
        text += [model.hard_rules().to_text()]
        text += ["\n".join(map(str, model.suspicious_edges(data.test[n]))) for n in range(0, len(data.test), 6)]
    findings = gather_findings(model, data)
    text.append(render_page(replace(findings, evaluation=replace(findings.evaluation, seconds=0.0)), examples=12))
    return "\n".join(text), numbers


def _same(one: object, other: object) -> bool:
    """Whether two JSON values are equal, numbers up to rounding."""
    if isinstance(one, float) and isinstance(other, float):
        return is_close(one, other)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return list(one) == list(other) and all(_same(one[key], other[key]) for key in one)
    return type(one) is type(other) and one == other


@pytest.mark.parametrize("made", [_grammar, _noisy_grammar, _clear_grammar, _hand_made_grammar, _r5, _r5_of_the_paper])
def test_perturbed_weights_change_no_output(made: Callable[[], tuple[Reasoner, Dataset]], tmp_path: Path) -> None:
    model, data = made()
    model.save(tmp_path / "model")
    text, numbers = _told(model, data)
    assert len(text) > 20_000
    rng = np.random.default_rng(0)
    for time in range(_TIMES):
        said, counted = _told(_disturbed(tmp_path / "model", tmp_path / "other", rng), data)
        differing = [pair for pair in zip(text.splitlines(), said.splitlines(), strict=False) if pair[0] != pair[1]]
        assert not differing, f"disturbance {time}: {differing[0][0][:300]!r} became {differing[0][1][:300]!r}"
        assert text == said
        assert _same(numbers, counted)
