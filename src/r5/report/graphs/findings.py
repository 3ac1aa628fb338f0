"""GraphFindings: ranks, first answers, some of them with their reasons, and new facts judged by the splits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from r5.chains.completion import Completion
from r5.dataset import Dataset
from r5.errors import R5Error
from r5.knowledge.calibration import calibration_error
from r5.knowledge.top_answers import TopAnswer, top_answers
from r5.ranking import Ranking, rank
from r5.reasoners.chains import ChainReasoner
from r5.report.graphs.judged_facts import JudgedFact, judge_new_facts
from r5.rules.ruleset import RuleSet

__all__ = ["GraphFindings", "WalkedThrough", "gather_graph"]


@dataclass(frozen=True, slots=True)
class WalkedThrough:
    """One question with the first answer explained and, where that is another, the answer wanted."""

    answer: TopAnswer
    first: Completion | None
    wanted: Completion | None
    """The fact asked for, where it is not the first answer."""


@dataclass(frozen=True)
class GraphFindings:
    """A model, a split of a knowledge graph, and how well its facts were found."""

    model: str
    data: str
    split: str
    settings: Mapping[str, Any]
    summary: Mapping[str, Any]
    rules: RuleSet
    ranking: Ranking
    answers: tuple[TopAnswer, ...]
    right: tuple[WalkedThrough, ...]
    wrong: tuple[WalkedThrough, ...]
    facts: tuple[JudgedFact, ...] = ()
    """New facts of the training graph, the most probable first."""

    @property
    def share_calibration_error(self) -> float:
        """Expected calibration error of the shares of first answers."""
        return calibration_error([one.share for one in self.answers], [one.right for one in self.answers])


def gather_graph(
    model: ChainReasoner, data: Dataset, split: str = "test", name: str = "", examples: int = 20
) -> GraphFindings:
    """Rank the facts of a split, look at the first answers, and walk through half of the `examples` of each kind."""
    asked = data.split(split)
    if data.graph is None or not len(asked):
        raise R5Error(f"the {split} split of {data.name} has no facts of one knowledge graph: nothing to report on")
    ranking = rank(model, asked, (data.train.pool, data.valid, data.test))
    answers = top_answers(model, data, asked)
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
        right=tuple(_walk(model, one) for one in chosen[True]),
        wrong=tuple(_walk(model, one) for one in chosen[False]),
        facts=judge_new_facts(model, data),
    )


def _walk(model: ChainReasoner, answer: TopAnswer) -> WalkedThrough:
    names = [] if answer.entity is None else [answer.entity]
    if not answer.right and answer.truth in model.graph_.nodes:
        names.append(answer.truth)
    found = {one.entity: one for one in model.score_candidates(answer.query, names, explain=True)}
    first = None if answer.entity is None else found[answer.entity]
    return WalkedThrough(answer, first, None if answer.right else found.get(answer.truth))
