"""Section on P(fact)."""

from __future__ import annotations

from r5.derivations.completion import Completion
from r5.report.graphs.fact_calibration import facts_section
from r5.report.graphs.judged_facts import JudgedFact


def judged(number: int, probability: float, split: str | None) -> JudgedFact:
    return JudgedFact(Completion("b", probability, 0.0, (), f"a{number}", "<r>", "b"), split)


def test_the_section_has_error_counts_and_limits() -> None:
    facts = [judged(n, 0.95, "test" if n % 2 else "valid") for n in range(8)] + [judged(8, 0.35, None)]
    shown = facts_section(facts)
    # 8 facts at .95, all true; one at .35, false: (8 * .05 + .35) / 9.
    assert "0.083" in shown
    assert "8 of them in valid or test" in shown
    assert "counts as false" in shown and "lower bound" in shown
    assert "All found with P(fact) of 0.1 or more" in shown
    assert "Reliability diagram of P(fact)" in shown and "share in valid or test" in shown


def test_without_facts_the_section_is_a_note() -> None:
    assert "no new fact" in facts_section([])
