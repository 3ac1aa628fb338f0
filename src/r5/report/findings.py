"""Findings: content of a report, from the answers of a model to all queries of a split."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property

import numpy as np

from r5._util.runtime.progress import ProgressCallback
from r5.bench.experiments.experiment import PublishedFigures
from r5.bench.experiments.folder import find_published
from r5.dataset import Dataset
from r5.derivations.derivation import Prediction
from r5.errors import R5Error
from r5.evaluation import Evaluation, evaluate, true_answers
from r5.examples import Examples
from r5.reasoners.base import Reasoner
from r5.report.origin import Origin
from r5.rules.ruleset import RuleSet

__all__ = ["Findings", "gather_findings"]


@dataclass(frozen=True)
class Findings(Origin):
    """A model, the queries of a split, its answers and their evaluation."""

    true_rules: RuleSet | None
    evaluation: Evaluation
    examples: Examples
    """Examples with a known answer."""
    predictions: Sequence[Prediction]
    published: tuple[PublishedFigures, ...]
    known: tuple[Examples, ...] = ()
    """All splits of the data; their facts are true."""

    @cached_property
    def wanted(self) -> tuple[str, ...]:
        """Right answers."""
        return self.examples.vocabulary.names(self.examples.answers)

    @cached_property
    def right(self) -> tuple[bool, ...]:
        """Correctness of each prediction; on a knowledge graph, any true relation of the pair is right."""
        answers = true_answers(self.examples, self.known)
        return tuple(p.relation in right for p, right in zip(self.predictions, answers, strict=True))


class _Recorder:
    """Wrapper of a reasoner that records its predictions, so that evaluation is the only pass over the queries."""

    def __init__(self, model: Reasoner) -> None:
        self.model = model
        self.rules_ = model.rules_
        self.predictions: list[Prediction] = []

    def predict_many(self, examples: Examples) -> Sequence[Prediction]:
        """Return and record the predictions."""
        answers = self.model.predict_many(examples)
        self.predictions += answers
        return answers


def gather_findings(
    model: Reasoner, data: Dataset, split: str = "test", name: str = "", progress: ProgressCallback | None = None
) -> Findings:
    """Evaluate a model on a split, and look up published figures.

    Published figures are of test data, so other splits have none.

    Args:
        model: The model.
        data: The data set.
        split: Name of the split.
        name: Name of the model in the report.
        progress: Callback for progress.

    Raises:
        R5Error: The split has no queries with a known answer.
    """
    recorder = _Recorder(model)
    known = (data.train, data.valid, data.test)
    examples = data.split(split)
    evaluation = evaluate(recorder, examples, data.rules, known, progress=progress)
    if not evaluation.overall.n:
        raise R5Error(f"the {split} split of {data.name} has no queries with a known answer: nothing to report on")
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
        published=find_published(data.name) if split == "test" else (),
        known=known,
    )
