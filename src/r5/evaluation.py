"""How good a reasoner is: accuracy by length, invalid answers, rule recall, with confidence intervals."""

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
from r5.knowledge.pairs import FactIndex, facts_asked, facts_of
from r5.paths.branches import count_branches
from r5.rules.ruleset import RuleSet

__all__ = ["Evaluation", "Part", "evaluate", "true_answers"]


_AT_ONCE = 2000
"""Questions asked at once, so that whoever waits is told how far it is; the answers do not depend on it."""


class Predictor(Protocol):
    """What evaluation asks of a reasoner."""

    rules_: RuleSet

    def predict_many(self, examples: Examples) -> Sequence[Prediction]: ...


@dataclass(frozen=True, slots=True)
class Part:
    """Right answers among n."""

    n: int
    right: int

    @property
    def accuracy(self) -> float:
        """The share of right answers; of none, not a number."""
        return self.right / self.n if self.n else math.nan

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % confidence interval of the accuracy.

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
    """The figures of one reasoner on one split."""

    overall: Part
    by_length: dict[int, Part]
    """By the length of the resolution path, where it is known."""
    invalid_ratio: float
    """The share of questions to which there was no answer (the paper's invalid prediction ratio)."""
    rule_recall: float | None
    """The share of the true rules with a body of two that were learned; None where they are not known."""
    seconds: float
    by_branches: dict[int, Part] = field(default_factory=dict)
    """By the number of ways side by side, where that was asked for."""

    @property
    def accuracy(self) -> float:
        """The share of right answers; having no answer counts as wrong."""
        return self.overall.accuracy

    def to_json(self) -> dict[str, Any]:
        """What `r5 evaluate --json` prints."""
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
    """The relations that are right for each question: the answer and, in a knowledge graph, all others of the pair.

    What is true there is what stands in the graph, in these examples or in the `known` ones of other splits.
    """
    names = examples.vocabulary.names(range(len(examples.vocabulary)))
    right = [{names[answer]} for answer in examples.answers.tolist()]
    if examples.node_offsets.size == 2:
        parts = [facts_of(examples.pool)]
        parts += [facts_asked(part) for part in (examples, *known) if part.pool is examples.pool]
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
    """Ask the model every question that has an answer, and compare; on demand also by the number of `branches`.

    In a knowledge graph every true relation of the two entities is right (see `true_answers`).
    """
    if not hasattr(model, "predict_many"):
        raise R5Error(f"expected a model to evaluate, not a {type(model).__name__}")
    examples = Examples.read(examples)
    examples = examples.select(np.flatnonzero(examples.answers >= 0))
    start = time.perf_counter()
    # A relation that a knowledge graph has already is no answer; derivations, which cost time, are not needed.
    ask = getattr(model, "predict_held_out", getattr(model, "predict_plain", model.predict_many))
    predictions: list[Prediction] = []
    for first in range(0, len(examples), _AT_ONCE):
        predictions += ask(examples[first : first + _AT_ONCE])
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
    """The right answers of each group; those of group 0 are of none."""
    found = np.unique(groups[groups > 0]).tolist()
    return {group: Part(int((groups == group).sum()), int(right[groups == group].sum())) for group in found}
