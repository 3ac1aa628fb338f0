"""RuleLearnerReasoner: CTP, GNTP, Neural-LP and RNNLogic behind the interface of the engines, to compare with."""

from __future__ import annotations

import time
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from r5._util.ordering import argmax, format_number
from r5._util.runtime.budget import Budget
from r5._util.runtime.progress import ProgressCounter
from r5._util.signatures import takes_settings
from r5.baselines.edge_questions import with_edge_questions
from r5.baselines.inputs import Codes
from r5.baselines.inverse_edges import with_inverse_edges
from r5.baselines.learner_settings import (
    VARYING_OF_LEARNERS,
    LearnerSettings,
    ProverSettings,
    RNNLogicSettings,
    RuleLearnerSettings,
    learner_settings,
    running_attempts,
)
from r5.derivations.derivation import Derivation, Merge, Prediction
from r5.derivations.facts import facts_of, why_no_path
from r5.errors import R5Error, need
from r5.examples import Example, Examples
from r5.paths.find import PathSet
from r5.paths.select import select_paths
from r5.reasoners.base import ProgressCallback, Reasoner, path_ticker
from r5.reasoners.neural import ranked, stored_codes
from r5.relations import DUMMY, Vocabulary
from r5.rules.rule import Rule
from r5.rules.ruleset import RuleSet
from r5.storage.folder import ModelError, StoredModel

if TYPE_CHECKING:
    from r5.baselines.inputs import Bags
    from r5.baselines.learner import Found, RuleLearner

__all__ = ["RuleLearnerReasoner"]


