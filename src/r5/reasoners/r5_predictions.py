"""Predictions from the answers of the agent: names, derivations, or the reason of a missing answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from r5._util.ordering import argmax
from r5.agent.beyond.voting import count_votes, rank_votes
from r5.agent.inference.solver import Answer
from r5.agent.settings import R5Settings
from r5.derivations.derivation import Derivation, Fact, Merge, Prediction
from r5.derivations.path_facts import explain_no_path, path_facts
from r5.examples import Examples
from r5.paths.search import PathSet
from r5.relations import Vocabulary

__all__ = ["QueryPaths", "make_prediction"]

_MAX_ANSWERS = 4
"""Maximum number of answers in a prediction, alternatives included."""


@dataclass(frozen=True, slots=True, eq=False)
class QueryPaths:
    """Query of an example, and its paths."""

    examples: Examples
    paths: PathSet
    """Paths of all examples."""
    number: int
    """Number of the example."""

    @property
    def rows(self) -> list[int]:
        """Paths of two relations or more."""
        return [row for row in self.paths.rows(self.number) if len(self.paths.sequences[row]) > 1]

    def facts(self, row: int) -> list[Fact]:
        """Return the facts of a path."""
        return path_facts(self.examples, self.paths, self.number, row)


def make_prediction(
    query: QueryPaths, answers: Sequence[Answer], words: Vocabulary, settings: R5Settings
) -> Prediction:
    """Return the prediction from the answers of all paths, ranked by votes; a score is a number of votes.

    Args:
        query: The query and its paths.
        answers: Answer of each path.
        words: Vocabulary of the agent.
        settings: Settings of the agent.

    """
    counted = count_votes(answers)
    if not counted:
        return _abstain(query, answers, words, settings)
    together = settings.combine == "together"
    # The agent of the paper gives one answer without a score.
    has_score = not together or settings.ending_value == "shares"
    made = []
    for relation in rank_votes(counted)[:_MAX_ANSWERS]:
        which = argmax([answer.score if answer.relation == relation else -1.0 for answer in answers])
        row = query.rows[answers[which].path if together else which]
        derivation = _derivation(query, row, answers[which], words)
        made.append(Prediction(words.name(relation), None, counted[relation] if has_score else None, derivation))
    return Prediction(made[0].relation, None, made[0].score, made[0].derivation, tuple(made[1:]))


def _derivation(query: QueryPaths, row: int, answer: Answer, words: Vocabulary) -> Derivation:
    """Return the merges that lead to an answer."""
    merges = [
        Merge(place, words.name(head), score)
        for place, head, score in zip(answer.positions, answer.heads, answer.rule_scores, strict=True)
    ]
    return Derivation.replay(query.facts(row), merges)


def _abstain(query: QueryPaths, answers: Sequence[Answer], words: Vocabulary, settings: R5Settings) -> Prediction:
    if not query.rows:
        example = query.examples[query.number]
        complete = bool(query.paths.complete[query.number])
        return Prediction(None, reason=explain_no_path(example, settings.direct, complete))
    missing = next((answer.missing for answer in answers if answer.missing is not None), None)
    if missing is None:
        return Prediction(None, reason="the path ends in an invented relation, whose meaning is not known")
    names = [words.name(one) if 0 <= one < len(words) else "a relation that is not known" for one in missing]
    return Prediction(None, reason=f"no rule has the body {names[0]}, {names[1]}")
