"""Findings on a knowledge graph: ranks, explained answers, new facts judged by the splits, facts that look wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from r5._util.runtime.progress import ProgressCallback
from r5.dataset import Dataset
from r5.derivations.completion import AuditFinding, Completion
from r5.errors import R5Error
from r5.examples import Examples
from r5.graph import Graph
from r5.knowledge.calibration import calibration_error
from r5.knowledge.inference_graph import InferenceGraph, choose_inference_graph
from r5.knowledge.top_answers import TopAnswer, top_answers
from r5.ranking import Ranking, rank
from r5.reasoners.chains import ChainReasoner
from r5.report.examples.selection import select_examples
from r5.report.graphs.judged_facts import JudgedFact, judge_new_facts
from r5.report.origin import Origin

__all__ = ["ExplainedAnswer", "GraphFindings", "gather_graph_findings"]

_AUDITED, _WRONG = 200, 0.5
"""Facts with the greatest surprise, and the P(fact) below which one of them looks wrong."""
_LISTED = 10
"""Maximum number of facts in a list of facts with reasons."""


@dataclass(frozen=True, slots=True)
class ExplainedAnswer:
    """A query with reasons for its first answer and for the wanted answer, if that is another one."""

    number: int
    """Number of the query, which the page shows and links to."""
    answer: TopAnswer
    first: Completion | None
    wanted: Completion | None
    """The wanted fact, if it is not the first answer."""


@dataclass(frozen=True)
class GraphFindings(Origin):
    """A model, a split of a knowledge graph, and the ranks and probabilities of its facts."""

    ranking: Ranking
    answers: tuple[TopAnswer, ...]
    examples: tuple[ExplainedAnswer, ...]
    """Some of the answers: wrong ones, missing ones, right ones."""
    facts: tuple[JudgedFact, ...] = ()
    """New facts of the graph, the most probable first."""
    unconfirmed: tuple[JudgedFact, ...] = ()
    """The most probable new facts that no split has, with reasons."""
    confirmed: tuple[JudgedFact, ...] = ()
    """The most probable new facts that a split has, with reasons."""
    audit: tuple[AuditFinding, ...] = ()
    """Known facts that look wrong, with reasons."""
    graph: str = ""
    """Sentence on the graph that queries are answered on, if it is not the training graph."""
    size: tuple[int, int, int] = (0, 0, 0)
    """Number of facts, entities and relations of the graph that queries are answered on."""

    @property
    def share_calibration_error(self) -> float:
        """Expected calibration error of the shares of first answers."""
        return calibration_error([one.share for one in self.answers], [one.right for one in self.answers])


def gather_graph_findings(
    model: ChainReasoner,
    data: Dataset,
    split: str = "test",
    name: str = "",
    examples: int = 200,
    graph: InferenceGraph | None = None,
    progress: ProgressCallback | None = None,
) -> GraphFindings:
    """Rank the facts of a split, explain first answers, search for new facts, and audit the known ones.

    Args:
        model: The model.
        data: The data set.
        split: Name of the split.
        name: Name of the model in the report.
        examples: Maximum number of explained answers, see `select_examples`.
        graph: Graph that queries are answered on; by default chosen by `choose_inference_graph`.
        progress: Callback for progress.

    Raises:
        R5Error: The split has no facts of one knowledge graph.
    """
    queries = data.split(split)
    if data.graph is None or not len(queries):
        raise R5Error(f"the {split} split of {data.name} has no facts of one knowledge graph: nothing to report on")
    chosen_graph = graph or choose_inference_graph(model.graph_, data.graph)
    on = chosen_graph.graph
    ranking = rank(model, queries, (data.train.pool, data.valid, data.test), progress=progress, graph=on)
    answers = top_answers(model, data, _with_known_relation(model, queries), on)
    chosen = select_examples([one.right for one in answers], [one.entity is not None for one in answers], examples)
    facts = judge_new_facts(model, data, graph=on, progress=progress)
    return GraphFindings(
        engine=model.engine,
        model=name,
        data=data.name,
        split=split,
        settings=model.get_params(),
        summary=model.summary_,
        rules=model.rules_,
        ranking=ranking,
        answers=tuple(answers),
        examples=tuple(_explain(model, number, answers[number], on) for number in chosen),
        facts=facts,
        unconfirmed=_explain_facts(model, [one for one in facts if not one.right], on),
        confirmed=_explain_facts(model, [one for one in facts if one.right], on),
        audit=_suspicious_facts(model, on, progress),
        graph="" if chosen_graph.kind == "training" else chosen_graph.describe(data.name),
        size=(np.unique(on.facts).size, on.number_of_nodes, np.unique(on.relations).size),
    )


def _with_known_relation(model: ChainReasoner, queries: Examples) -> Examples:
    """Return the queries about relations that the model knows."""
    known = [*(name in model.vocabulary_ for name in queries.vocabulary), False]
    return queries.select(np.flatnonzero(np.array(known)[queries.answers]))


def _suspicious_facts(
    model: ChainReasoner, graph: Graph, progress: ProgressCallback | None
) -> tuple[AuditFinding, ...]:
    """Return the known facts that are rather wrong than right or contradict others, with reasons.

    A fact that is probably right can have less support than is usual for its relation; it does not look wrong.
    """
    found = model.audit(_AUDITED, graph, progress=progress)
    wrong = [one for one in found if one.completion.probability < _WRONG or one.contradictions][:_LISTED]
    keys = [(one.completion.fact.source, one.completion.fact.relation, one.completion.fact.target) for one in wrong]
    explained = model.score_facts(keys, graph, explain=True)
    pairs = zip(wrong, explained, strict=True)
    return tuple(replace(one, completion=replace(one.completion, reasons=shown.reasons)) for one, shown in pairs)


def _explain_facts(model: ChainReasoner, facts: Sequence[JudgedFact], graph: Graph) -> tuple[JudgedFact, ...]:
    """Return the first facts with the reasons for them."""
    first = facts[:_LISTED]
    found = model.score_facts([one.key for one in first], graph, explain=True)
    return tuple(replace(one, completion=explained) for one, explained in zip(first, found, strict=True))


def _explain(model: ChainReasoner, number: int, answer: TopAnswer, graph: Graph) -> ExplainedAnswer:
    names = [] if answer.entity is None else [answer.entity]
    if not answer.right and answer.truth in graph.nodes:
        names.append(answer.truth)
    found = {one.entity: one for one in model.score_candidates(answer.query, names, graph, explain=True)}
    first = None if answer.entity is None else found[answer.entity]
    return ExplainedAnswer(number, answer, first, None if answer.right else found.get(answer.truth))
