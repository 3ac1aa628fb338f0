"""Lines below the table of an experiment: seeds, model selection and comparisons."""

from __future__ import annotations

from collections.abc import Sequence

from r5.bench.experiments.experiment import Experiment
from r5.bench.markdown import dataset_label, format_share
from r5.bench.records.summary import Mean, Summary

__all__ = ["comparison_notes", "seeds_note", "selection_note"]


def comparison_notes(experiment: Experiment, found: Sequence[Summary]) -> list[str]:
    """Return a line per variant of R5, with its difference to R5 as published and here.

    If a setting varies, each line compares its values on one data set.
    """
    if experiment.vary is not None:
        return _value_notes(experiment.vary[0], found)
    lines = []
    for one in found:
        base = next((other for other in found if (other.row.name, other.data) == ("R5", one.data)), None)
        both = experiment.published_figures(one.row.name, one.data), experiment.published_figures("R5", one.data)
        if base is None or one is base or "r5" not in one.row.engine.split("+") or None in both:
            continue
        theirs, theirs_base = both
        if not (theirs and theirs_base and one.accuracy and base.accuracy):
            continue
        if theirs.accuracy is None or theirs_base.accuracy is None:
            continue
        published, here = theirs.accuracy - theirs_base.accuracy, one.accuracy.value - base.accuracy.value
        same = "the same direction" if published * here > 0 else "not the same direction"
        name = dataset_label(one.data)
        lines.append(f"{one.row.name} against R5 on {name}: published {published:+.3f}, ours {here:+.3f}, {same}.")
    return lines


def _value_notes(name: str, found: Sequence[Summary]) -> list[str]:
    """Return a line per data set: the best value, and how far the first and last value are below it."""
    lines = []
    for data in dict.fromkeys(one.data for one in found):
        means = [(one.value, one.accuracy) for one in found if one.data == data and one.accuracy is not None]
        best, top = max(means, key=lambda pair: pair[1].value)
        ends = [f"{name} = {value}: {top.value - mean.value:.3f} below it{_deviation(mean)}" for value, mean in means]
        lines.append(f"{dataset_label(data)}: best at {name} = {best}, {top}; {ends[0]}; {ends[-1]}.")
    return lines


def _deviation(mean: Mean) -> str:
    return "" if mean.deviation is None else f", spread {format_share(mean.deviation)}"


def seeds_note(found: Sequence[Summary]) -> str:
    """Return the number of seeds of the means."""
    counts = sorted({len(one.seeds) for one in found})
    return f"Seeds: {' or '.join(map(str, counts))}."


def selection_note(found: Sequence[Summary]) -> str:
    """Return the rule that selected the models of each engine, or of each row if an engine has several rules."""
    rules_by_engine: dict[str, set[str]] = {}
    for one in found:
        rules_by_engine.setdefault(one.row.engine, set()).update(one.protocols)
    systems_by_rule: dict[str, dict[str, None]] = {}
    for one in found:
        system = f"`{one.row.engine}`" if len(rules_by_engine[one.row.engine]) == 1 else f'"{one.row.name}"'
        for text in one.protocols:
            systems_by_rule.setdefault(text, {})[system] = None
    parts = [f"{', '.join(systems)}: {text}" for text, systems in systems_by_rule.items()]
    return f"How models were chosen: {'. '.join(parts)}." if parts else ""
