"""R5Reasoner: the paper's system behind the interface that all engines share."""

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
from r5.agent.beyond.voting import votes
from r5.agent.checkpoint import Snapshot
from r5.agent.fitting import Observer, fit
from r5.agent.prediction import Solver
from r5.agent.presets import VARYING, Preset, decide, settings_of
from r5.agent.settings import R5Settings
from r5.derivations.derivation import Prediction
from r5.errors import R5Error
from r5.examples import Example, Examples
from r5.parallel.cluster import Cluster
from r5.paths.find import PathSet
from r5.paths.select import select_paths
from r5.reasoners.base import ProgressCallback, Reasoner, path_ticker
from r5.reasoners.r5_predictions import Question, prediction
from r5.reasoners.r5_stored import checked_arrays
from r5.reasoners.r5_training import in_words_of, teller, training_queries, validator, with_policy
from r5.reasoners.unseen import name_unseen
from r5.relations import Vocabulary
from r5.rules.rule import Rule
from r5.storage.folder import StoredModel, settings_error, write_model

__all__ = ["R5Reasoner"]

_CHOSEN = {
    "last": "the last epoch",
    "fit": "the epoch and restart with the best training fit",
    "answers": "the epoch and restart with the most right answers to training questions",
}
"""How a model is chosen, in words; test data never has a part in it."""


@dataclass(frozen=True)
class Parameters(R5Settings):
    """What an `R5Reasoner` is made with."""

    preset: Preset = "auto"
    """Where settings that are not given come from."""