class RuleLearnerReasoner(Reasoner):
    """A published learner of rules; the `system` is one of ctp-l, ctp-a, ctp-m, gntp, neural-lp and rnnlogic.

    Settings are those of `r5.baselines.learner_settings`, by name. CTP and GNTP answer with a proof,
    the others name the rule that speaks most for the answer, and the path that it fits.

    >>> from r5.data.generators.world.dataset import generate_world
    >>> data = generate_world(train=60, test=20)
    >>> model = RuleLearnerReasoner("rnnlogic", seed=0, epochs=1, longest_rule=3).fit(data.train)
    >>> model.score(data.train) > 0.8
    True
    """

    settings: LearnerSettings
    codes_: Codes
    learner_: RuleLearner
    frequencies_: NDArray[np.float64]
    """How often each answer came in training."""

    @takes_settings(RuleLearnerSettings, varying=VARYING_OF_LEARNERS)
    def __init__(self, given: dict[str, Any]) -> None:
        self.given = given
        self.settings = learner_settings(**{"system": "ctp-l", **given})

    @property
    def engine(self) -> str:  # type: ignore[override]
        """Each system is an engine of its own."""
        return self.settings.system

    def fit(
        self,
        examples: Examples,
        valid: Examples | None = None,
        progress: ProgressCallback | None = None,
        budget: Budget | None = None,
    ) -> Self:
        """Learn from examples; validation data is not used, for none of these systems chooses by it."""
        _need_torch()
        from r5.baselines.path_inputs import read_paths
        from r5.baselines.training import seeded

        start = time.perf_counter()
        settings = self.settings
        examples, _ = self._to_learn_from(examples, valid)
        given = len(examples)
        if settings.edge_questions:
            examples = with_edge_questions(examples, settings.edge_questions, settings.seed)
        examples = self._graphs(examples)
        found = select_paths(examples, settings.training_paths, settings, nodes=False, tick=path_ticker(None, budget))
        codes = Codes.of(found.sequences.values, examples.answers)
        bags = read_paths(found, codes, found.vocabulary)
        answers = codes.of_answers(examples.vocabulary, found.vocabulary)[examples.answers]
        if not bags.rows.size:
            raise R5Error(
                f"none of the {len(examples)} training examples has an answer and a path: "
                "there is nothing to learn from"
            )
        count = ProgressCounter(progress, _epochs(settings))
        with seeded(settings.seed):
            learner = _learner(settings, codes)
            rounds = learner.learn(
                bags,
                answers,
                lambda one: count(f"epoch {one.epoch}/{settings.epochs}, loss {one.loss:.3f}"),
                budget or Budget(),
            )
        self._keep(found.vocabulary, codes, learner, np.bincount(answers, minlength=len(codes.answers)).astype(float))
        self.rules_ = _rules(learner, found.vocabulary)
        self.summary_ = {
            "seconds": time.perf_counter() - start,
            "seed": settings.seed,
            "examples": given,
            "questions": len(examples),
            "parameters": sum(parameter.numel() for parameter in learner.network.parameters()),
            "rules": len(self.rules_),
            "chosen": _chosen(settings),
            "history": [asdict(one) for one in rounds],
        }
        if budget is not None and budget.is_exhausted:
            self.summary_["cut_short"] = f"epoch {len(rounds)} of {settings.epochs}"
        return self

    def _keep(
        self, vocabulary: Vocabulary, codes: Codes, learner: RuleLearner, frequencies: NDArray[np.float64]
    ) -> None:
        self.vocabulary_ = vocabulary
        self.codes_ = codes
        self.learner_ = learner
        self.frequencies_ = frequencies

    def _graphs(self, examples: Examples) -> Examples:
        """The examples with the edges that are read."""
        both = isinstance(self.settings, RNNLogicSettings) and self.settings.inverse
        return with_inverse_edges(examples) if both else examples

    def _read(self, examples: Examples, nodes: bool) -> tuple[PathSet, Bags]:
        from r5.baselines.path_inputs import read_paths

        found = select_paths(self._graphs(examples), self.settings.policy, self.settings, nodes=nodes)
        return found, read_paths(found, self.codes_, self.vocabulary_)

    def predict_many(self, examples: Examples) -> list[Prediction]:
        """The best answers with up to three alternatives and, of CTP and GNTP, the proof; of the others, the rule."""
        examples = self._to_answer(examples)
        found, bags = self._read(examples, nodes=True)
        predictions = self._ranked(examples, found, bags)
        names = self.vocabulary_.names(self.codes_.answers)
        strengths = self.learner_.strengths(bags)
        answers = {n: names.index(one.relation) for n, one in enumerate(predictions) if one.relation is not None}
        # Answer by answer, for the sub-goals of each are many and computed once.
        for number in sorted(answers, key=answers.__getitem__):
            best, answer = predictions[number], answers[number]
            if isinstance(self.settings, ProverSettings):
                proof = self._derivation(examples, found, bags, number, answer)
                predictions[number] = replace(best, derivation=proof)
            else:
                own = strengths[bags.rows[found.rows(number)], answer]
                predictions[number] = replace(best, reason=_rule_that_fits(examples, found, number, names[answer], own))
        return predictions

    def predict_plain(self, examples: Examples) -> list[Prediction]:
        """The answers without proofs, for which each path is looked at once more."""
        examples = self._to_answer(examples)
        return self._ranked(examples, *self._read(examples, nodes=False))

    def _ranked(self, examples: Examples, found: PathSet, bags: Bags) -> list[Prediction]:
        names = self.vocabulary_.names(self.codes_.answers)
        shares = self.learner_.answer(bags)
        return [ranked(row, names) or self._cannot_say(examples[n], found, n) for n, row in enumerate(shares)]

    def _derivation(
        self, examples: Examples, found: PathSet, bags: Bags, number: int, answer: int
    ) -> Derivation | None:
        """The best proof of an answer; of equally good paths, the first."""
        proofs = []
        for row in found.rows(number):
            path = self.learner_.path(bags, int(bags.rows[row]))
            proof = None if path is None else self.learner_.prove(path, answer)
            if proof is not None:
                proofs.append((proof.merges[-1][2], -row, proof.merges))
        if not proofs:
            return None
        _, row, merges = max(proofs)
        name = self.vocabulary_.name
        return Derivation.replay(
            facts_of(examples, found, number, -row), [Merge(at, name(r), s) for at, r, s in merges]
        )

    def _cannot_say(self, example: Example, found: PathSet, number: int) -> Prediction:
        if len(found.rows(number)):
            return Prediction(None, reason=f"no rule that {self.engine} has learned fits a path of the question")
        return Prediction(None, reason=why_no_path(example, self.settings.direct, bool(found.complete[number])))

    def predict_proba(self, examples: Examples) -> NDArray[np.float64]:
        """The share of each known relation, [examples, known relations of `vocabulary_`].

        Where no rule fits, how common each answer was in training, edges that were asked about counted in.
        """
        examples = self._to_answer(examples)
        answers = self.learner_.answer(self._read(examples, nodes=False)[1])
        answers[~answers.any(axis=1)] = self.frequencies_ / self.frequencies_.sum()
        probabilities = np.zeros((len(examples), len(self.vocabulary_.known)))
        probabilities[:, list(self.codes_.answers)] = answers
        return probabilities

    def save(self, path: str | Path, force: bool = False) -> None:
        """Write the model to a folder that `r5.load_model` reads; it predicts just the same."""
        self._fitted()
        arrays: dict[str, NDArray[Any]] = {
            "relations": np.array(self.codes_.relations, dtype=np.int32),
            "answers": np.array(self.codes_.answers, dtype=np.int32),
            "frequencies": self.frequencies_,
            **self.learner_.arrays(),
        }
        self._write(path, arrays, force)

    @classmethod
    def from_stored(cls, stored: StoredModel) -> Self:
        """The reasoner that was saved, or a `ModelError` where its parts do not fit together."""
        model = cls._with_settings(stored)
        if model.engine != stored.engine:
            raise ModelError(f"the model's settings are of the baseline {model.engine}, not of {stored.engine}")
        _need_torch()
        import torch

        codes = stored_codes(stored)
        frequencies = stored.array("frequencies", (len(codes.answers),), least=1.0)
        # Without memory at first: the settings of a folder may ask for any amount, its arrays are there.
        with torch.device("meta"):
            learner = _learner(model.settings, codes)
        learner.restore(stored)
        model._keep(stored.vocabulary, codes, learner, frequencies)
        model.rules_ = stored.rules
        return model


