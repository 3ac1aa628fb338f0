"""Formats of numbers and names in charts and text."""

from __future__ import annotations

__all__ = ["count_noun", "format_figure", "format_percent", "format_probability", "truncate_name"]


def count_noun(number: int, noun: str) -> str:
    """Return a number with its noun.

    >>> count_noun(1, "rule"), count_noun(1200, "rule")
    ('1 rule', '1,200 rules')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def format_percent(value: float) -> str:
    """Return a share as a percentage; only 0 is shown as 0%, and only 1 as 100%.

    >>> format_percent(0.9), format_percent(0.985), format_percent(0.9999), format_percent(1.0)
    ('90%', '98.5%', '>99.9%', '100%')
    """
    if 0 < value < 0.0005:
        return "<0.1%"
    if 0.9995 <= value < 1:
        return ">99.9%"
    return f"{100 * value:.1f}".removesuffix(".0") + "%"


def format_probability(value: float) -> str:
    """Return a probability with three decimals; only 0 is shown as 0.000, and only 1 as 1.000.

    >>> format_probability(0.25), format_probability(5e-5), format_probability(0.99998), format_probability(1.0)
    ('0.250', '<0.001', '>0.999', '1.000')
    """
    if 0 < value < 0.0005:
        return "<0.001"
    if 0.9995 <= value < 1:
        return ">0.999"
    return f"{value:.3f}"


def format_figure(value: float) -> str:
    """Return a number with thousands separators.

    >>> format_figure(-7938.0), format_figure(0.25)
    ('−7,938', '0.25')
    """
    shown = f"{value:,.0f}" if abs(value) >= 100 or value == int(value) else f"{value:.3g}"
    return shown.replace("-", "\u2212")


def truncate_name(name: str, length: int) -> str:
    """Return a name cut to a maximum length.

    >>> truncate_name("granddaughter", 8), truncate_name("aunt", 8)
    ('grandda…', 'aunt')
    """
    return name if len(name) <= length else name[: length - 1] + "…"
