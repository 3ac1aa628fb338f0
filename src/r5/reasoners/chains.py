"""ChainReasoner: completes one knowledge graph with weighted chain rules."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from r5._util.frames import make_frame
from r5._util.runtime.budget import Budget, TimeLimitError
from r5._util.runtime.progress import ProgressCounter
from r5._util.runtime.threads import usable_threads
from r5._util.settings import build_settings
from r5._util.signatures import takes_settings
from r5.chains.explain.rule_lists import count_rules, given_bodies, learned_rules, without_rules
from r5.chains.explain.rule_measures import with_figures
from r5.chains.graph.known_answers import KnownAnswers
from r5.chains.graph.step_graph import StepGraph, base_facts, distinct
from r5.chains.inference.completions import Completer, Query
from r5.chains.inference.discovery import FactFilter
from r5.chains.inference.fact_scorer import FactScorer
from r5.chains.inference.query_scorer import QueryScorer
from r5.chains.inference.ranking import rank_facts
from r5.chains.inference.relation_queries import RelationQueries
from r5.chains.model import ChainModel
from r5.chains.settings import ChainSettings
from r5.chains.storage import graph_from_stored, graph_to_arrays, model_from_stored, model_to_arrays
from r5.chains.training.checkpoint import Checkpointer
from r5.chains.training.fitting import fit_chains
from r5.chains.training.queries import RuleBodies
from r5.data.formats.answers import COLUMNS, answer_rows
from r5.derivations.completion import AuditFinding, Completion
from r5.derivations.derivation import Prediction
from r5.errors import R5Error
from r5.examples import Example, Examples
from r5.graph import Graph
from r5.knowledge.contradictions import Duplicate, duplicate_relations
from r5.knowledge.fact_index import FactIndex, graph_facts, query_facts
from r5.knowledge.top_answers import Candidate
from r5.knowledge.training_graph import training_graph
from r5.parallel.cluster import Cluster
from r5.ranking import RankCounts
from r5.reasoners.base import Progress, ProgressCallback, Reasoner
from r5.relations import INVERSE_SUFFIX, Vocabulary, inverse_name
from r5.rules.rule import Key, Rule
from r5.rules.ruleset import RuleSet
from r5.storage.folder import StoredModel

__all__ = ["ChainReasoner"]

T = TypeVar("T")


class ChainReasoner(Reasoner):
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
    graph_: Graph
    """Training graph, on which queries are answered by default."""
    model_: ChainModel

    @takes_settings(ChainSettings)
    def __init__(self, given: dict[str, Any]) -> None:
        self.given = given
        self.settings = build_settings(ChainSettings, "the engine chains", given)

    def fit(
        self,
        examples: Examples | Graph,
        valid: Examples | None = None,
        progress: ProgressCallback | None = None,
        budget: Budget | None = None,
        checkpoint: str | Path | None = None,
        resume: bool = False,
        cluster: Cluster | None = None,
    ) -> Self:
        """Learn from a graph.

        Args:
            examples: A graph, or examples of one graph. Of examples, the queried facts and the background facts of
                their data are used and no other facts, so that folds of a cross-validation learn from their own facts.
            valid: Facts that calibrate the probabilities; without them, some facts are held out for calibration.
            progress: Called as relations are learned.
            budget: Time limit. When it is over, the learned relations are kept, and `summary_["cut_short"]` tells how
                many.
            checkpoint: Folder for the state, which is written every few seconds, on interruption and at the time limit.
            resume: Continue from the checkpoint, with the same result as without the interruption.
            cluster: Workers that learn relations in parallel; the result does not depend on it.

        """
        graph, valid = _one_graph(examples, valid)
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

        held = _unseen(valid, steps)
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

    def _keep(self, graph: Graph, steps: StepGraph, model: ChainModel) -> None:
        self.graph_, self.model_ = graph, model
        self.vocabulary_ = Vocabulary(steps.relations)
        self._answerer = QueryScorer(steps, model)
        self.__dict__.pop("rules_", None)
        for name in ("_figures", "_kept_completer", "_other"):
            self.__dict__.pop(name, None)

    def __getstate__(self) -> dict[str, Any]:
        """Return the state without scratch arrays, which belong to the threads of one process."""
        return {name: value for name, value in self.__dict__.items() if name not in ("_kept_completer", "_other")}

    @cached_property
    def rules_(self) -> RuleSet:  # type: ignore[override]
        """The rules with the greatest weights in order of quality, counted on the training graph on first use."""
        self._check_fitted()
        strongest = learned_rules(self._answerer.graph, self.model_, self.settings.listed_rules)
        return strongest.evaluate(self.graph_).sorted("quality")

    @property
    def number_of_rules(self) -> int:
        """Number of rules learned; `rules_` lists those with the greatest weights."""
        self._check_fitted()
        return count_rules(self._answerer.graph, self.model_)

    def _on(self, graph: Graph | None) -> QueryScorer:
        """Return the scorer on a graph, by default the training graph."""
        self._check_fitted()
        if graph is None or graph is self.graph_:
            return self._answerer
        if getattr(self, "_other", (None, None))[0] is not graph:
            steps = StepGraph.of(graph, self.model_.relations, self.model_.symmetric)
            self._other = (graph, QueryScorer(steps, self.model_, self._answerer.graph))
        return self._other[1]

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
        """Return the most probable facts that answer a query, best first.

        Args:
            graph: The graph that is asked about; the training graph by default.
            head: The head of the fact.
            relation: Its relation; every plausible relation by default.
            tail: Its tail. With head, relation and tail, that fact is scored; without relation, all relations between
                the two are, those that the graph has first.
            top: Maximum number of facts.
            explain: Also find the reasons, which sum to the score.
            known: Also facts that the graph has, each masked while it is scored.
        """
        found = self._completer(graph).complete((head, relation, tail), top, explain, known)
        return self._told(found, graph, explain)

    def complete_many(
        self,
        queries: Iterable[Query],
        graph: Graph | None = None,
        *,
        top: int = 10,
        explain: bool = False,
        known: bool = False,
    ) -> Iterator[list[Completion]]:
        """Answer many queries, one after the other."""
        completer = self._completer(graph)
        return (self._told(completer.complete(query, top, explain, known), graph, explain) for query in queries)

    def complete_frame(
        self, queries: Iterable[Query], graph: Graph | None = None, library: str = "pandas", **options: Any
    ) -> Any:
        """Return the answers to many queries as a frame, a row per answer.

        Args:
            queries: Head, relation and tail of each, None for what is asked.
            graph: The graph that is asked about; the training graph by default.
            library: `pandas` or `polars`.
            options: Those of `complete_many`.

        Returns:
            A frame with the columns question (counted from 1), head, relation, tail, rank, entity, probability, share,
            score, known and reasons (JSON).
        """
        rows = [
            row
            for number, answers in enumerate(self.complete_many(queries, graph, **options), start=1)
            for row in answer_rows(number, answers)
        ]
        return make_frame({name: [row[place] for row in rows] for place, name in enumerate(COLUMNS)}, library)

    def rank_candidates(
        self, queries: Iterable[Query], graph: Graph | None = None, *, top: int = 10
    ) -> Iterator[list[Candidate]]:
        """Return the best new candidates of each query and their shares, P(candidate | the query has a new answer).

        The order is that of the scores, as in `r5.rank`. No P(fact) is computed: this is faster than `complete_many`.

        Args:
            queries: Head, relation and tail of each; one end is None.
            graph: The graph that is asked about; the training graph by default.
            top: Maximum number of candidates per query.
        """
        if top < 1:
            raise R5Error(f"top must be a whole number from 1 on, not {top}")
        completer = self._completer(graph)
        return (completer.rank_candidates(query, top) for query in queries)

    def score_candidates(
        self, query: Query, entities: Iterable[str], graph: Graph | None = None, *, explain: bool = False
    ) -> list[Completion]:
        """Return the facts that given entities make of a query for one end, in their order, each with its share.

        Args:
            query: Head, relation and tail; one end is None.
            entities: The candidates.
            graph: The graph that is asked about; the training graph by default.
            explain: Also find the reasons, those of the query's own direction.
        """
        return self._told(self._completer(graph).score_candidates(query, list(entities), explain), graph, explain)

    def score_fact(
        self, head: str, relation: str, tail: str, graph: Graph | None = None, *, explain: bool = False
    ) -> Completion:
        """Return one fact with its probability and, if asked for, the reasons for and against it."""
        return self.score_facts([(head, relation, tail)], graph, explain=explain)[0]

    def score_facts(
        self, facts: Iterable[tuple[str, str, str]], graph: Graph | None = None, *, explain: bool = False
    ) -> list[Completion]:
        """Return facts with their probabilities, in the order given. One that the graph has is masked meanwhile."""
        return self._told(self._completer(graph).score_facts(list(facts), explain), graph, explain)

    def new_facts(
        self,
        count: int = 100,
        graph: Graph | None = None,
        *,
        relation: str | None = None,
        head: str | None = None,
        tail: str | None = None,
        min_probability: float = 0.0,
        explain: bool = False,
        progress: ProgressCallback | None = None,
    ) -> list[Completion]:
        """Return the most probable facts that the graph lacks, over all entities, relations and directions.

        Where a graph is too large to ask every query, the most plausible ones are asked, and a warning says how many.

        Args:
            count: Maximum number of facts.
            graph: The graph that is asked about; the training graph by default.
            relation: Only facts of this relation.
            head: Only facts with this head.
            tail: Only facts with this tail.
            min_probability: Minimum probability of a fact.
            explain: Also find the reasons.
            progress: Called as queries are done.
        """
        if count < 1:
            raise R5Error(f"the number of facts must be a whole number from 1 on, not {count}")
        completer = self._completer(graph)
        number = None if relation is None else completer.query_scorer.graph.relation_named(relation)
        ends = [None if name is None else completer.node(name) for name in (head, tail)]
        wanted = FactFilter(number, ends[0], ends[1], min_probability)
        found, searched = completer.new_facts(count, wanted, explain, _stages(progress))
        if searched.searched < searched.queries:
            text = (
                f"the graph is large: of {searched.queries:,} plausible queries (an entity, a relation and a "
                f"direction) the {searched.searched:,} most plausible ones were searched"
            )
            warnings.warn(text, UserWarning, stacklevel=2)
        return self._told(found, graph, explain)

    def audit(
        self,
        top: int = 20,
        graph: Graph | None = None,
        *,
        relation: str | None = None,
        explain: bool = False,
        progress: ProgressCallback | None = None,
    ) -> list[AuditFinding]:
        """Return the known facts that the rest of the graph supports least, against what is usual for their relation.

        Args:
            top: Maximum number of facts.
            graph: The graph that is audited; the training graph by default.
            relation: Only facts of this relation.
            explain: Also find the reasons.
            progress: Called as facts are judged.
        """
        if top < 1:
            raise R5Error(f"top must be a whole number from 1 on, not {top}")
        return self._completer(graph).audit(top, relation, explain, _stages(progress))

    def duplicate_relations(self, graph: Graph | None = None) -> list[Duplicate]:
        """Return pairs of relations that hold between the same entities, the surest first."""
        steps = self._on(graph).graph
        return duplicate_relations(steps.facts, steps.relations, steps.number_of_nodes)

    def _completer(self, graph: Graph | None) -> Completer:
        """Return the completer on a graph, with caches for the last graph."""
        query_scorer = self._on(graph)
        kept = getattr(self, "_kept_completer", None)
        if kept is None or kept.query_scorer is not query_scorer:
            self._kept_completer = kept = Completer(FactScorer(query_scorer, usable_threads()))
        return kept

    def _told(self, found: list[Completion], graph: Graph | None, explain: bool) -> list[Completion]:
        """Return the completions, with the counts of their rules if reasons are wanted."""
        if not explain:
            return found
        if graph is not None and graph is not self.graph_:
            return with_figures(found, graph, {})
        if not hasattr(self, "_figures"):
            counted = self.__dict__.get("rules_", ())
            self._figures: dict[Key, Rule] = {rule.key: rule for rule in counted}
        return with_figures(found, self.graph_, self._figures)

    def rank_answers(
        self,
        examples: Examples,
        known: Iterable[Examples | Graph] = (),
        progress: ProgressCallback | None = None,
        cluster: Cluster | None = None,
        graph: Graph | None = None,
    ) -> RankCounts:
        """Return the ranks of the correct answers among all entities, for `r5.rank`.

        Queries about a relation that the model does not know have the last rank.

        Args:
            examples: Facts to rank, each as a tail query and as a head query.
            known: Further known facts, which are filtered out.
            progress: Called as queries are ranked.
            cluster: Workers that rank parts of the queries; the ranks do not depend on it.
            graph: The graph that queries are answered on; the training graph by default.

        """
        self._check_fitted()
        others = list(known)
        steps, query_scorer = self._with_entities(examples.pool, graph)
        asked = _named_facts(examples, steps, answers_only=True)
        _check_queries(asked, steps, examples)
        facts = [steps.facts, asked, *(_named_facts(other, steps) for other in [examples, *others])]
        true = np.concatenate(facts)
        facts_known = KnownAnswers(distinct(true[true[:, 1] >= 0]), len(steps.relations))
        better, equal = np.full((len(asked), 2), steps.number_of_nodes - 1), np.zeros((len(asked), 2), np.int64)
        rows = np.flatnonzero(asked[:, 1] >= 0)
        counted = ProgressCounter(progress, 2 * rows.size)
        for part in rank_facts(query_scorer, asked[rows], facts_known, counted, cluster, usable_threads()):
            better[rows[part.rows], part.side], equal[rows[part.rows], part.side] = part.better, part.equal
        return RankCounts(better, equal)

    def _with_entities(self, pool: Graph, graph: Graph | None) -> tuple[StepGraph, QueryScorer]:
        """Return a graph, by default the training graph, with all entities of another one, and the scorer on it."""
        graph = self.graph_ if graph is None else graph
        nodes = graph.nodes
        new = () if pool is graph else tuple(name for name in dict.fromkeys(pool.entities) if name not in nodes)
        query_scorer = self._on(replace(graph, entities=(*graph.entities, *new)) if new else graph)
        return query_scorer.graph, query_scorer

    def predict_many(self, examples: Examples) -> list[Prediction]:
        """Return the relations between two entities: those of the graph first, then plausible new ones."""
        return self._related(examples, lambda queries, some: queries.predict(some))

    def predict_held_out(self, examples: Examples) -> list[Prediction]:
        """Return the most probable relation that the graph lacks, for evaluation: a known one is no answer."""
        return self._related(examples, lambda queries, some: queries.predict_new(some))

    def predict_as(self, example: Example, relation: str) -> Prediction:
        """Return the case for one relation between two entities: its probability and the best rule for it."""
        return RelationQueries(self._completer(example.graph).scorer).predict_as(example, relation)

    def predict_proba(self, examples: Examples) -> NDArray[np.float64]:
        """Return P(fact is true) of each known relation, [examples, known relations]; several may hold."""
        examples = self._queries(examples)
        columns = [self.vocabulary_.known.index(n) if n in self.vocabulary_ else -1 for n in examples.vocabulary.known]
        rows = self._related(examples, lambda queries, some: [*queries.probabilities(some)])
        found = np.array([np.append(row, 0.0)[columns] for row in rows])
        return found.reshape(len(examples), len(columns))

    def _related(self, examples: Examples, ask: Callable[[RelationQueries, list[Example]], list[T]]) -> list[T]:
        """Apply a function to the examples of each graph."""
        found: list[T] = []
        for graph, group in groupby(self._queries(examples), key=lambda example: example.graph):
            found += ask(RelationQueries(self._completer(graph).scorer), list(group))
        return found

    def without_rules(self, rules: Iterable[Rule]) -> Self:
        """Return a copy in which some rules have weight 0."""
        self._check_fitted()
        off = {rule.key for rule in rules}
        steps = self._answerer.graph
        copy = type(self)(**self.given)
        copy.summary_ = self.summary_
        copy._keep(self.graph_, steps, without_rules(self.model_, steps, off))
        return copy

    def score(self, examples: Sequence[Example], answers: Sequence[str] | None = None) -> float:
        """Return the accuracy; every relation that holds between the two entities is correct."""
        asked = self._queries(examples)
        asked = asked if answers is None else asked.with_answers(answers)
        graph = asked.pool
        true = FactIndex(np.concatenate([graph_facts(graph), query_facts(asked)]), graph.number_of_nodes)
        words = asked.vocabulary
        answered = (one.relation for one in self.predict_held_out(asked))
        relations = [(words.id(name),) if name is not None and name in words else () for name in answered]
        return float(np.mean(true.any_of(asked.sources, asked.targets, relations)))

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


def base_relations(vocabulary: Vocabulary) -> tuple[str, ...]:
    """Return the relations of a vocabulary without the inverses of others."""
    return tuple(
        name for name in vocabulary.known if not (name.endswith(INVERSE_SUFFIX) and inverse_name(name) in vocabulary)
    )


def _one_graph(examples: Examples | Graph, valid: Examples | None) -> tuple[Graph, Examples | None]:
    """Return the graph to learn from, the whole one or the part that the examples give, and `valid`."""
    if isinstance(examples, Graph):
        if valid is not None and not isinstance(valid, Examples):
            raise R5Error(f"expected Examples to validate with, not a {type(valid).__name__}")
        return examples, valid
    found, valid = Reasoner._training_examples(examples, valid)
    if not len(found):
        raise R5Error("none of the examples has an answer: there is nothing to learn from")
    if found.node_offsets.size != 2:
        raise R5Error(
            f"the engine chains learns from one knowledge graph, not from {found.node_offsets.size - 1:,} graphs; "
            "use the engine r5 or grammar"
        )
    return training_graph(found), valid


def _unseen(valid: Examples | None, steps: StepGraph) -> NDArray[np.int64] | None:
    """Return the facts of a split that the graph lacks; None if there are none."""
    if valid is None:
        return None
    asked = _named_facts(valid, steps, answers_only=True)
    asked = distinct(asked[(asked >= 0).all(axis=1)])
    size = np.array([1, steps.number_of_nodes, steps.number_of_nodes * len(steps.relations)])
    new = asked[~np.isin(asked @ size, steps.facts @ size)]
    return new if len(new) else None


def _named_facts(source: Examples | Graph, steps: StepGraph, answers_only: bool = False) -> NDArray[np.int64]:
    """Return facts by numbers of entities and relations, without facts that have an unknown name, [facts, 3]."""
    graph = source if isinstance(source, Graph) else source.pool
    vocabulary = Vocabulary(steps.relations)
    parts: list[NDArray[np.int64]] = []
    if not answers_only:
        parts.append(base_facts(graph, vocabulary))
    if isinstance(source, Examples):
        number = np.array([*graph.vocabulary.ids_in(vocabulary), -1], dtype=np.int64)
        rows = np.stack([source.sources, number[source.answers], source.targets], axis=1)
        parts.append(rows.astype(np.int64))
    facts = np.concatenate(parts)
    if graph.entities != steps.entities:
        places = {name: node for node, name in enumerate(steps.entities)}
        node = np.array([places.get(name, -1) for name in graph.entities] or [-1], dtype=np.int64)
        facts = np.stack([node[facts[:, 0]], facts[:, 1], node[facts[:, 2]]], axis=1)
    return facts if answers_only else facts[(facts >= 0).all(axis=1)]


def _check_queries(asked: NDArray[np.int64], steps: StepGraph, examples: Examples) -> None:
    """Warn of facts that bias the ranks: known facts, and facts with an unknown entity or relation.

    Raises:
        R5Error: No fact has a known relation, or none has a known entity.
    """
    if not len(asked):
        return
    unknown = asked[:, 1] < 0
    if unknown.any():
        found = examples.vocabulary.names(np.unique(examples.answers[unknown]))
        names = ", ".join(map(repr, found[:5])) + (f" and {len(found) - 5} more" if len(found) > 5 else "")
        if unknown.all():
            raise R5Error(f"the model has no rules for any relation of the facts: {names}")
        text = f"{unknown.sum():,} of the facts have a relation that the model does not know, {names}: ranked last"
        warnings.warn(text, UserWarning, stacklevel=4)
    together = np.concatenate([steps.facts, distinct(asked[~unknown])])
    inside = len(together) - len(distinct(together))
    used = np.zeros(steps.number_of_nodes, dtype=bool)
    used[steps.facts[:, [0, 2]]] = True
    unseen = ~used[asked[:, [0, 2]]]
    if unseen.all():
        raise R5Error(
            "none of the entities of the facts is in the graph; give the graph that they are in (graph=..., or --graph)"
        )
    if inside:
        warnings.warn(f"{inside:,} of the facts asked for are in the graph", UserWarning, stacklevel=4)
    if unseen.any():
        text = f"{unseen.any(axis=1).sum():,} of the facts asked for have an entity that the graph says nothing about"
        warnings.warn(text, UserWarning, stacklevel=4)


def _stages(progress: ProgressCallback | None) -> Callable[[str, int, int], None] | None:
    """Return a callback for stages of work."""
    return None if progress is None else lambda stage, done, total: progress(Progress(done, total, "", stage=stage))
