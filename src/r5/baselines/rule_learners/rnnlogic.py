"""RNNLogic without embeddings, Qu et al. (2021), as a ranking of the relations between two given entities.

A generator samples rules, and a predictor weighs them: the score of answer h is the sum of the weights of the rules of
h whose body connects the two entities. E-step: the quality of a rule of h with weight w is

H = w (pairs with the answer h that its body connects - all pairs that it connects / answers),

and the posterior over the rules of h is a softmax of H. M-step: the generator is trained on the posterior.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from r5._util.runtime.budget import Budget
from r5.baselines.epochs import EpochResult, ReportEpoch
from r5.baselines.inputs.bags import Bags
from r5.baselines.inputs.relation_index import IntArray, RelationIndex
from r5.baselines.rule_learners.learner import LearnedRule, RuleLearner
from r5.baselines.rule_learners.rule_generator import RuleGenerator
from r5.baselines.rule_learners.rule_predictor import TrainingBodies, best_rules, fit_weights
from r5.baselines.rule_learners.settings import RNNLogicSettings
from r5.baselines.rule_learners.spans import Path
from r5.storage.folder import ModelError, StoredModel

__all__ = ["RNNLogicLearner", "WeightedRules"]

_GENERATOR_STEPS = 100
_MIN_POSTERIOR = 1e-6
"""Rules with a smaller posterior, which is most of them, do not train the generator: their gradient is negligible."""


@dataclass
class WeightedRules:
    """Rules of a trained model."""

    heads: IntArray
    """Class of each rule, [rules]."""
    bodies: list[Path]
    weights: NDArray[np.float64]
    """[rules]."""


class RNNLogicLearner(RuleLearner):
    """Generator and predictor, trained in turn."""

    network: RuleGenerator

    def __init__(self, settings: RNNLogicSettings, index: RelationIndex) -> None:
        super().__init__(index)
        self.settings = settings
        self.network = RuleGenerator(settings, len(self.relations), len(self.answers))
        self.weighted_rules = WeightedRules(np.zeros(0, dtype=np.int64), [], np.zeros(0))

    def train(self, bags: Bags, answers: IntArray, report: ReportEpoch, budget: Budget) -> list[EpochResult]:
        """Train for as many EM rounds as there are epochs; the first rules are the best that the paths suggest."""
        paths = self.paths(bags)
        training = TrainingBodies.of(bags, paths, answers, len(self.answers), self.settings.longest_rule)
        rules = training.candidate_rules()
        rules = best_rules(rules, training.rule_quality(rules, np.ones(len(rules))), self.settings.sampled_rules)
        epochs: list[EpochResult] = []
        for epoch in range(1, self.settings.epochs + 1):
            weights, loss = fit_weights(training, rules)
            quality = training.rule_quality(rules, weights)
            self._train_generator(training, rules, quality)
            epochs.append(EpochResult(epoch, loss))
            report(epochs[-1])
            kept = best_rules(rules, quality, self.settings.kept_rules)
            if epoch == self.settings.epochs or budget.is_exhausted:
                break
            rules = self._join_samples(training, kept)
        weights, _ = fit_weights(training, kept)
        self.weighted_rules = WeightedRules(kept[:, 0], [training.bodies[body] for body in kept[:, 1]], weights)
        return epochs

    def _join_samples(self, training: TrainingBodies, kept: IntArray) -> IntArray:
        """Return kept rules and the rules that the generator samples, if a training path has their body, [rules, 2]."""
        sampled = [
            (head, training.number.get(body, -1)) for head in range(len(self.answers)) for body in self._sample(head)
        ]
        rows = [*kept.tolist(), *(rule for rule in sampled if rule[1] >= 0)]
        return np.unique(np.array(rows, dtype=np.int64).reshape(-1, 2), axis=0)

    def _sample(self, head: int) -> set[Path]:
        with torch.no_grad():
            return self.network.sample(head, self.settings.sampled_rules)

    def _train_generator(self, training: TrainingBodies, rules: IntArray, quality: NDArray[np.float64]) -> None:
        """Train on the cross entropy weighted by the posterior of the rules of each head."""
        if not len(rules):
            return
        posterior = np.zeros(len(rules))
        for head in np.unique(rules[:, 0]):
            own = rules[:, 0] == head
            likelihood = np.exp(quality[own] - quality[own].max())
            posterior[own] = likelihood / likelihood.sum()
        rules, posterior = rules[posterior > _MIN_POSTERIOR], posterior[posterior > _MIN_POSTERIOR]
        heads, weights = torch.from_numpy(rules[:, 0]), torch.from_numpy(posterior).float()
        bodies = self.network.pad([training.bodies[body] for body in rules[:, 1]])
        optimizer = torch.optim.Adam(self.network.parameters(), lr=self.settings.learning_rate, foreach=False)
        for _ in range(_GENERATOR_STEPS):
            loss = -(weights * self.network(heads, bodies)).sum() / len(self.answers)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()

    def score_paths(self, bags: Bags) -> NDArray[np.float64]:
        """Return the summed weight of the rules whose body is the path, [paths, answers]."""
        rules_of: dict[Path, list[int]] = {}
        for rule, body in enumerate(self.weighted_rules.bodies):
            rules_of.setdefault(body, []).append(rule)
        paths = self.paths(bags)
        scores = np.zeros((len(paths), len(self.answers)))
        for row, path in enumerate(paths):
            for rule in rules_of.get(path, []) if path is not None else []:
                scores[row, self.weighted_rules.heads[rule]] += self.weighted_rules.weights[rule]
        return scores

    def score_answers(self, bags: Bags) -> NDArray[np.float64]:
        """Return the softmax of the summed weights, [examples, answers]; zeros where no path is the body of a rule."""
        bodies = set(self.weighted_rules.bodies)
        fires = np.array([path in bodies for path in self.paths(bags)], dtype=bool)
        total, any_fires = np.zeros((len(bags), len(self.answers))), np.zeros(len(bags), dtype=bool)
        np.add.at(total, bags.owners, self.score_paths(bags)[bags.rows])
        np.logical_or.at(any_fires, bags.owners, fires[bags.rows])
        likelihood = np.exp(total - total.max(axis=1, keepdims=True, initial=-np.inf))
        shares: NDArray[np.float64] = likelihood / likelihood.sum(axis=1, keepdims=True) * any_fires[:, None]
        return shares

    def rules(self) -> list[LearnedRule]:
        """Return the rules with a positive weight."""
        rows = zip(self.weighted_rules.heads, self.weighted_rules.bodies, self.weighted_rules.weights, strict=True)
        return [
            LearnedRule(self.index.answers[head], tuple(self.relations[place] for place in body), float(weight))
            for head, body, weight in rows
            if weight > 0
        ]

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return rules and weights, bodies padded with -1; prediction does not need the generator."""
        longest = self.settings.longest_rule
        bodies = np.full((len(self.weighted_rules.bodies), longest), -1, dtype=np.int32)
        for row, body in enumerate(self.weighted_rules.bodies):
            bodies[row, : len(body)] = body
        heads = self.weighted_rules.heads.astype(np.int32)
        return {"rules.heads": heads, "rules.bodies": bodies, "rules.weights": self.weighted_rules.weights}

    def restore(self, stored: StoredModel) -> None:
        """Load the rules of a model folder.

        Raises:
            ModelError: An array is missing or out of range, or a body has padding before its end.

        """
        heads = stored.array("rules.heads", (None,), "i", least=0, most=len(self.answers) - 1)
        shape = (heads.size, self.settings.longest_rule)
        table = stored.array("rules.bodies", shape, "i", least=-1, most=len(self.relations) - 1)
        lengths = (table >= 0).sum(axis=1)
        if np.any(lengths == 0) or np.any((table >= 0) != (np.arange(table.shape[1]) < lengths[:, None])):
            raise ModelError("the model's rules have gaps in their bodies")
        weights = stored.array("rules.weights", (heads.size,), least=-1e6, most=1e6)
        bodies = [tuple(row[:length]) for row, length in zip(table.tolist(), lengths.tolist(), strict=True)]
        self.weighted_rules = WeightedRules(heads.astype(np.int64), bodies, weights)
