"""Findings on a knowledge graph: ranks, first answers, explained answers, and new facts judged by the splits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from r5.dataset import Dataset
from r5.derivations.completion import Completion
from r5.errors import R5Error
from r5.examples import Examples
from r5.graph import Graph
from r5.knowledge.calibration import calibration_error
from r5.knowledge.inference_graph import InferenceGraph, choose_inference_graph
from r5.knowledge.top_answers import TopAnswer, top_answers
from r5.ranking import Ranking, rank
from r5.reasoners.chains import ChainReasoner
from r5.report.graphs.judged_facts import JudgedFact, judge_new_facts
from r5.rules.ruleset import RuleSet

__all__ = ["ExplainedAnswer", "GraphFindings", "gather_graph_findings"]


@dataclass(frozen=True, slots=True)
class ExplainedAnswer:
    """A query with reasons for its first answer and for the wanted answer, if that is another one."""

    answer: TopAnswer
    first: Completion | None
    wanted: Completion | None
    """The wanted fact, if it is not the first answer."""


@dataclass(frozen=True)
class GraphFindings:
    """A model, a split of a knowledge graph, and the ranks and probabilities of its facts."""

    model: str
    data: str
    split: str
    settings: Mapping[str, Any]
    summary: Mapping[str, Any]
    rules: RuleSet
    ranking: Ranking
    answers: tuple[TopAnswer, ...]
    right: tuple[ExplainedAnswer, ...]
    wrong: tuple[ExplainedAnswer, ...]
    facts: tuple[JudgedFact, ...] = ()
    """New facts of the graph, the most probable first."""
    graph: str = ""
    """Sentence on the graph that queries are answered on, if it is not the training graph."""

    @property
    def share_calibration_error(self) -> float:
        """Expected calibration error of the shares of first answers."""
        return calibration_error([one.share for one in self.answers], [one.right for one in self.answers])


def gather_graph_findings(
    model: ChainReasoner,
    data: Dataset,
    split: str = "test",
    name: str = "",
    examples: int = 20,
    graph: InferenceGraph | None = None,
) -> GraphFindings:
    """Rank the facts of a split, and explain some right and some wrong first answers.

    Args:
        model: The model.
        data: The data set.
        split: Name of the split.
        name: Name of the model in the report.
        examples: Number of explained answers, half of them right.
        graph: Graph that queries are answered on; by default chosen by `choose_inference_graph`.

    Raises:
        R5Error: The split has no facts of one knowledge graph.
    """
    queries = data.split(split)
    if data.graph is None or not len(queries):
        raise R5Error(f"the {split} split of {data.name} has no facts of one knowledge graph: nothing to report on")
    chosen_graph = graph or choose_inference_graph(model.graph_, data.graph)
    on = chosen_graph.graph
    ranking = rank(model, queries, (data.train.pool, data.valid, data.test), graph=on)
    answers = top_answers(model, data, _with_known_relation(model, queries), on)
    chosen = {right: [one for one in answers if one.right == right][: (examples + 1) // 2] for right in (True, False)}
    return GraphFindings(
        model=name,
        data=data.name,
        split=split,
        settings=model.get_params(),
        summary=model.summary_,
        rules=model.rules_,
        ranking=ranking,
        answers=tuple(answers),
        right=tuple(_explain(model, one, on) for one in chosen[True]),
        wrong=tuple(_explain(model, one, on) for one in chosen[False]),
        facts=judge_new_facts(model, data, graph=on),
        graph="" if chosen_graph.kind == "training" else chosen_graph.describe(data.name),
    )


def _with_known_relation(model: ChainReasoner, queries: Examples) -> Examples:
    """Return the queries about relations that the model knows."""
    known = [*(name in model.vocabulary_ for name in queries.vocabulary), False]
    return queries.select(np.flatnonzero(np.array(known)[queries.answers]))


def _explain(model: ChainReasoner, answer: TopAnswer, graph: Graph) -> ExplainedAnswer:
    names = [] if answer.entity is None else [answer.entity]
    if not answer.right and answer.truth in graph.nodes:
        names.append(answer.truth)
    found = {one.entity: one for one in model.score_candidates(answer.query, names, graph, explain=True)}
    first = None if answer.entity is None else found[answer.entity]
    return ExplainedAnswer(answer, first, None if answer.right else found.get(answer.truth))
