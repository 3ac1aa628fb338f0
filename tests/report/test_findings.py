"""Reports of models with arbitrary summaries and settings: a page, never a traceback."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from r5.report.findings import Findings
from r5.report.page import render_page
from r5.report.sections.headline import describe_model, headline_figures, headline_sentence
from r5.report.sections.training_curves import training_section
from tests.helpers.model_mutations import NUMBERS, OTHERS

KEYS = ("best_restart", "best_epoch", "training_fit", "valid_accuracy", "log_likelihood", "examples", "seconds")
KEYS += ("history", "seed", "policy", "cut_short", "data", "restart", "epoch", "step", "loss", "rules", "longest")
ODD: list[Any] = [value for value in (*NUMBERS, *OTHERS) if value != "\ud800"]  # refused where a model is read


def parts(findings: Findings, **changes: Any) -> str:
    """Return the parts of a page that depend on the summary and the settings."""
    odd = replace(findings, **changes)
    return "".join(part(odd) for part in (training_section, headline_sentence, headline_figures, describe_model))


@pytest.mark.parametrize("key", KEYS[:10])
def test_one_invalid_summary_field_is_tolerated(findings: Findings, key: str) -> None:
    history = [{"epoch": 1, "restart": 0, "fit": 0.5, "loss": 0.1}, {"epoch": 2, "restart": 1, "fit": 0.7}]
    summary = {**findings.summary, "history": history, "training_fit": 0.7, "best_restart": 1, "best_epoch": 2}
    for odd in ODD:
        assert "accuracy" in parts(findings, summary={**summary, key: odd})


def test_a_page_is_rendered_without_a_best_restart(findings: Findings) -> None:
    assert "</html>" in render_page(replace(findings, summary={**findings.summary, "best_restart": []}), examples=0)


VALUES = st.recursive(
    st.sampled_from(ODD) | st.integers(-3, 30) | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5),
    max_leaves=12,
)


@pytest.fixture(scope="module")
def asked(findings: Findings) -> Any:
    """Return the findings behind a function, so that a failure does not print them."""
    return lambda: findings


@settings(max_examples=80, deadline=None)
@given(summary=st.dictionaries(st.sampled_from(KEYS), VALUES), entries=st.lists(VALUES, max_size=5))
def test_arbitrary_summaries_are_tolerated(asked: Any, summary: dict[str, Any], entries: list[Any]) -> None:
    history = summary.get("history", entries)
    assert "accuracy" in parts(asked(), summary={**summary, "history": history}, settings=summary)
