"""R5Reasoner: the system of the paper as an estimator."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from r5._util.runtime.budget import Budget
from r5._util.signatures import takes_settings
from r5.agent.beyond.voting import count_votes
from r5.agent.inference.solver import Solver
from r5.agent.presets import VARYING, Preset, decide, settings_of
from r5.agent.settings import R5Settings
from r5.agent.training.checkpoint import Snapshot
from r5.agent.training.fitting import Observer, fit
from r5.derivations.derivation import Prediction
from r5.errors import R5Error
from r5.examples import Example, Examples
from r5.parallel.cluster import Cluster
from r5.paths.search import PathSet
from r5.paths.selection import select_paths
from r5.reasoners.base import ProgressCallback, Reasoner, path_reporter
from r5.reasoners.r5_predictions import QueryPaths, make_prediction
from r5.reasoners.r5_storage import checked_arrays
from r5.reasoners.r5_training import (
    choose_answer_paths,
    make_validator,
    report_epochs,
    training_queries,
    translate_paths,
)
from r5.reasoners.unseen_relations import explain_unseen
from r5.relations import Vocabulary
from r5.rules.rule import Rule
from r5.storage.folder import StoredModel, settings_error, write_model

__all__ = ["R5Reasoner"]

_CHOSEN = {
    "last": "the last epoch",
    "fit": "the epoch and restart with the best training fit",
    "answers": "the epoch and restart with the most right answers to training queries",
}
"""Choice of the model by the setting `keep_epoch`; test data has no part in it."""


@dataclass(frozen=True)
class Parameters(R5Settings):
    """Parameters of `R5Reasoner`."""

    preset: Preset = "auto"
    """Source of the settings that are not given: paper, tuned or auto."""


class R5Reasoner(Reasoner):
    """Reasoner that learns rules by search over a dynamic rule memory: pairs of relations to merge, and their heads.

    `preset` is `paper` (the settings of the paper), `tuned` (with all extensions), or `auto`: tuned, with the settings
    that depend on the data decided from the training examples and listed in `summary_`. Settings of `R5Settings` that
    are given by name stay as they are; None stands for one that is not given.

    >>> from r5.data.generators.world.dataset import generate_world
    >>> data = generate_world(train=100, test=20)
    >>> model = R5Reasoner(seed=0, epochs=2, network=False).fit(data.train)
    >>> model.score(data.test) > 0.5
    True
    >>> model.summary_["decided"]["end_right"]
    0.35
    """

    engine: ClassVar[str] = "r5"
    has_checkpoints: ClassVar[bool] = True
    runs_on_clusters: ClassVar[bool] = True
    skips_unseen: ClassVar[bool] = True
    settings: R5Settings
    """Settings of the preset and the given ones, before any decision from training data."""
    settings_: R5Settings
    """Settings of the trained model."""
    learned_: Snapshot

    @takes_settings(Parameters, varying=VARYING)
    def __init__(self, given: dict[str, Any]) -> None:
        self.given = {"seed": 0, "preset": "auto", **given}
        self.settings = settings_of(self.preset, self._named)

    @property
    def preset(self) -> str:
        """Name of the preset."""
        return str(self.given["preset"])

    @property
    def _named(self) -> dict[str, Any]:
        """Given settings, which no decision changes."""
        return {name: value for name, value in self.given.items() if name != "preset"}

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the preset and all settings by name, before any decision from training data."""
        return {"preset": self.preset, **super().get_params(deep)}

    def fit(
        self,
        examples: Examples,
        valid: Examples | None = None,
        progress: ProgressCallback | None = None,
        budget: Budget | None = None,
        checkpoint: str | Path | None = None,
        resume: bool = False,
        watch: Callable[[R5Reasoner, dict[str, Any]], None] | None = None,
        cluster: Cluster | None = None,
    ) -> Self:
        """Learn from examples. Training data alone chooses the model.

        Args:
            examples: Training examples.
            valid: Validation examples, for reports only.
            progress: Callback for progress.
            budget: Time limit.
            checkpoint: Folder for the state, which is written after each epoch.
            resume: Continue from the checkpoint, with the same result as without the interruption.
            watch: Called after each epoch with the reasoner so far and the figures of the epoch, for learning curves.
            cluster: Workers that train restarts in parallel; the result does not depend on it.

        """
        start = time.perf_counter()
        examples, valid = self._training_examples(examples, valid)
        found = select_paths(
            examples, self.settings.training_paths, self.settings, nodes=False, tick=path_reporter(progress, budget)
        )
        vocabulary = found.vocabulary.with_invented(self.settings.invented)
        queries = training_queries(found, examples)
        settings, decisions = decide(self.preset, self._named, queries)
        if settings.distinct:
            queries = list(dict.fromkeys(queries))
        observer = Observer(
            report_epochs(progress, settings, len(queries)),
            make_validator(valid, vocabulary, settings),
            None if watch is None else lambda now, row: watch(self._at_snapshot(vocabulary, now, settings), dict(row)),
        )
        where = None if checkpoint is None else Path(checkpoint)
        learned, record = fit(vocabulary, settings, queries, observer, where, resume, budget, cluster)
        settings, decisions = choose_answer_paths(learned, vocabulary, settings, decisions, examples)
        self._keep(vocabulary, learned, settings)
        self.summary_ = {
            "seconds": time.perf_counter() - start,
            "seed": settings.seed,
            "preset": self.preset,
            "given": sorted(self._named),
            "decided": {one.name: one.value for one in decisions},
            "reasons": [str(one) for one in decisions],
            "examples": len(examples),
            "queries": len(queries),
            "training_fit": record.best_fit,
            **({"training_answers": record.best_score} if settings.keep_epoch == "answers" else {}),
            "best_restart": record.best_restart,
            "best_epoch": record.best_epoch,
            "chosen": _CHOSEN[settings.keep_epoch],
            "history": list(record.history),
            **({"cut_short": record.cut_short} if record.cut_short else {}),
        }
        return self

    def predict_many(self, examples: Examples) -> list[Prediction]:
        """Return the answers with their derivations; answers of other paths are among the alternatives."""
        queries, settings = self._queries(examples), self.settings_
        examples = queries.with_relations(self._seen)
        found = self._find(examples, nodes=True)
        answers = self._solver.answer(translate_paths(found, self.vocabulary_))
        predictions = [
            make_prediction(QueryPaths(examples, found, number), several, self.vocabulary_, settings)
            for number, several in enumerate(answers)
        ]
        return explain_unseen(predictions, queries, self._seen, self._find, settings.direct)

    def _find(self, examples: Examples, nodes: bool = False) -> PathSet:
        return select_paths(examples, self.settings_.policy, self.settings_, nodes)

    def predict_proba(self, examples: Examples) -> NDArray[np.float64]:
        """Return the share of votes of each known relation, [examples, known relations]; uniform without an answer.

        A path votes for the relation that it is merged into, with the score of that answer. With one path, one
        relation has all votes.
        """
        examples = self._queries(examples).with_relations(self._seen)
        found = self._find(examples)
        answers = self._solver.answer(translate_paths(found, self.vocabulary_))
        known = len(self.vocabulary_.known)
        shares = np.zeros((len(examples), known))
        for number, several in enumerate(answers):
            for relation, score in count_votes(several).items():
                shares[number, relation] = score
        total = shares.sum(axis=1, keepdims=True)
        shares[total[:, 0] == 0] = 1 / max(known, 1)
        shares /= shares.sum(axis=1, keepdims=True)
        return shares

    def predict_as(self, example: Example, relation: str) -> Prediction:
        """Return the prediction of a given answer, with search for merges that reach it, see `Reasoner.predict_as`."""
        if relation not in self.vocabulary_.known:
            return super().predict_as(example, relation)
        queries, wanted = self._queries([example]).with_relations(self._seen), self.vocabulary_.id(relation)
        found = self._find(queries, nodes=True)
        reached = self._solver.answer_as(translate_paths(found, self.vocabulary_)[0], wanted)
        if not any(answer.relation == wanted for answer in reached):
            return Prediction(None, reason=f"nothing speaks for {relation}")
        answers = [one if one.relation == wanted else replace(one, relation=None) for one in reached]
        return make_prediction(QueryPaths(queries, found, 0), answers, self.vocabulary_, self.settings_)

    def without_rules(self, rules: Iterable[Rule]) -> Self:
        """Return a copy without some rules in its memory; scores and network stay as learned."""
        self._check_fitted()
        copy = type(self)(**self.given)
        bodies = {(self.vocabulary_.id(r.body[0]), self.vocabulary_.id(r.body[1])) for r in rules if len(r.body) == 2}
        copy._keep(self.vocabulary_, self.learned_.without(bodies), self.settings_)
        copy.summary_ = self.summary_
        return copy

    def save(self, path: str | Path, force: bool = False) -> None:
        """Write the model to a folder that `r5.load_model` reads; the loaded model predicts the same."""
        self._check_fitted()
        settings = {"preset": self.preset, **asdict(self.settings_)}
        arrays = self.learned_.arrays
        stored = StoredModel(self.engine, settings, self.vocabulary_, self.rules_, arrays, self.summary_)
        write_model(path, stored, force)

    @classmethod
    def from_stored(cls, stored: StoredModel) -> Self:
        """Return the reasoner of a stored model, or raise a `ModelError` if its parts do not fit together."""
        wanted = dict(stored.settings)
        preset = wanted.pop("preset", "auto")
        try:
            named = {name: wanted[name] for name in stored.summary.get("given", wanted) if name in wanted}
            model = cls(preset=preset, **named)
            settings = settings_of("paper", wanted)
        except (R5Error, TypeError) as error:
            raise settings_error(error) from None
        model.summary_ = dict(stored.summary)
        model._keep(stored.vocabulary, Snapshot(checked_arrays(stored, settings)), settings)
        return model

    def _keep(self, vocabulary: Vocabulary, learned: Snapshot, settings: R5Settings) -> None:
        self.settings_ = settings
        self.vocabulary_ = vocabulary
        self.learned_ = learned
        memory = learned.memory(vocabulary, settings)
        self.rules_ = memory.rules()
        self._solver = Solver(memory, learned.evaluator(), settings)

    def _at_snapshot(self, vocabulary: Vocabulary, learned: Snapshot, settings: R5Settings) -> R5Reasoner:
        """Return a reasoner with the given settings and a snapshot of learning."""
        other = R5Reasoner(**self.given)
        other._keep(vocabulary, learned, settings)
        return other
