"""ChainReasoner: completes one knowledge graph with weighted chain rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from r5._util.budget import Budget
from r5.chains.completion import Completion
from r5.chains.settings import ChainSettings
from r5.derivations.derivation import Prediction
from r5.examples import Examples
from r5.graph import Graph
from r5.ranking import Places
from r5.reasoners.base import ProgressCallback, Reasoner
from r5.rules.ruleset import RuleSet
from r5.storage.folder import StoredModel

__all__ = ["ChainReasoner", "Question"]

Question = tuple[str | None, str | None, str | None]
"""Head, relation and tail; exactly one of the ends is None, and the relation where all are meant."""


class ChainReasoner(Reasoner):
    """Learns chain rules and their weights from one graph; answers (h, r, ?), (?, r, t) and (h, ?, t).

    Settings are those of `ChainSettings`, by name.
    """

    engine: ClassVar[str] = "chains"
    settings: ChainSettings
    graph_: Graph
    """The training graph; questions are answered on it."""

    def __init__(self, seed: int = 0, **settings: Any) -> None:
        self.settings = ChainSettings.from_names(seed=seed, **settings)

    def fit(
        self,
        examples: Examples | Graph,
        valid: Examples | None = None,
        progress: ProgressCallback | None = None,
        budget: Budget | None = None,
    ) -> Self:
        """Learn from one graph, or from examples made of one. `valid` is not used: training facts held out choose."""
        raise NotImplementedError

    @classmethod
    def from_rules(cls, rules: RuleSet, graph: Graph, seed: int = 0, **settings: Any) -> Self:
        """Weigh rules from anywhere on a graph; pair rules are unfolded into chains."""
        raise NotImplementedError

    def complete(
        self,
        graph: Graph | None = None,
        *,
        head: str | None = None,
        relation: str | None = None,
        tail: str | None = None,
        top: int = 10,
        explain: bool = False,
        known: bool = False,
    ) -> list[Completion]:
        """The best candidates for the end that is not given, facts that the graph has left out unless `known`.

        Without a relation, all relations of the entity are asked, and the most likely facts come first.
        """
        raise NotImplementedError

    def complete_many(
        self,
        questions: Iterable[Question],
        graph: Graph | None = None,
        *,
        top: int = 10,
        explain: bool = False,
        known: bool = False,
    ) -> Iterator[list[Completion]]:
        """The answers to each of many questions, one after the other."""
        raise NotImplementedError

    def new_facts(self, count: int = 100, graph: Graph | None = None, *, explain: bool = False) -> list[Completion]:
        """The most likely facts that the graph lacks, the surest first."""
        raise NotImplementedError

    def places(self, examples: Examples, known: Iterable[Examples | Graph] = ()) -> Places:
        """Where the right answers stand among all entities; what `r5.rank` asks for."""
        raise NotImplementedError

    def predict_many(self, examples: Examples) -> list[Prediction]:
        """Which relation holds between two entities, with the grounding of the best rule as derivation."""
        raise NotImplementedError

    def predict_proba(self, examples: Examples) -> NDArray[np.float64]:
        """How likely each known relation is as the answer, [examples, known relations]."""
        raise NotImplementedError

    def save(self, path: str | Path, force: bool = False) -> None:
        """Write the model to a folder that `r5.load_model` reads."""
        raise NotImplementedError

    @classmethod
    def from_stored(cls, stored: StoredModel) -> Self:
        """The reasoner that was saved, or a `ModelError` where its parts do not fit together."""
        raise NotImplementedError