def _rule_that_fits(examples: Examples, found: PathSet, number: int, head: str, strengths: NDArray[np.float64]) -> str:
    """The rule that speaks most for an answer and the path that is its body; of equals, the first."""
    best = argmax(strengths)
    if not strengths[best] > 0:
        return "rules speak against the other answers"
    facts = [one for one in facts_of(examples, found, number, found.rows(number)[best]) if one.relation != DUMMY]
    rule = Rule(head, tuple(fact.relation for fact in facts))
    return f"{rule} ({format_number(strengths[best], '.3g')}) fits {', '.join(map(str, facts))}"


def _need_torch() -> None:
    try:
        import torch  # noqa: F401
    except ImportError:
        raise need("torch", "torch") from None


def _learner(settings: LearnerSettings, codes: Codes) -> RuleLearner:
    """The system with nothing learned yet."""
    from r5.baselines.learners import make_learner

    return make_learner(settings, codes)


def _epochs(settings: LearnerSettings) -> int:
    """Of all models that are trained."""
    return sum(running_attempts(settings)) if isinstance(settings, ProverSettings) else settings.epochs


def _chosen(settings: LearnerSettings) -> str:
    """How the model was chosen, for the tables."""
    contest = isinstance(settings, ProverSettings) and settings.restarts > 1
    return "the restart with the lowest training loss" if contest else "the last epoch"


def _rules(learner: RuleLearner, vocabulary: Vocabulary) -> RuleSet:
    def rule(found: Found) -> Rule:
        return Rule(vocabulary.name(found.head), vocabulary.names(found.body), score=found.score)

    return RuleSet.of(rule(found) for found in learner.rules()).sorted()
