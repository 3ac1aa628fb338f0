"""R5Reasoner: the paper's system behind the interface that both engines share."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from r5._util.budget import Budget
from r5._util.order import first_largest, largest_first
from r5.agent.checkpoint import Snapshot
from r5.agent.evaluator import PARAMETERS, shapes
from r5.agent.fitting import Observer, fit
from r5.agent.prediction import Answer, Solver
from r5.agent.settings import Settings
from r5.agent.training import EpochResult, Lesson
from r5.derivations.derivation import Derivation, Fact, Merge, Prediction
from r5.examples import Examples
from r5.paths.find import PathSet, Tick, find_paths
from r5.reasoners.base import Progress, ProgressCallback, Reasoner, path_ticker
from r5.relations import DUMMY, Vocabulary
from r5.storage.folder import ModelError, StoredModel

__all__ = ["R5Reasoner"]

_LARGEST = 1e15
_LARGEST_WEIGHT = 1e6
"""Scores and weights in a model folder beyond these are refused: sums of them would lose all meaning."""


class R5Reasoner(Reasoner):
    """Learns which pairs of relations to merge, and into what, by search over a dynamic rule memory.

    `family` chooses the hyperparameters of a data set family (graphlog, graphlog-few,
    graphlog-long, clutrr); all are those of `r5.agent.settings.Settings`, by name.

    >>> from r5.data.generators.world.dataset import generate_world
    >>> data = generate_world(train=100, test=20)
    >>> model = R5Reasoner(seed=0, epochs=2, network=False).fit(data.train)
    >>> model.score(data.test) > 0.5
    True
    """

    engine: ClassVar[str] = "r5"
    has_checkpoints: ClassVar[bool] = True
    settings: Settings
    learned_: Snapshot

    def __init__(self, seed: int = 0, family: str = "graphlog", **settings: Any) -> None:
        self.given = {"seed": seed, "family": family, **settings}
        self.settings = Settings.of(family, seed=seed, **settings)

    def fit(
        self,
        examples: Examples,
        valid: Examples | None = None,
        progress: ProgressCallback | None = None,
        budget: Budget | None = None,
        checkpoint: str | Path | None = None,
        resume: bool = False,
        watch: Callable[[R5Reasoner, dict[str, Any]], None] | None = None,
    ) -> Self:
        """Learn from examples. `valid` is only reported on: the model is chosen by its training fit.

        `watch` is called after each epoch with a reasoner that knows what had been learned by then,
        and how the epoch went; that is for learning curves and changes nothing.
        With a `checkpoint` folder the state is written there after each epoch; `resume` goes on
        from it, with the same result as if training had never been interrupted.
        """
        start = time.perf_counter()
        settings = self.settings
        examples, valid = self._to_learn_from(examples, valid)
        found = self._find(examples, settings.path_policy, tick=path_ticker(progress, budget))
        vocabulary = found.vocabulary.with_invented(settings.invented)
        lessons = _lessons(found, examples, settings.distinct)
        observer = Observer(
            _ticker(progress, settings, len(lessons)),
            self._validator(valid, vocabulary),
            None if watch is None else lambda now, entry: watch(self._as_of(vocabulary, now), dict(entry)),
        )
        where = None if checkpoint is None else Path(checkpoint)
        learned, standing = fit(vocabulary, settings, lessons, observer, where, resume, budget)
        self._keep(vocabulary, learned)
        self.summary_ = {
            "seconds": time.perf_counter() - start,
            "seed": settings.seed,
            "examples": len(examples),
            "lessons": len(lessons),
            "training_fit": standing.best_fit,
            "best_restart": standing.best_restart,
            "best_epoch": standing.best_epoch,
            "history": list(standing.history),
            **({"cut_short": standing.cut_short} if standing.cut_short else {}),
        }
        return self

    def predict_many(self, examples: Examples) -> list[Prediction]:
        """The answers with their derivations; what other paths say is among the alternatives."""
        examples = self._to_answer(examples)
        found = self._find(examples, self.settings.answer_policy, nodes=True)
        answers = self._solver.answer(_in_words_of(found, self.vocabulary_))
        return [self._prediction(examples, found, number, several) for number, several in enumerate(answers)]

    def predict_proba(self, examples: Examples) -> NDArray[np.float64]:
        """Each known relation's share of the votes, [examples, known relations]; uniform where there is no answer.

        A path votes for the relation it is merged into with the score of that answer, so an example
        with one path has one relation with all of the votes.
        """
        examples = self._to_answer(examples)
        found = self._find(examples, self.settings.answer_policy)
        answers = self._solver.answer(_in_words_of(found, self.vocabulary_))
        known = len(self.vocabulary_.known)
        shares = np.zeros((len(examples), known))
        for number, several in enumerate(answers):
            for relation, score in _votes(several).items():
                shares[number, relation] = score
        total = shares.sum(axis=1, keepdims=True)
        shares[total[:, 0] == 0] = 1 / max(known, 1)
        shares /= shares.sum(axis=1, keepdims=True)
        return shares

    def save(self, path: str | Path, force: bool = False) -> None:
        """Write the model to a folder that `r5.load_model` reads; it predicts just the same."""
        self._fitted()
        self._write(path, self.learned_.arrays, force)

    @classmethod
    def from_stored(cls, stored: StoredModel) -> Self:
        """The reasoner that was saved, or a `ModelError` where its parts do not fit together."""
        model = cls._with_settings(stored)
        model._keep(stored.vocabulary, Snapshot(_checked(stored, model.settings)))
        return model

    def _keep(self, vocabulary: Vocabulary, learned: Snapshot) -> None:
        self.vocabulary_ = vocabulary
        self.learned_ = learned
        memory = learned.memory(vocabulary, self.settings)
        self.rules_ = memory.rules()
        self._solver = Solver(memory, learned.evaluator(), self.settings)

    def _find(self, examples: Examples, policy: str, nodes: bool = False, tick: Tick | None = None) -> PathSet:
        settings = self.settings
        return find_paths(
            examples,
            policy,  # type: ignore[arg-type]
            max_length=settings.path_length,
            limit=settings.path_limit,
            direct=settings.direct,
            nodes=nodes,
            seed=settings.seed,
            tick=tick,
        )

    def _as_of(self, vocabulary: Vocabulary, learned: Snapshot) -> R5Reasoner:
        """A reasoner with these settings that has learned so much."""
        other = R5Reasoner(**asdict(self.settings))
        other._keep(vocabulary, learned)
        return other

    def _validator(self, valid: Examples | None, vocabulary: Vocabulary) -> Callable[[Snapshot], float] | None:
        """Measures a snapshot on validation data, if there is any."""
        if valid is None or not len(valid):
            return None
        found = self._find(valid, self.settings.answer_policy)
        queries = _in_words_of(found, vocabulary)
        wanted = np.array([*valid.vocabulary.ids_in(vocabulary), -1])[valid.answers].tolist()

        def validate(learned: Snapshot) -> float:
            solver = Solver(learned.memory(vocabulary, self.settings), learned.evaluator(), self.settings)
            votes = [_votes(several) for several in solver.answer(queries)]
            return float(np.mean([_winner(v) == answer for v, answer in zip(votes, wanted, strict=True)]))

        return validate

    def _prediction(self, examples: Examples, found: PathSet, number: int, answers: Sequence[Answer]) -> Prediction:
        votes = _votes(answers)
        span = range(int(found.starts[number]), int(found.starts[number + 1]))
        rows = [row for row in span if len(found.sequences[row]) > 1]
        if not votes:
            return self._cannot_say(examples, found, number, rows, answers)
        together = self.settings.combine == "together"
        best = _by_votes(votes)
        made = []
        for relation in best[:4]:
            which = first_largest([a.score if a.relation == relation else -1.0 for a in answers])
            row = rows[answers[which].path if together else which]
            made.append(self._derived(examples, found, number, row, answers[which]))
        return Prediction(made[0].relation, None, made[0].score, made[0].derivation, tuple(made[1:]))

    def _derived(self, examples: Examples, found: PathSet, number: int, row: int, answer: Answer) -> Prediction:
        """An answer with the steps that lead to it."""
        name = self.vocabulary_.name
        merges = [
            Merge(place, name(head), score)
            for place, head, score in zip(answer.positions, answer.heads, answer.rule_scores, strict=True)
        ]
        derivation = Derivation.replay(_facts(examples, found, number, row), merges)
        return Prediction(name(answer.heads[-1]), None, answer.score, derivation)

    def _cannot_say(
        self, examples: Examples, found: PathSet, number: int, rows: Sequence[int], answers: Sequence[Answer]
    ) -> Prediction:
        if not rows:
            example = examples[number]
            return Prediction(None, reason=f"no path leads from {example.source} to {example.target}")
        missing = next((answer.missing for answer in answers if answer.missing is not None), None)
        if missing is None:
            return Prediction(None, reason="the path ends in an invented relation, whose meaning is not known")
        names = [self._shown(relation, found, rows) for relation in missing]
        return Prediction(None, reason=f"no rule has the body {names[0]}, {names[1]}")

    def _shown(self, relation: int, found: PathSet, rows: Sequence[int]) -> str:
        if 0 <= relation < len(self.vocabulary_):
            return self.vocabulary_.name(relation)
        if relation < 0:
            unseen = {name for row in rows for name in found.vocabulary.names(found.sequences[row])}
            return " or ".join(sorted(unseen - set(self.vocabulary_.known))) + " (never seen in training)"
        return "a relation that is not known"


def _lessons(found: PathSet, examples: Examples, distinct: bool) -> list[Lesson]:
    """The paths and the answer of each example that has paths of two relations or more."""
    lessons = [
        Lesson(tuple(path for path in found[number] if len(path) > 1), answer)
        for number, answer in enumerate(examples.answers.tolist())
    ]
    lessons = [lesson for lesson in lessons if lesson.paths]
    return list(dict.fromkeys(lessons)) if distinct else lessons


def _in_words_of(found: PathSet, vocabulary: Vocabulary) -> list[list[tuple[int, ...]]]:
    """The paths with the relation ids that were learned with; -1 for relations not seen then."""
    ids = np.array([*found.vocabulary.ids_in(vocabulary), -1])
    ids[ids >= len(vocabulary.known)] = -1
    return [[tuple(ids[list(path)].tolist()) for path in found[i] if len(path) > 1] for i in range(len(found))]


def _votes(answers: Sequence[Answer]) -> dict[int, float]:
    """The sum of the scores of the answers that name a relation, for each relation named."""
    votes: defaultdict[int, float] = defaultdict(float)
    for answer in answers:
        if answer.relation is not None:
            votes[answer.relation] += answer.score
    return dict(votes)


def _winner(votes: dict[int, float]) -> int | None:
    """The relation with the most votes, of equals the smaller name."""
    return _by_votes(votes)[0] if votes else None


def _by_votes(votes: dict[int, float]) -> list[int]:
    return largest_first(votes, votes.__getitem__, key=int)


def _facts(examples: Examples, found: PathSet, number: int, row: int) -> list[Fact]:
    """A path by names; the dummy relation leads from the last entity to itself."""
    nodes = found.nodes[row].tolist() if found.nodes is not None else []
    offset = int(examples.node_offsets[examples.graph_of[number]])
    entities = [examples.pool.entities[offset + node] for node in nodes]
    relations = found.vocabulary.names(found.sequences[row])
    if relations[-1] == DUMMY:
        entities += [entities[-1]] * (len(relations) + 1 - len(entities))
    return [Fact(*fact) for fact in zip(entities, relations, entities[1:], strict=False)]


def _ticker(
    progress: ProgressCallback | None, settings: Settings, lessons: int
) -> Callable[[int, EpochResult | None, float | None], None] | None:
    """Counts episodes for the progress callback, and says how the last epoch went."""
    if progress is None:
        return None
    total = settings.restarts * settings.epochs * lessons
    done = 0

    def tick(count: int, epoch: EpochResult | None, accuracy: float | None) -> None:
        nonlocal done
        done += count
        progress(Progress(min(done, total), total, _message(epoch, accuracy, settings)))

    return tick


def _message(epoch: EpochResult | None, accuracy: float | None, settings: Settings) -> str:
    if epoch is None:
        return "first epoch"
    parts = [
        f"epoch {epoch.epoch}/{settings.epochs}",
        f"loss {epoch.loss:.3f}",
        f"{epoch.rules} rules",
        f"{epoch.invented_in_use} invented in use",
        f"training fit {epoch.fit:.3f}",
    ]
    return ", ".join(parts if accuracy is None else [*parts, f"validation accuracy {accuracy:.3f}"])


def _checked(stored: StoredModel, settings: Settings) -> dict[str, NDArray[Any]]:
    """The arrays of a model folder, each with the shape and range it must have."""
    size = len(stored.vocabulary)
    arrays = {"rules.bodies": stored.array("rules.bodies", (None, 2), "i")}
    count = arrays["rules.bodies"].shape[0]
    for name, kind in (("heads", "i"), ("scores", "f"), ("support", "i")):
        arrays[f"rules.{name}"] = stored.array(f"rules.{name}", (count,), kind, -_LARGEST, _LARGEST)
    for name in ("bodies", "heads"):
        ids = arrays[f"rules.{name}"]
        if ids.size and not 0 <= ids.min() <= ids.max() < size:
            raise ModelError("the model's rules name relations that are not in its vocabulary")
    if len({tuple(body) for body in arrays["rules.bodies"].tolist()}) != count:
        raise ModelError("the model has two rules with one body")
    arrays["observed"] = stored.array("observed", (size,), least=0.0, most=_LARGEST)
    if settings.network:
        wanted = shapes(len(stored.vocabulary.known) + 2, settings.embedding, settings.hidden)
        for name in (f"network.{parameter}" for parameter in PARAMETERS):
            shape = wanted[name.removeprefix("network.")]
            arrays[name] = stored.array(name, shape, least=-_LARGEST_WEIGHT, most=_LARGEST_WEIGHT)
    return arrays