class R5Reasoner(Reasoner):
    """Learns which pairs of relations to merge, and into what, by search over a dynamic rule memory.

    `preset` is `paper` (as the paper says), `tuned` (with all that goes beyond it), or `auto`: tuned, with what
    depends on the data decided from the training examples; what was decided is in `summary_`. Settings that are
    given, by the names of `R5Settings`, stay as they are; None stands for one that is not given.

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
    leaves_out_unseen: ClassVar[bool] = True
    settings: R5Settings
    """Those of the preset, with what was given, before training data is looked at."""
    settings_: R5Settings
    """Those that the model was trained with and answers with."""
    learned_: Snapshot

    @takes_settings(Parameters, varying=VARYING)
    def __init__(self, given: dict[str, Any]) -> None:
        self.given = {"seed": 0, "preset": "auto", **given}
        self.settings = settings_of(self.preset, self._named)

    @property
    def preset(self) -> str:
        """The preset that was asked for."""
        return str(self.given["preset"])

    @property
    def _named(self) -> dict[str, Any]:
        """The settings that were given, which no decision changes."""
        return {name: value for name, value in self.given.items() if name != "preset"}

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The preset, and all settings by name as they are before training data is looked at."""
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
        """Learn from examples. `valid` is only reported on: training data alone chooses the model.

        `watch` is called after each epoch with a reasoner that knows what had been learned by then,
        and how the epoch went; that is for learning curves and changes nothing.
        With a `checkpoint` folder the state is written there after each epoch; `resume` goes on
        from it, with the same result as if training had never been interrupted.
        The workers of a `cluster` train restarts side by side; what is learned is the same.
        """
        start = time.perf_counter()
        examples, valid = self._to_learn_from(examples, valid)
        found = select_paths(
            examples, self.settings.training_paths, self.settings, nodes=False, tick=path_ticker(progress, budget)
        )
        vocabulary = found.vocabulary.with_invented(self.settings.invented)
        queries = training_queries(found, examples)
        settings, decisions = decide(self.preset, self._named, queries)
        if settings.distinct:
            queries = list(dict.fromkeys(queries))
        observer = Observer(
            teller(progress, settings, len(queries)),
            validator(valid, vocabulary, settings),
            None if watch is None else lambda now, entry: watch(self._as_of(vocabulary, now, settings), dict(entry)),
        )
        where = None if checkpoint is None else Path(checkpoint)
        learned, record = fit(vocabulary, settings, queries, observer, where, resume, budget, cluster)
        settings, decisions = with_policy(learned, vocabulary, settings, decisions, examples)
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
            **({"training_answers": record.best_worth} if settings.keep_epoch == "answers" else {}),
            "best_restart": record.best_restart,
            "best_epoch": record.best_epoch,
            "chosen": _CHOSEN[settings.keep_epoch],
            "history": list(record.history),
            **({"cut_short": record.cut_short} if record.cut_short else {}),
        }
        return self

    def predict_many(self, examples: Examples) -> list[Prediction]:
        """The answers with their derivations; what other paths say is among the alternatives."""
        asked, settings = self._to_answer(examples), self.settings_
        examples = asked.with_relations(self._seen)
        found = self._find(examples, nodes=True)
        answers = self._solver.answer(in_words_of(found, self.vocabulary_))
        told = [
            prediction(Question(examples, found, number), several, self.vocabulary_, settings)
            for number, several in enumerate(answers)
        ]
        return name_unseen(told, asked, self._seen, self._find, settings.direct)

    def _find(self, examples: Examples, nodes: bool = False) -> PathSet:
        return select_paths(examples, self.settings_.policy, self.settings_, nodes)

    def predict_proba(self, examples: Examples) -> NDArray[np.float64]:
        """Each known relation's share of the votes, [examples, known relations]; uniform where there is no answer.

        A path votes for the relation it is merged into with the score of that answer, so an example
        with one path has one relation with all of the votes.
        """
        examples = self._to_answer(examples).with_relations(self._seen)
        found = self._find(examples)
        answers = self._solver.answer(in_words_of(found, self.vocabulary_))
        known = len(self.vocabulary_.known)
        shares = np.zeros((len(examples), known))
        for number, several in enumerate(answers):
            for relation, score in votes(several).items():
                shares[number, relation] = score
        total = shares.sum(axis=1, keepdims=True)
        shares[total[:, 0] == 0] = 1 / max(known, 1)
        shares /= shares.sum(axis=1, keepdims=True)
        return shares

    def predict_as(self, example: Example, relation: str) -> Prediction:
        """The best case for one answer: where the paths lead when search is told to reach it."""
        if relation not in self.vocabulary_.known:
            return super().predict_as(example, relation)
        asked, wanted = self._to_answer([example]).with_relations(self._seen), self.vocabulary_.id(relation)
        found = self._find(asked, nodes=True)
        reached = self._solver.argue(in_words_of(found, self.vocabulary_)[0], wanted)
        if not any(answer.relation == wanted for answer in reached):
            return Prediction(None, reason=f"nothing speaks for {relation}")
        answers = [one if one.relation == wanted else replace(one, relation=None) for one in reached]
        return prediction(Question(asked, found, 0), answers, self.vocabulary_, self.settings_)

    def without_rules(self, rules: Iterable[Rule]) -> Self:
        """A copy whose memory lacks these rules; scores and network are as they were learned."""
        self._fitted()
        copy = type(self)(**self.given)
        bodies = {(self.vocabulary_.id(r.body[0]), self.vocabulary_.id(r.body[1])) for r in rules if len(r.body) == 2}
        copy._keep(self.vocabulary_, self.learned_.without(bodies), self.settings_)
        copy.summary_ = self.summary_
        return copy

    def save(self, path: str | Path, force: bool = False) -> None:
        """Write the model to a folder that `r5.load_model` reads; it predicts just the same."""
        self._fitted()
        settings = {"preset": self.preset, **asdict(self.settings_)}
        arrays = self.learned_.arrays
        stored = StoredModel(self.engine, settings, self.vocabulary_, self.rules_, arrays, self.summary_)
        write_model(path, stored, force)

    @classmethod
    def from_stored(cls, stored: StoredModel) -> Self:
        """The reasoner that was saved, or a `ModelError` where its parts do not fit together."""
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

    def _as_of(self, vocabulary: Vocabulary, learned: Snapshot, settings: R5Settings) -> R5Reasoner:
        """A reasoner with these settings that has learned so much."""
        other = R5Reasoner(**self.given)
        other._keep(vocabulary, learned, settings)
        return other
