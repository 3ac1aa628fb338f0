"""Answers as HTML for notebooks: the answer, the picture of its derivation, and the next best answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from r5._util.html import html_table
from r5._util.ordering import format_number
from r5._util.svg import element

if TYPE_CHECKING:
    from r5.derivations.completion import Completion
    from r5.derivations.derivation import Prediction

__all__ = ["completion_html", "prediction_html"]

_MOST_ALTERNATIVES = 10
"""Maximum number of alternatives in the table."""


def prediction_html(prediction: Prediction) -> str:
    """Return a prediction as HTML: the answer, its derivation as a picture, and a table of the alternatives.

    >>> from r5.derivations.derivation import Prediction
    >>> print(prediction_html(Prediction("uncle", 0.98)))
    <p><strong>uncle (0.980)</strong></p>
    """
    parts = [element("p", element("strong", text=str(prediction)))]
    if prediction.derivation is not None:
        parts.append(prediction.derivation.to_svg())
    elif prediction.reason is not None and prediction.relation is not None:
        parts.append(element("p", text=f"because {prediction.reason}"))
    if prediction.alternatives:
        parts.append(_alternatives(prediction.alternatives))
    return "\n".join(parts)


def _alternatives(answers: Sequence[Prediction]) -> str:
    measure = "score" if any(one.probability is None and one.score is not None for one in answers) else "probability"
    rows = [
        ["cannot say" if one.relation is None else one.relation, _figure(getattr(one, measure), one.known)]
        for one in answers[:_MOST_ALTERNATIVES]
    ]
    more = len(answers) - _MOST_ALTERNATIVES
    note = f"\n{element('p', text=f'and {more:,} more')}" if more > 0 else ""
    return html_table(["other answer", measure], rows) + note


def _figure(value: float | None, known: bool) -> str:
    if known:
        return "in the graph"
    return "" if value is None else format_number(value, ".3f")


def completion_html(completion: Completion) -> str:
    """Return a completion as HTML: the fact with P(fact), and a picture of its reasons if they were asked for.

    >>> from r5.derivations.completion import Completion
    >>> print(completion_html(Completion("Tom", 0.75, 1.0, head="Ann", relation="uncle")))
    <p><strong>Ann -uncle-&gt; Tom</strong> P(fact) 0.750</p>
    """
    from r5.derivations.completion_picture import draw_completion

    known = " (in the graph)" if completion.known else ""
    fact = element("strong", text=str(completion.fact))
    line = element("p", fact, f" P(fact) {format_number(completion.probability, '.3f')}{known}")
    return f"{line}\n{draw_completion(completion)}" if completion.reasons else line
