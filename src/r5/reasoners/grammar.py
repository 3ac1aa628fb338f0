"""GrammarReasoner: a probabilistic context-free grammar over relation paths, with a label-noise model."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from r5._util.runtime.budget import Budget
from r5._util.runtime.memory import check_memory
from r5._util.runtime.progress import ProgressCounter
from r5._util.settings import build_settings
from r5._util.signatures import takes_settings
from r5._util.text import abbreviate
from r5.data.path_shards import PathShards
from r5.errors import ClusterLostError, R5Error
from r5.examples import Examples
from r5.grammar.calibration.tuning import Tuning, build_corpus, split_unrelated
from r5.grammar.rules import counted_rules, from_hard_rules, hard_rules
from r5.grammar.settings import GrammarSettings
from r5.grammar.storage import from_arrays, to_arrays
from r5.grammar.training.checkpoint import Checkpointer
from r5.grammar.training.trainer import learn, number_of_steps, update_grammar
from r5.parallel.cluster import Cluster
from r5.parallel.local_cluster import LocalCluster
from r5.paths.search import PathSet
from r5.paths.selection import select_paths
from r5.reasoners.base import ProgressCallback, path_reporter
from r5.reasoners.evidence.choice import Evidence, choose_evidence
from r5.reasoners.evidence.composition_training import MOST_RELATIONS, composition_settings, path_by_path
from r5.reasoners.grammar_queries.prediction import GrammarPrediction
from r5.reasoners.grammar_shards import learn_from_shards
from r5.relations import Vocabulary
from r5.rules.rule import Rule
from r5.rules.ruleset import RuleSet
from r5.storage.folder import ModelError, StoredModel

__all__ = ["GrammarReasoner"]

_TRIAL_SHARE = 0.3
"""Maximum share of the time for the choice of the kind of evidence."""
_BYTES_PER_PATH, _BYTES_PER_EDGE = 400, 60
"""Memory of a training path and of each of its edges, in tuples and batches."""
_TRAINING_SHARE = 0.9
"""Share of the time after path search for training; the rest is for the choice of the answer paths."""


class GrammarReasoner(GrammarPrediction):
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
            return self._fit_shards(examples, progress, budget, Checkpointer(checkpoint, resume), cluster)
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
        checkpointer = Checkpointer(checkpoint, resume)
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
            "distinct_examples": corpus.distinct_examples,
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

    def hard_rules(self) -> RuleSet:
        """Return the rules with one head per body, as in the rule memory of the paper."""
        self._check_fitted()
        return hard_rules(self.rules_)

    def without_rules(self, rules: Iterable[Rule]) -> Self:
        """Return a copy in which some rules have weight 0."""
        if self._composition is not None:
            raise R5Error("rules of a composition table cannot be switched off")
        index = self.learned_.model.index
        place = {name: number for number, name in enumerate(self.names_)}
        size = len(place)
        numbers = [(place[r.body[0]], place[r.body[1]], place[r.head]) for r in rules if len(r.body) == 2]
        off = np.isin(index.keys, [(left * size + right) * size + head for left, right, head in numbers])
        model = replace(self.learned_.model, weight=np.where(off, 0.0, self.learned_.model.weight))
        counts = replace(self.learned_.counts, rules=np.where(off, 0.0, self.learned_.counts.rules))
        copy = type(self)(**self.given)
        copy._keep(self.vocabulary_, self.names_, replace(self.learned_, model=model, counts=counts))
        copy.policy_, copy.summary_ = self.policy_, self.summary_
        if "counted" in self.summary_:
            left = {rule.key for rule in copy.rules_}
            copy.rules_ = RuleSet.of(rule for rule in self.rules_ if rule.key in left)
        return copy

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
