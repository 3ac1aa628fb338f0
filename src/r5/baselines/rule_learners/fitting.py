"""Training of a rule learner on examples."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from r5._util.runtime.budget import Budget
from r5.baselines.epochs import ReportEpoch
from r5.baselines.inputs.edge_queries import add_edge_queries
from r5.baselines.inputs.paths import read_paths
from r5.baselines.inputs.relation_index import RelationIndex
from r5.baselines.model import AnswerStatistics
from r5.baselines.rule_learners.learner import RuleLearner
from r5.baselines.rule_learners.model import RuleLearnerModel, make_learner, readable_edges
from r5.baselines.rule_learners.settings import LearnerSettings, ProverSettings
from r5.baselines.seeding import seed_torch
from r5.errors import R5Error
from r5.examples import Examples
from r5.paths.selection import select_paths
from r5.relations import Vocabulary
from r5.rules.rule import Rule
from r5.rules.ruleset import RuleSet

__all__ = ["fit_rule_learner"]


def fit_rule_learner(
    settings: LearnerSettings, examples: Examples, report: ReportEpoch, budget: Budget | None
) -> tuple[RuleLearnerModel, dict[str, Any]]:
    """Train a rule learner.

    Args:
        settings: Hyperparameters.
        examples: Training examples, all with an answer.
        report: Callback after each epoch.
        budget: Time limit.

    Returns:
        Model and training summary.

    Raises:
        R5Error: The examples have no paths.

    """
    budget = budget or Budget()
    given = len(examples)
    if settings.edge_queries:
        examples = add_edge_queries(examples, settings.edge_queries, settings.seed)
    examples = readable_edges(examples, settings)
    paths = select_paths(
        examples, settings.training_paths, settings, nodes=False, tick=lambda done, total: budget.check()
    )
    index = RelationIndex.of(paths.sequences.values, examples.answers)
    bags = read_paths(paths, index, paths.vocabulary)
    answers = index.answer_numbers(examples.vocabulary, paths.vocabulary)[examples.answers]
    if not bags.rows.size:
        raise R5Error(
            f"none of the {len(examples)} training examples has an answer and a path: there is nothing to learn from"
        )
    with seed_torch(settings.seed):
        learner = make_learner(settings, index)
        epochs = learner.train(bags, answers, report, budget)
    frequencies = np.bincount(answers, minlength=len(index.answers)).astype(np.float64)
    statistics = AnswerStatistics(paths.vocabulary, index, frequencies)
    model = RuleLearnerModel(settings, statistics, learner, _rule_set(learner, paths.vocabulary))
    summary: dict[str, Any] = {
        "examples": given,
        "questions": len(examples),
        "parameters": sum(parameter.numel() for parameter in learner.network.parameters()),
        "rules": len(model.rules),
        "chosen": _chosen(settings),
        "history": [asdict(epoch) for epoch in epochs],
    }
    if budget.is_exhausted:
        summary["cut_short"] = f"epoch {len(epochs)} of {settings.epochs}"
    return model, summary


def _chosen(settings: LearnerSettings) -> str:
    """Return how the model is chosen, for the tables."""
    several = isinstance(settings, ProverSettings) and settings.restarts > 1
    return "the restart with the lowest training loss" if several else "the last epoch"


def _rule_set(learner: RuleLearner, vocabulary: Vocabulary) -> RuleSet:
    """Return the learned rules by name, the strongest first."""
    rules = (Rule(vocabulary.name(one.head), vocabulary.names(one.body), score=one.score) for one in learner.rules())
    return RuleSet.of(rules).sorted()
