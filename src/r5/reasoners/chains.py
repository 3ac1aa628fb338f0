"""ChainReasoner: completes one knowledge graph with weighted chain rules."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Self

from r5._util.runtime.budget import Budget, TimeLimitError
from r5._util.settings import build_settings
from r5._util.signatures import takes_settings
from r5.chains.explain.rule_lists import count_rules, given_bodies, learned_rules, without_rules
from r5.chains.graph.step_graph import StepGraph
from r5.chains.settings import ChainSettings
from r5.chains.storage import graph_from_stored, graph_to_arrays, model_from_stored, model_to_arrays
from r5.chains.training.checkpoint import Checkpointer
from r5.chains.training.fitting import fit_chains
from r5.chains.training.queries import RuleBodies
from r5.errors import R5Error
from r5.examples import Examples
from r5.graph import Graph
from r5.parallel.cluster import Cluster
from r5.reasoners.base import Progress, ProgressCallback
from r5.reasoners.chain_queries.discovery import ChainDiscovery
from r5.reasoners.chain_queries.facts import base_relations, select_training_graph, select_unseen_facts
from r5.reasoners.chain_queries.prediction import ChainPrediction
from r5.reasoners.chain_queries.ranking import ChainRanking
from r5.reasoners.chain_queries.similarity import ChainSimilarity
from r5.rules.rule import Rule
from r5.rules.ruleset import RuleSet
from r5.storage.folder import StoredModel

__all__ = ["ChainReasoner"]


class ChainReasoner(ChainDiscovery, ChainRanking, ChainPrediction, ChainSimilarity):
    """Reasoner that learns weighted chain rules from one graph, and answers (h, r, ?), (?, r, t) and (h, ?, t).

    The settings are those of `ChainSettings`, also shown by `r5 train --help-settings chains`.

    >>> people = [(f"p{i}", "parent", f"p{i + 1}") for i in range(40)]
    >>> people += [(f"p{i}", "grandparent", f"p{i + 2}") for i in range(30)]
    >>> model = ChainReasoner(seed=0).fit(Graph.from_triples(people))
    >>> [answer.entity for answer in model.complete(head="p33", relation="grandparent", top=1)]
    ['p35']
    """

    engine: ClassVar[str] = "chains"
    has_checkpoints: ClassVar[bool] = True
    runs_on_clusters: ClassVar[bool] = True
    is_multilabel: ClassVar[bool] = True
    settings: ChainSettings

    @takes_settings(ChainSettings)
    def __init__(self, given: dict[str, Any]) -> None:
        self.given = given
        self.settings = build_settings(ChainSettings, "the engine chains", given)

    def fit(
        self,
        examples: Any,
        valid: Examples | None = None,
        progress: ProgressCallback | None = None,
        budget: Budget | None = None,
        checkpoint: str | Path | None = None,
        resume: bool = False,
        cluster: Cluster | None = None,
    ) -> Self:
        """Learn from a graph.

        Args:
            examples: A graph, examples of one graph, or what `r5.load` reads from memory: a data frame, a list of
                triples, a connection, a dict of splits, whose `valid` calibrates. Of examples, the queried facts and
                the background facts of their data are used and no other facts, so that folds of a cross-validation
                learn from their own facts.
            valid: Facts that calibrate the probabilities; without them, some facts are held out for calibration.
            progress: Called as relations are learned.
            budget: Time limit. When it is over, the learned relations are kept, and `summary_["cut_short"]` tells how
                many.
            checkpoint: Folder for the state, which is written every few seconds, on interruption and at the time limit.
            resume: Continue from the checkpoint, with the same result as without the interruption.
            cluster: Workers that learn relations in parallel; the result does not depend on it.

        """
        graph, valid = select_training_graph(examples, valid)
        return self._fit(graph, None, progress, budget, Checkpointer(checkpoint, resume), valid, cluster)

    @classmethod
    def from_rules(
        cls,
        rules: RuleSet,
        graph: Graph,
        settings: ChainSettings | None = None,
        progress: ProgressCallback | None = None,
        budget: Budget | None = None,
    ) -> Self:
        """Learn weights of given rules on a graph; rules with invented relations are unfolded into chains."""
        return cls(**asdict(settings or ChainSettings()))._fit(graph, rules, progress, budget)

    def _fit(
        self,
        graph: Graph,
        rules: RuleSet | None,
        progress: ProgressCallback | None,
        budget: Budget | None,
        checkpointer: Checkpointer | None = None,
        valid: Examples | None = None,
        cluster: Cluster | None = None,
    ) -> Self:
        start = time.perf_counter()
        steps = StepGraph.of(graph, base_relations(graph.vocabulary))
        if not len(steps.facts):
            raise R5Error("the graph has no facts: there is nothing to learn from")
        given: dict[int, RuleBodies] | None = None if rules is None else given_bodies(rules, steps)
        budget = budget or Budget()
        wanted, relations, done = len(steps.targets()), len(steps.used()), 0

        def notify(message: str) -> None:
            nonlocal done
            done += 1
            if progress is not None:
                progress(Progress(min(done, relations), relations, message))

        held = select_unseen_facts(valid, steps)
        model, learned, metrics = fit_chains(steps, self.settings, budget, notify, given, checkpointer, held, cluster)
        if not learned:
            raise TimeLimitError("the time limit was over before anything was learned; give more with --time-limit")
        self._keep(graph, steps, model)
        self.summary_ = {
            "facts": len(steps.facts),
            "entities": steps.number_of_nodes,
            "relations": len(steps.relations),
            "rules": count_rules(steps, model),
            "temperature": model.temperature.base,
            "seconds": time.perf_counter() - start,
        }
        if metrics:
            self.summary_["held_out"] = {**metrics, "split": "train" if held is None else "valid"}
        if learned < wanted:
            self.summary_["cut_short"] = f"{learned} of {wanted} relations and directions"
        return self

    @cached_property
    def rules_(self) -> RuleSet:  # type: ignore[override]
        """The rules with the greatest weights in order of quality, counted on the training graph on first use."""
        self._check_fitted()
        strongest = learned_rules(self._scorer.graph, self.model_, self.settings.listed_rules)
        return strongest.evaluate(self.graph_).sorted("quality")

    @property
    def number_of_rules(self) -> int:
        """Number of rules learned; `rules_` lists those with the greatest weights."""
        self._check_fitted()
        return count_rules(self._scorer.graph, self.model_)

    def without_rules(self, rules: Iterable[Rule]) -> Self:
        """Return a copy in which some rules have weight 0."""
        self._check_fitted()
        off = {rule.key for rule in rules}
        steps = self._scorer.graph
        copy = type(self)(**self.given)
        copy.summary_ = self.summary_
        copy._keep(self.graph_, steps, without_rules(self.model_, steps, off))
        return copy

    def save(self, path: str | Path, force: bool = False) -> None:
        """Write the model, with its graph, to a folder that `r5.load_model` reads."""
        self._check_fitted()
        self._write(path, {**graph_to_arrays(self.graph_), **model_to_arrays(self.model_)}, force)

    @classmethod
    def from_stored(cls, stored: StoredModel) -> Self:
        """Return the reasoner of a stored model, or raise a `ModelError` if its parts do not fit together."""
        model = cls._with_settings(stored)
        graph = graph_from_stored(stored)
        chains = model_from_stored(stored, model.settings.frontier, graph.entities)
        steps = StepGraph.of(graph, chains.relations, chains.symmetric)
        model._keep(graph, steps, chains)
        model.__dict__["rules_"] = stored.rules
        return model
