"""Judged facts: new facts with their probability, and the split of the data set that has each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from r5.dataset import Dataset
from r5.derivations.completion import Completion
from r5.knowledge.calibration import calibration_error
from r5.reasoners.chains import ChainReasoner

__all__ = ["LEAST", "MOST", "JudgedFact", "fact_calibration_error", "judge_new_facts"]

LEAST = 0.1
"""Minimum P(fact) of a fact that is judged; below, most candidates are not searched for."""
MOST = 5_000
"""Maximum number of facts judged, the most probable ones."""


@dataclass(frozen=True, slots=True)
class JudgedFact:
    """A fact that the graph lacks, and the split that has it."""

    offered: Completion
    split: str | None
    """`valid` or `test` (`train`, where the model's graph lacks training facts); None where no split has the fact."""

    @property
    def probability(self) -> float:
        """P(fact is true)."""
        return self.offered.probability

    @property
    def right(self) -> bool:
        """Whether a split has the fact."""
        return self.split is not None


def judge_new_facts(model: ChainReasoner, data: Dataset, count: int = MOST) -> tuple[JudgedFact, ...]:
    """Search the model's graph for new facts and look each up in the splits of a data set.

    Args:
        model: The model, with its training graph.
        data: The data set.
        count: Maximum number of facts.

    Returns:
        The facts with P(fact) of at least `LEAST`, the most probable first.
    """
    splits: dict[tuple[str, str, str], str] = {}
    for name in ("train", "valid", "test"):
        examples = data.split(name)
        entities, words = examples.pool.entities, examples.vocabulary.names(range(len(examples.vocabulary)))
        for source, relation, target in zip(
            examples.sources.tolist(), examples.answers.tolist(), examples.targets.tolist(), strict=True
        ):
            if relation >= 0:
                splits[entities[source], words[relation], entities[target]] = name
    found = model.new_facts(count, min_probability=LEAST)
    return tuple(
        JudgedFact(one, splits.get((one.fact.source, one.fact.relation, one.fact.target)))
        for one in found
        if not one.known and one.probability >= LEAST
    )


def fact_calibration_error(facts: Sequence[JudgedFact]) -> float:
    """Return the expected calibration error of P(fact)."""
    return calibration_error([one.probability for one in facts], [one.right for one in facts])
