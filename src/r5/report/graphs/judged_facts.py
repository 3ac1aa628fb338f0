"""Judged facts: new facts with their probability and the split of the data set that contains them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from r5._util.runtime.progress import ProgressCallback
from r5.dataset import Dataset
from r5.derivations.completion import Completion
from r5.graph import Graph
from r5.knowledge.calibration import calibration_error
from r5.reasoners.chains import ChainReasoner

__all__ = ["MAX_FACTS", "MIN_PROBABILITY", "JudgedFact", "fact_calibration_error", "judge_new_facts"]

MIN_PROBABILITY = 0.1
"""Minimum P(fact) of a fact that is judged; below, most candidates are not searched for."""
MAX_FACTS = 5_000
"""Maximum number of facts judged, the most probable ones."""


@dataclass(frozen=True, slots=True)
class JudgedFact:
    """A fact that the graph lacks, and the split that contains it."""

    completion: Completion
    split: str | None
    """`valid` or `test` (`train` if the model's graph lacks training facts); None if no split has the fact."""

    @property
    def key(self) -> tuple[str, str, str]:
        """Head, relation and tail."""
        fact = self.completion.fact
        return fact.source, fact.relation, fact.target

    @property
    def probability(self) -> float:
        """P(fact is true)."""
        return self.completion.probability

    @property
    def right(self) -> bool:
        """True if a split has the fact."""
        return self.split is not None


def judge_new_facts(
    model: ChainReasoner,
    data: Dataset,
    count: int = MAX_FACTS,
    graph: Graph | None = None,
    progress: ProgressCallback | None = None,
) -> tuple[JudgedFact, ...]:
    """Search a graph for new facts and look each up in the splits of a data set.

    Args:
        model: The model.
        data: The data set.
        count: Maximum number of facts.
        graph: Graph that is searched; the model's training graph by default.
        progress: Callback for progress.

    Returns:
        The facts with P(fact) of at least `MIN_PROBABILITY`, the most probable first.
    """
    splits: dict[tuple[str, str, str], str] = {}
    for name in ("train", "valid", "test"):
        examples = data.split(name)
        entities, relations = examples.pool.entities, examples.vocabulary.names(range(len(examples.vocabulary)))
        for source, relation, target in zip(
            examples.sources.tolist(), examples.answers.tolist(), examples.targets.tolist(), strict=True
        ):
            if relation >= 0:
                splits[entities[source], relations[relation], entities[target]] = name
    found = model.new_facts(count, graph, min_probability=MIN_PROBABILITY, progress=progress)
    new = (JudgedFact(one, None) for one in found if not one.known and one.probability >= MIN_PROBABILITY)
    return tuple(replace(one, split=splits.get(one.key)) for one in new)


def fact_calibration_error(facts: Sequence[JudgedFact]) -> float:
    """Return the expected calibration error of P(fact)."""
    return calibration_error([one.probability for one in facts], [one.right for one in facts])
