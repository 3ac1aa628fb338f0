"""Findings: what a report is about, gathered by asking the model every question of a split once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np

from r5._util.runtime.progress import ProgressCallback
from r5.bench.experiments import Published, published
from r5.dataset import Dataset
from r5.derivations.derivation import Prediction
from r5.errors import R5Error
from r5.evaluation import Evaluation, evaluate, true_answers
from r5.examples import Examples
from r5.reasoners.base import Reasoner
from r5.rules.ruleset import RuleSet

__all__ = ["Findings", "gather"]


@dataclass(frozen=True)
class Findings:
    """A model, the questions it was asked, its answers and how good they are."""

    engine: str
    model: str
    """What the model is called: its folder, or nothing."""
    data: str
    split: str
    settings: Mapping[str, Any]
    summary: Mapping[str, Any]
    """How training went."""
    rules: RuleSet
    true_rules: RuleSet | None
    evaluation: Evaluation
    examples: Examples
    """Those with a known answer."""
    predictions: Sequence[Prediction]
    published: tuple[Published, ...]
    known: tuple[Examples, ...] = ()
    """All splits of the data, whose facts are true."""

    @cached_property
    def wanted(self) -> tuple[str, ...]:
        """The right answers."""
        return self.examples.vocabulary.names(self.examples.answers)

    @cached_property
    def right(self) -> tuple[bool, ...]:
        """Which predictions are right: true facts of a knowledge graph are, even if another relation was asked for."""
        answers = true_answers(self.examples, self.known)
        return tuple(p.relation in right for p, right in zip(self.predictions, answers, strict=True))


class _Recorder:
    """A reasoner that keeps what it was asked and what it said, so that evaluating it is asking it once."""

    def __init__(self, model: Reasoner) -> None:
        self.model = model
        self.rules_ = model.rules_
        self.predictions: list[Prediction] = []

    def predict_many(self, examples: Examples) -> Sequence[Prediction]:
        answers = self.model.predict_many(examples)
        self.predictions += answers
        return answers


def gather(
    model: Reasoner, data: Dataset, split: str = "test", name: str = "", progress: ProgressCallback | None = None
) -> Findings:
    """Ask the model every question of the split that has a known answer, and look up what others published.

    Published figures are of test data; beside another split they would mislead.
    """
    recorder = _Recorder(model)
    known = (data.train, data.valid, data.test)
    examples = data.split(split)
    evaluation = evaluate(recorder, examples, data.rules, known, progress=progress)
    if not evaluation.overall.n:
        raise R5Error(f"the {split} split of {data.name} has no questions with a known answer: nothing to report on")
    summary = getattr(model, "summary_", None)
    return Findings(
        engine=model.engine,
        model=name,
        data=data.name,
        split=split,
        settings=asdict(model.settings),
        summary=summary if isinstance(summary, Mapping) else {},
        rules=model.rules_,
        true_rules=data.rules,
        evaluation=evaluation,
        examples=examples.select(np.flatnonzero(examples.answers >= 0)),
        predictions=recorder.predictions,
        published=published(data.name) if split == "test" else (),
        known=known,
    )
