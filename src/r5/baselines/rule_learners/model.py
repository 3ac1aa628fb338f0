"""RuleLearnerModel: a trained rule learner with its explanations."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import NDArray

from r5._util.ordering import argmax, format_number
from r5.baselines.inputs.bags import Bags
from r5.baselines.inputs.inverse_edges import add_inverse_edges
from r5.baselines.inputs.paths import read_paths
from r5.baselines.inputs.relation_index import RelationIndex
from r5.baselines.model import AnswerStatistics, BaselineModel, rank_answers
from r5.baselines.rule_learners.learner import RuleLearner
from r5.baselines.rule_learners.neural_lp import NeuralLPLearner
from r5.baselines.rule_learners.prover_learner import ProverLearner
from r5.baselines.rule_learners.rnnlogic import RNNLogicLearner
from r5.baselines.rule_learners.settings import LearnerSettings, NeuralLPSettings, ProverSettings, RNNLogicSettings
from r5.derivations.derivation import Derivation, Merge, Prediction
from r5.derivations.path_facts import explain_no_path, path_facts
from r5.examples import Example, Examples
from r5.paths.search import PathSet
from r5.paths.selection import select_paths
from r5.relations import DUMMY
from r5.rules.rule import Rule
from r5.rules.ruleset import RuleSet
from r5.storage.folder import StoredModel

__all__ = ["RuleLearnerModel", "make_learner", "readable_edges"]


class RuleLearnerModel(BaselineModel):
    """Trained rule learner; CTP and GNTP explain an answer by a proof, the others by the strongest rule."""

    def __init__(
        self, settings: LearnerSettings, statistics: AnswerStatistics, learner: RuleLearner, rules: RuleSet
    ) -> None:
        self.settings = settings
        self.statistics = statistics
        self.learner = learner
        self.rules = rules

    def _read(self, examples: Examples, nodes: bool) -> tuple[PathSet, Bags]:
        """Return the paths of the examples as found and as inputs."""
        examples = readable_edges(examples, self.settings)
        paths = select_paths(examples, self.settings.policy, self.settings, nodes=nodes)
        return paths, read_paths(paths, self.statistics.index, self.statistics.vocabulary)

    def score_answers(self, examples: Examples) -> NDArray[np.float64]:
        """Return the normalised score of each answer, [examples, answers]; zeros where no rule applies."""
        return self.learner.score_answers(self._read(examples, nodes=False)[1])

    def predict(self, examples: Examples, explain: bool) -> list[Prediction]:
        """Return the best answer of each query, with a proof or the strongest rule if `explain`."""
        paths, bags = self._read(examples, nodes=explain)
        scores, names = self.learner.score_answers(bags), self.statistics.names
        predictions = [
            rank_answers(row, names) or self._abstain(examples[number], paths, number)
            for number, row in enumerate(scores)
        ]
        return self._explain(examples, predictions, paths, bags) if explain else predictions

    def _abstain(self, example: Example, paths: PathSet, number: int) -> Prediction:
        if len(paths.rows(number)):
            reason = f"no rule that {self.settings.method} has learned fits a path of the query"
            return Prediction(None, reason=reason)
        return Prediction(None, reason=explain_no_path(example, self.settings.direct, bool(paths.complete[number])))

    def _explain(
        self, examples: Examples, predictions: list[Prediction], paths: PathSet, bags: Bags
    ) -> list[Prediction]:
        """Return the predictions with derivations or reasons."""
        names, explained = self.statistics.names, list(predictions)
        scores = self.learner.score_paths(bags)
        answers = {n: names.index(one.relation) for n, one in enumerate(predictions) if one.relation is not None}
        # Queries in the order of their answers: the sub-goals of an answer are many, and cached for the next query.
        for number in sorted(answers, key=answers.__getitem__):
            answer = answers[number]
            if isinstance(self.settings, ProverSettings):
                proof = self._derivation(examples, paths, bags, number, answer)
                explained[number] = replace(predictions[number], derivation=proof)
            else:
                own = scores[bags.rows[paths.rows(number)], answer]
                reason = _strongest_rule(examples, paths, number, names[answer], own)
                explained[number] = replace(predictions[number], reason=reason)
        return explained

    def _derivation(
        self, examples: Examples, paths: PathSet, bags: Bags, number: int, answer: int
    ) -> Derivation | None:
        """Return the best proof of an answer; ties are ranked by the order of the paths."""
        proofs = []
        for row in paths.rows(number):
            path = self.learner.path(bags, int(bags.rows[row]))
            proof = None if path is None else self.learner.prove(path, answer)
            if proof is not None:
                proofs.append((proof.merges[-1][2], -row, proof.merges))
        if not proofs:
            return None
        _, row, merges = max(proofs)
        name = self.statistics.vocabulary.name
        facts = path_facts(examples, paths, number, -row)
        return Derivation.replay(facts, [Merge(position, name(head), score) for position, head, score in merges])

    def parameters(self) -> dict[str, NDArray[Any]]:
        """Return the arrays of the learner."""
        return self.learner.arrays()

    @classmethod
    def restore(cls, settings: LearnerSettings, statistics: AnswerStatistics, stored: StoredModel) -> Self:
        """Return the rule learner of a model folder.

        Raises:
            ModelError: The arrays of the folder do not fit the settings.

        """
        # The meta device takes no memory: the settings of a folder may ask for any amount, its arrays are there.
        with torch.device("meta"):
            learner = make_learner(settings, statistics.index)
        learner.restore(stored)
        return cls(settings, statistics, learner, stored.rules)


def make_learner(settings: LearnerSettings, index: RelationIndex) -> RuleLearner:
    """Return the rule learner of a method, with random weights."""
    if isinstance(settings, ProverSettings):
        return ProverLearner(settings, index)
    if isinstance(settings, NeuralLPSettings):
        return NeuralLPLearner(settings, index)
    assert isinstance(settings, RNNLogicSettings)  # noqa: S101  there are no others
    return RNNLogicLearner(settings, index)


def readable_edges(examples: Examples, settings: LearnerSettings) -> Examples:
    """Return the examples, with inverse edges for a method that reads them."""
    inverse = isinstance(settings, RNNLogicSettings) and settings.inverse
    return add_inverse_edges(examples) if inverse else examples


def _strongest_rule(examples: Examples, paths: PathSet, number: int, head: str, scores: NDArray[np.float64]) -> str:
    """Return the rule with the highest score for an answer, and the path that is its body."""
    best = argmax(scores)
    if not scores[best] > 0:
        return "rules speak against the other answers"
    facts = [one for one in path_facts(examples, paths, number, paths.rows(number)[best]) if one.relation != DUMMY]
    rule = Rule(head, tuple(fact.relation for fact in facts))
    return f"{rule} ({format_number(scores[best], '.3g')}) fits {', '.join(map(str, facts))}"
