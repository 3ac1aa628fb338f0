"""Evaluation of a reasoner: accuracy by path length, invalid predictions and rule recall."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from r5._util.runtime.progress import Progress, ProgressCallback
from r5.derivations.derivation import Prediction
from r5.errors import R5Error
from r5.examples import Examples
from r5.knowledge.fact_index import FactIndex, graph_facts, query_facts
from r5.paths.branches import count_branches
from r5.rules.ruleset import RuleSet

__all__ = ["Evaluation", "Part", "evaluate", "true_answers"]


_BATCH_SIZE = 2000
"""Queries per call of the model, so that progress is reported between calls; predictions do not depend on it."""


class Predictor(Protocol):
    """Interface of a reasoner that can be evaluated."""

    rules_: RuleSet

    def predict_many(self, examples: Examples) -> Sequence[Prediction]: ...


@dataclass(frozen=True, slots=True)
class Part:
    """Accuracy on a group of queries."""

    n: int
    """Number of queries."""
    right: int
    """Number of correct predictions."""

    @property
    def accuracy(self) -> float:
        """The share of correct predictions; NaN for an empty group."""
        return self.right / self.n if self.n else math.nan

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson 95 % confidence interval of the accuracy.

        >>> [round(x, 3) for x in Part(100, 95).interval]
        [0.888, 0.978]
        """
        if not self.n:
            return 0.0, 1.0
        z = 1.959964
        share = self.accuracy
        centre = share + z * z / (2 * self.n)
        spread = z * math.sqrt(share * (1 - share) / self.n + z * z / (4 * self.n * self.n))
        scale = 1 + z * z / self.n
        return max(0.0, (centre - spread) / scale), min(1.0, (centre + spread) / scale)


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Evaluation metrics of a reasoner on a split."""

    overall: Part
    """Accuracy on all queries."""
    by_length: dict[int, Part]
    """Accuracy by length of the resolution path; queries of unknown length are left out."""
    invalid_ratio: float
    """Share of queries without a prediction (the paper's invalid prediction ratio)."""
    rule_recall: float | None
    """Recall of the ground-truth rules with a body of two; None if they are unknown."""
    seconds: float
    """Wall-clock time of the predictions."""
    by_branches: dict[int, Part] = field(default_factory=dict)
    """Accuracy by number of node-disjoint paths, if requested."""

    @property
    def accuracy(self) -> float:
        """The share of correct predictions; a missing prediction is wrong."""
        return self.overall.accuracy

    def to_json(self) -> dict[str, Any]:
        """Return the JSON object of `r5 evaluate --json`."""
        by_branches = {str(b): {"n": p.n, "accuracy": p.accuracy} for b, p in sorted(self.by_branches.items())}
        return {
            "accuracy": self.accuracy,
            "n": self.overall.n,
            "by_length": {str(k): {"n": p.n, "accuracy": p.accuracy} for k, p in sorted(self.by_length.items())},
            **({"by_branches": by_branches} if by_branches else {}),
            "invalid_ratio": self.invalid_ratio,
            "rule_recall": self.rule_recall,
            "seconds": self.seconds,
        }


def true_answers(examples: Examples, known: Iterable[Examples] = ()) -> list[frozenset[str]]:
    """Return the true relations of each query.

    In a knowledge graph several relations of a pair can be true: those of the graph, of these examples and of `known`.

    Args:
        examples: Queries with answers.
        known: Examples of other splits over the same graph.

    Returns:
        The relation names of each query.
    """
    names = examples.vocabulary.names(range(len(examples.vocabulary)))
    right = [{names[answer]} for answer in examples.answers.tolist()]
    if examples.node_offsets.size == 2:
        parts = [graph_facts(examples.pool)]
        parts += [query_facts(part) for part in (examples, *known) if part.pool is examples.pool]
        index = FactIndex(np.concatenate(parts), examples.pool.number_of_nodes)
        place, relation = index.between(examples.sources, examples.targets)
        for at, name in zip(place.tolist(), relation.tolist(), strict=True):
            right[at].add(names[name])
    return [frozenset(row) for row in right]


def evaluate(
    model: Predictor,
    examples: Examples,
    rules: RuleSet | None = None,
    known: Iterable[Examples] = (),
    branches: bool = False,
    progress: ProgressCallback | None = None,
) -> Evaluation:
    """Compare the predictions of a model with the answers.

    In a knowledge graph every true relation of the two entities counts as correct (see `true_answers`).

    Args:
        model: A fitted reasoner.
        examples: Queries; those without an answer are skipped.
        rules: Ground-truth rules, for the rule recall.
        known: Examples of other splits over the same graph.
        branches: Also report accuracy by number of node-disjoint paths.
        progress: Called after each batch of queries.

    Returns:
        Evaluation metrics.

    Raises:
        R5Error: The model cannot predict relations.
    """
    if not hasattr(model, "predict_many"):
        raise R5Error(f"expected a model to evaluate, not a {type(model).__name__}")
    examples = Examples.read(examples)
    examples = examples.select(np.flatnonzero(examples.answers >= 0))
    start = time.perf_counter()
    # Known relations of a knowledge graph are not predicted again. Derivations cost time and are not needed here.
    predict = getattr(model, "predict_held_out", getattr(model, "predict_plain", model.predict_many))
    predictions: list[Prediction] = []
    for first in range(0, len(examples), _BATCH_SIZE):
        predictions += predict(examples[first : first + _BATCH_SIZE])
        if progress is not None:
            progress(Progress(len(predictions), len(examples), ""))
    seconds = time.perf_counter() - start
    wanted = true_answers(examples, known)
    right = np.array([p.relation in answers for p, answers in zip(predictions, wanted, strict=True)], dtype=bool)
    invalid = np.array([p.relation is None for p in predictions], dtype=bool)
    hops = examples.hops
    return Evaluation(
        overall=Part(len(examples), int(right.sum())),
        by_length=_parts(hops, right),
        invalid_ratio=float(invalid.mean()) if len(examples) else 0.0,
        rule_recall=None if rules is None else model.rules_.recall(rules.with_body_of(2)),
        seconds=seconds,
        by_branches=_parts(count_branches(examples), right) if branches else {},
    )


def _parts(groups: NDArray[np.int64], right: NDArray[np.bool_]) -> dict[int, Part]:
    """Return the accuracy of each group; group 0 stands for unknown and is left out."""
    found = np.unique(groups[groups > 0]).tolist()
    return {group: Part(int((groups == group).sum()), int(right[groups == group].sum())) for group in found}
