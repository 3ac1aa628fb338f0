"""GrammarReasoner: a probabilistic context-free grammar over relation paths, with a label-noise model."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from r5._util.runtime.budget import Budget
from r5._util.runtime.memory import check_memory
from r5._util.runtime.progress import ProgressCounter
from r5._util.settings import build_settings
from r5._util.signatures import takes_settings
from r5._util.text import abbreviate
from r5.composition.rules import composition_rules
from r5.composition.scorer import CompositionScorer
from r5.data.path_shards import PathShards
from r5.derivations.derivation import Prediction, Suspicion
from r5.errors import ClusterLostError, R5Error
from r5.examples import Example, Examples
from r5.grammar.calibration.tuning import Tuning, build_corpus, split_unrelated
from r5.grammar.counted_rules import counted_rules
from r5.grammar.inference.noise_estimate import estimate_wrong_edges
from r5.grammar.inference.scorer import GrammarScorer
from r5.grammar.model import FittedGrammar
from r5.grammar.rules import from_hard_rules, hard_rules, learned_rules
from r5.grammar.settings import GrammarSettings
from r5.grammar.storage import from_arrays, to_arrays
from r5.grammar.training.checkpoint import Checkpointer
from r5.grammar.training.trainer import learn, number_of_steps, update_grammar
from r5.parallel.cluster import Cluster
from r5.parallel.local_cluster import LocalCluster
from r5.paths.search import PathSet
from r5.paths.selection import select_paths
from r5.paths.settings import Policy
from r5.reasoners.base import ProgressCallback, Reasoner, path_reporter
from r5.reasoners.evidence.choice import Evidence, choose_evidence
from r5.reasoners.evidence.composition_training import MOST_RELATIONS, composition_settings, path_by_path, table_of
from r5.reasoners.grammar_shards import learn_from_shards
from r5.reasoners.unseen_relations import explain_unseen
from r5.relations import DUMMY, Vocabulary
from r5.rules.rule import Rule
from r5.rules.ruleset import RuleSet
from r5.storage.folder import ModelError, StoredModel

__all__ = ["GrammarReasoner"]

_TRIAL_SHARE = 0.3
"""Maximum share of the time for the choice of the kind of evidence."""
_BYTES_PER_PATH, _BYTES_PER_EDGE = 400, 60
"""Memory of a training path and of each of its edges, in tuples and batches."""
_ESTIMATION_QUERIES = 1000
"""Maximum number of queries for the estimate of wrong edges."""
_TRAINING_SHARE = 0.9
"""Share of the time after path search for training; the rest is for the choice of the answer paths."""


class GrammarReasoner(Reasoner):
    """Reasoner that learns how relations compose and how edges are mislabelled.

    Its answers have probabilities and derivations. The settings are those of `GrammarSettings`, also shown by
    `r5 train --help-settings grammar`.

    >>> from r5.data.generators.world.dataset import generate_world
    >>> data = generate_world(train=200, test=20)
    >>> model = GrammarReasoner(seed=0, restarts=(0.5,)).fit(data.train)
    >>> model.score(data.test) > 0.9
    True
    """

    engine: ClassVar[str] = "grammar"
    has_checkpoints: ClassVar[bool] = True
    runs_on_clusters: ClassVar[bool] = True
    skips_unseen: ClassVar[bool] = True
    settings: GrammarSettings

    @takes_settings(GrammarSettings)
    def __init__(self, given: dict[str, Any]) -> None:
        self.given = given
        self.settings = build_settings(GrammarSettings, "the engine grammar", given)

    names_: tuple[str, ...]
    """Relations of the grammar, in the order of its ids."""
    learned_: FittedGrammar
    """The learned grammar."""
    policy_: Policy
    """Paths that answers are based on."""
    _composition: CompositionScorer | None
    """Composition table, if every path of a query must allow the answer."""

    def fit(
        self,
        examples: Examples | PathShards,
        valid: Examples | None = None,
        progress: ProgressCallback | None = None,
        budget: Budget | None = None,
        checkpoint: str | Path | None = None,
        resume: bool = False,
        cluster: Cluster | None = None,
    ) -> Self:
        """Learn from examples.

        Args:
            examples: Training examples, or files of paths.
            valid: Not used; the training likelihood chooses among models.
            progress: Callback for progress.
            budget: Time limit.
            checkpoint: Folder for the state, which is written every few seconds, on interruption and at the time limit.
            resume: Continue from the checkpoint, with the same result as without the interruption.
            cluster: Workers that hold the training queries and do the E-step; the result does not depend on it.

        Raises:
            R5Error: No example has a path and an answer.

        """
        start = time.perf_counter()
        settings = self.settings
        budget = budget or Budget()
        if isinstance(examples, PathShards):
            return self._fit_shards(examples, progress, budget, Checkpointer(_to_path(checkpoint), resume), cluster)
        examples, unrelated = split_unrelated(self._training_examples(examples, valid)[0], settings)
        found = select_paths(examples, settings.training_paths, settings, tick=path_reporter(progress, budget))
        if not len(found.sequences):
            raise R5Error(
                f"none of the {len(examples)} training examples has a path between its two entities and an answer: "
                "there is nothing to learn from"
            )
        vocabulary = found.vocabulary.with_known(settings.unrelated) if len(unrelated) else found.vocabulary
        names = _names_in_use(found, examples, vocabulary)
        _check_path_memory(found)
        corpus = build_corpus(found, examples, names)
        checkpointer = Checkpointer(_to_path(checkpoint), resume)
        trial = budget.fraction(_TRIAL_SHARE)
        evidence, tried = _read_choice(
            checkpointer.remember("evidence", lambda: choose_evidence(corpus, settings, trial, progress))
        )
        if len(unrelated) and evidence == "every":
            evidence = "one"  # a composition table has no likelihood of a path
        if evidence == "every":
            corpus, settings = path_by_path(corpus), composition_settings(settings)
        steps = number_of_steps(settings, corpus)
        try:
            learned = learn(
                corpus,
                settings,
                ProgressCounter(progress, steps),
                budget.fraction(_TRAINING_SHARE),
                checkpointer,
                cluster,
            )
            self._keep(vocabulary, names, learned, evidence)
            self.policy_, held_out = "shortest", None
            if evidence == "one":
                tuning = Tuning(learned, names, self._hidden, settings, budget, progress)
                self.policy_ = tuning.select_policy(examples)
                learned, held_out = tuning.calibrate(examples, unrelated, self.policy_, found)
                self._keep(vocabulary, names, learned, evidence)
        except (KeyboardInterrupt, ClusterLostError):
            checkpointer.write()
            raise
        if learned.cut_short:
            checkpointer.write()
        counted = examples.node_offsets.size == 2 and bool((examples.masked_facts >= 0).all())
        if counted:  # each example is a fact of one graph
            self.rules_ = counted_rules(self.rules_, examples.pool)
        self.summary_ = {
            "seconds": time.perf_counter() - start,
            "seed": settings.seed,
            "examples": len(examples),
            "distinct_questions": len(corpus.examples),
            "log_likelihood": learned.counts.log_likelihood,
            "policy": self.policy_,
            "temperature": learned.temperature,
            **({"unrelated": len(unrelated)} if len(unrelated) else {}),
            "evidence": evidence,
            **({"counted": True} if counted else {}),
            **({"held_out": held_out.to_json()} if held_out is not None and held_out.labels.size else {}),
            **({"evidence_tried": tried} if tried else {}),
            "history": [
                {"step": step, "longest": longest, "log_likelihood": likelihood}
                for step, (longest, likelihood) in enumerate(learned.curve, start=1)
            ],
            **({"cut_short": learned.cut_short} if learned.cut_short else {}),
        }
        return self

    def _fit_shards(
        self,
        shards: PathShards,
        progress: ProgressCallback | None,
        budget: Budget,
        checkpointer: Checkpointer,
        cluster: Cluster | None,
    ) -> Self:
        """Learn from files of paths, see `fit`."""
        start = time.perf_counter()
        with LocalCluster(self.settings.threads or budget.threads) as here:
            try:
                words, learned, figures = learn_from_shards(
                    shards, self.settings, progress, budget, checkpointer, cluster or here
                )
            except (KeyboardInterrupt, ClusterLostError):
                checkpointer.write()
                raise
        self._keep(words, words.known, learned)
        self.policy_ = "shortest"
        self.summary_ = {
            "seconds": time.perf_counter() - start,
            "seed": self.settings.seed,
            **figures,
            "log_likelihood": learned.counts.log_likelihood,
            "policy": self.policy_,
            "temperature": learned.temperature,
            "evidence": "one",
        }
        if learned.cut_short:
            checkpointer.write()
            self.summary_["cut_short"] = learned.cut_short
        return self

    def partial_fit(self, examples: Examples, progress: ProgressCallback | None = None) -> Self:
        """Continue to learn from new examples; the counts of earlier examples stay."""
        if not hasattr(self, "vocabulary_"):
            return self.fit(examples, progress=progress)
        examples, _ = self._training_examples(examples, None)
        found = select_paths(examples, self.settings.training_paths, self.settings)
        if not len(found.sequences):
            return self
        new = [name for name in _names_in_use(found, examples, found.vocabulary) if name not in self.names_]
        names = (*self.names_, *new)
        corpus = build_corpus(found, examples, names)
        settings = self.settings
        if self._composition is not None:
            corpus, settings = path_by_path(corpus), composition_settings(settings)
        learned = update_grammar(self.learned_, corpus, settings)
        evidence: Evidence = "one" if self._composition is None else "every"
        self._keep(self.vocabulary_.with_known(*found.vocabulary.known), names, learned, evidence)
        before = {name: value for name, value in self.summary_.items() if name != "counted"}
        self.summary_ = {**before, "examples": self.summary_["examples"] + len(examples)}
        return self

    @classmethod
    def from_rules(
        cls, rules: RuleSet, vocabulary: Vocabulary | None = None, settings: GrammarSettings | None = None
    ) -> Self:
        """Return a reasoner with given rules.

        Args:
            rules: Rules; those with a body of two relations are used, with their support as counts.
            vocabulary: Known relations, by default those of the rules.
            settings: Hyperparameters.

        Raises:
            R5Error: The rules have relations that the vocabulary lacks.

        """
        model = cls(**asdict(settings or GrammarSettings()))
        pairs = rules.with_body_of(2)
        mentioned = {name for rule in pairs for name in (rule.head, *rule.body)}
        invented = pairs.invented
        known = vocabulary or Vocabulary.of(mentioned - invented)
        words = Vocabulary(known.known, tuple(sorted(invented - set(known.known))))
        if unknown := sorted(mentioned - set(words)):
            raise R5Error(f"the rules speak of relations that the vocabulary lacks: {', '.join(unknown)}")
        model._keep(words, tuple(words), from_hard_rules(pairs, tuple(words), model.settings))
        model.policy_ = model.settings.policy
        model.summary_ = {"seconds": 0.0, "seed": model.settings.seed, "examples": 0, "policy": model.policy_}
        return model

    def _keep(
        self, vocabulary: Vocabulary, names: tuple[str, ...], learned: FittedGrammar, evidence: Evidence = "one"
    ) -> None:
        self.vocabulary_ = vocabulary
        self.names_ = names
        self.learned_ = learned
        self._composition = None
        if evidence == "one":
            self.rules_ = learned_rules(learned, names, set(vocabulary.invented), self.settings)
            return
        answers = tuple(name for name in vocabulary.known if name != DUMMY)
        self._composition = CompositionScorer(table_of(learned), names, answers, self.settings)
        self.rules_ = composition_rules(self._composition.table, names)

    def hard_rules(self) -> RuleSet:
        """Return the rules with one head per body, as in the rule memory of the paper."""
        self._check_fitted()
        return hard_rules(self.rules_)

    @property
    def _scorer(self) -> GrammarScorer | CompositionScorer:
        """Scorer for the kind of evidence."""
        return self._one_path(self.policy_) if self._composition is None else self._composition

    def _one_path(self, policy: Policy) -> GrammarScorer:
        return GrammarScorer(self.learned_, self.names_, self._hidden, self.settings, policy)

    @property
    def _hidden(self) -> frozenset[str]:
        """Relations that are never answers."""
        return frozenset((DUMMY, *self.vocabulary_.invented))

    def predict_proba(self, examples: Examples) -> NDArray[np.float64]:
        """Return the probability of each known relation, [examples, known relations of `vocabulary_`].

        Paths with a relation unseen in training are left out. A query without evidence gets the answer frequencies of
        the training data.
        """
        examples = self._queries(examples).with_relations(self._seen)
        if self._composition is None:
            posterior, none = self._one_path(self.policy_).shares(examples)
        else:
            posterior, none = self._composition.shares(examples), np.zeros(len(examples))
        silent = ~posterior.any(axis=1)
        common = self.learned_.counts.labels + 1e-6
        posterior[silent] = common / common.sum() * (1.0 - none[silent])[:, None]
        columns = {name: number for number, name in enumerate(self.vocabulary_.known)}
        probabilities = np.zeros((len(examples), len(columns)))
        kept = [(n, columns[name]) for n, name in enumerate(self.names_) if name in columns]
        probabilities[:, [column for _, column in kept]] = posterior[:, [n for n, _ in kept]]
        if self.learned_.unrelated is not None:
            probabilities[:, columns[self.settings.unrelated]] = none
        return probabilities

    def predict_many(self, examples: Examples) -> list[Prediction]:
        """Return the most probable answers with their Viterbi derivations, and up to three alternatives with theirs."""
        examples = self._queries(examples)
        return self._explain_unseen(self._scorer.predict_many(examples.with_relations(self._seen)), examples)

    def predict_plain(self, examples: Examples) -> list[Prediction]:
        """Return the answers of `predict_many` without derivations and alternatives, which is much faster."""
        examples = self._queries(examples)
        known = examples.with_relations(self._seen)
        if self._composition is not None:
            return self._explain_unseen(self._composition.predict_many(known, explain=False), examples)
        return self._explain_unseen(self._one_path(self.policy_).predict_plain(known), examples)

    def _explain_unseen(self, answers: list[Prediction], queries: Examples) -> list[Prediction]:
        """Return the answers; the reason of a missing one names the unseen relations."""
        no_relation = None if self.learned_.unrelated is None else self.settings.unrelated
        return explain_unseen(answers, queries, self._seen, self._find, self.settings.direct, no_relation)

    def _find(self, examples: Examples) -> PathSet:
        return select_paths(examples, self.policy_, self.settings, nodes=False)

    @property
    def _seen(self) -> frozenset[str]:
        """Relations on training paths and among the answers."""
        return frozenset(self.names_)

    def predict_as(self, example: Example, relation: str) -> Prediction:
        """Return the prediction of a given answer: its probability over all paths, and its Viterbi derivation."""
        if self._composition is not None or relation not in self.names_:
            return super().predict_as(example, relation)
        asked = self._queries([example])
        answer = self._one_path(self.policy_).predict_as(asked.with_relations(self._seen), relation)
        return self._explain_unseen([answer], asked)[0]

    def without_rules(self, rules: Iterable[Rule]) -> Self:
        """Return a copy in which some rules have weight 0."""
        if self._composition is not None:
            raise R5Error("rules of a composition table cannot be switched off")
        support = self.learned_.model.support
        place = {name: number for number, name in enumerate(self.names_)}
        size = len(place)
        numbers = [(place[r.body[0]], place[r.body[1]], place[r.head]) for r in rules if len(r.body) == 2]
        off = np.isin(support.keys, [(left * size + right) * size + head for left, right, head in numbers])
        model = replace(self.learned_.model, weight=np.where(off, 0.0, self.learned_.model.weight))
        counts = replace(self.learned_.counts, rules=np.where(off, 0.0, self.learned_.counts.rules))
        copy = type(self)(**self.given)
        copy._keep(self.vocabulary_, self.names_, replace(self.learned_, model=model, counts=counts))
        copy.policy_, copy.summary_ = self.policy_, self.summary_
        if "counted" in self.summary_:
            left = {rule.key for rule in copy.rules_}
            copy.rules_ = RuleSet.of(rule for rule in self.rules_ if rule.key in left)
        return copy

    def suspicious_edges(self, example: Example) -> list[Suspicion]:
        """Return the edges of the paths of an example, the most probably wrong first.

        Args:
            example: The example; its answer is used if it is known. Edges of unseen relations are left out.

        """
        examples = self._queries([example]).with_relations(self._seen)
        return self._scorer.suspicious_edges(examples[0])

    def estimate_wrong_edges(self, examples: Examples) -> float:
        """Estimate the share of wrong edges in queries unlike the training data, for the setting `wrong_edges`.

        Args:
            examples: Queries, of which up to 1,000 are used; their answers are not.

        Returns:
            The estimate; the share in training if the paths carry no evidence.

        """
        examples = self._queries(examples).with_relations(self._seen)
        if self._composition is not None:
            raise R5Error("a composition table has no label noise")
        some = examples.select(np.arange(min(len(examples), _ESTIMATION_QUERIES)))
        return estimate_wrong_edges(self._one_path(self.policy_), select_paths(some, self.policy_, self.settings))

    def save(self, path: str | Path, force: bool = False) -> None:
        """Write the model to a folder that `r5.load_model` reads; the loaded model predicts the same."""
        self._check_fitted()
        place = {name: number for number, name in enumerate(self.vocabulary_)}
        arrays = {**to_arrays(self.learned_), "names": np.array([place[name] for name in self.names_], dtype=np.int32)}
        self._write(path, arrays, force)

    @classmethod
    def from_stored(cls, stored: StoredModel) -> Self:
        """Return the reasoner of a stored model, or raise a `ModelError` if its parts do not fit together."""
        model = cls._with_settings(stored)
        ids = stored.array("names", (None,), "i").tolist()
        if len(set(ids)) != len(ids) or any(not 0 <= number < len(stored.vocabulary) for number in ids):
            raise ModelError("the model's relations are not those of its vocabulary")
        evidence = stored.summary.get("evidence", "one")
        if evidence not in ("one", "every") or (evidence == "every" and len(ids) > MOST_RELATIONS):
            raise ModelError(f"the model takes paths for evidence of an unknown kind, {abbreviate(evidence)}")
        model._keep(stored.vocabulary, stored.vocabulary.names(ids), from_arrays(stored, len(ids)), evidence)
        policy = stored.summary.get("policy")
        if policy not in ("shortest", "simple", "trail"):
            raise ModelError(f"the model answers over paths of an unknown kind, {abbreviate(policy)}")
        model.policy_ = policy
        if stored.summary.get("counted") is True:
            model.rules_ = stored.rules
        return model


def _to_path(checkpoint: str | Path | None) -> Path | None:
    return None if checkpoint is None else Path(checkpoint)


def _names_in_use(found: PathSet, examples: Examples, vocabulary: Vocabulary) -> tuple[str, ...]:
    """Return the relations on the paths and among the answers."""
    known = np.unique(np.concatenate([found.sequences.values, examples.answers])).tolist()
    return vocabulary.names(known)


def _read_choice(chosen: Any) -> tuple[Evidence, dict[str, float]]:
    """Return the kind of evidence and the figures of its choice, which may come from a checkpoint."""
    match chosen:
        case ("one" | "every") as kind, dict() as tried:
            return kind, tried
    raise ModelError(f"the checkpoint does not say which evidence paths are, but {abbreviate(chosen)}")


def _check_path_memory(found: PathSet) -> None:
    """Raise an error if the training paths do not fit in memory."""
    count = len(found.sequences)
    needed = _BYTES_PER_PATH * count + _BYTES_PER_EDGE * found.sequences.values.size
    check_memory(needed, f"learning from {count:,} paths", "set path_limit lower, or take fewer examples")
