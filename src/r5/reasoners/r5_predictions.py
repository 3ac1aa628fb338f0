"""From the answers of the paper's agent to predictions: by name, with derivations, or the reason for having none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from r5._util.ordering import argmax
from r5.agent.beyond.voting import ranking, votes
from r5.agent.prediction import Answer
from r5.agent.settings import R5Settings
from r5.derivations.derivation import Derivation, Fact, Merge, Prediction
from r5.derivations.facts import facts_of, why_no_path
from r5.examples import Examples
from r5.paths.find import PathSet
from r5.relations import Vocabulary

__all__ = ["Question", "prediction"]

_MOST_SHOWN = 4
"""Answers that a prediction tells of."""


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """One of the examples asked, and the paths found for all of them."""

    examples: Examples
    found: PathSet
    number: int

    @property
    def rows(self) -> list[int]:
        """Its paths of two relations or more."""
        return [row for row in self.found.rows(self.number) if len(self.found.sequences[row]) > 1]

    def facts(self, row: int) -> list[Fact]:
        """A path by names."""
        return facts_of(self.examples, self.found, self.number, row)


def prediction(question: Question, answers: Sequence[Answer], words: Vocabulary, settings: R5Settings) -> Prediction:
    """What the answers to a question come to; each answer shows the votes that it was ranked by."""
    found = votes(answers)
    if not found:
        return _cannot_say(question, answers, words, settings)
    together = settings.combine == "together"
    # The paper's agent gives one answer and no score.
    has_score = not together or settings.ending_value == "shares"
    made = []
    for relation in ranking(found)[:_MOST_SHOWN]:
        which = argmax([answer.score if answer.relation == relation else -1.0 for answer in answers])
        row = question.rows[answers[which].path if together else which]
        derivation = _derivation(question, row, answers[which], words)
        made.append(Prediction(words.name(relation), None, found[relation] if has_score else None, derivation))
    return Prediction(made[0].relation, None, made[0].score, made[0].derivation, tuple(made[1:]))


def _derivation(question: Question, row: int, answer: Answer, words: Vocabulary) -> Derivation:
    """The steps that lead to an answer."""
    merges = [
        Merge(place, words.name(head), score)
        for place, head, score in zip(answer.positions, answer.heads, answer.rule_scores, strict=True)
    ]
    return Derivation.replay(question.facts(row), merges)


def _cannot_say(question: Question, answers: Sequence[Answer], words: Vocabulary, settings: R5Settings) -> Prediction:
    if not question.rows:
        example = question.examples[question.number]
        complete = bool(question.found.complete[question.number])
        return Prediction(None, reason=why_no_path(example, settings.direct, complete))
    missing = next((answer.missing for answer in answers if answer.missing is not None), None)
    if missing is None:
        return Prediction(None, reason="the path ends in an invented relation, whose meaning is not known")
    names = [words.name(one) if 0 <= one < len(words) else "a relation that is not known" for one in missing]
    return Prediction(None, reason=f"no rule has the body {names[0]}, {names[1]}")
