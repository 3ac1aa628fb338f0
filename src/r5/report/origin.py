"""Origin of the findings of a report: the model, and the data it answers on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from r5.rules.ruleset import RuleSet

__all__ = ["Origin"]


@dataclass(frozen=True)
class Origin:
    """A model and a split of a data set."""

    engine: str
    model: str
    """Name of the model: its folder, or empty."""
    data: str
    split: str
    settings: Mapping[str, Any]
    summary: Mapping[str, Any]
    """Training summary of the model."""
    rules: RuleSet
