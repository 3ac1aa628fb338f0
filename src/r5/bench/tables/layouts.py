"""Layouts of experiment tables: by data set, by hops, by the values of a setting, by epoch."""

from __future__ import annotations

from collections.abc import Sequence

from r5.bench.experiments.experiment import Experiment, PublishedFigures
from r5.bench.markdown import dataset_label, format_published, markdown_table
from r5.bench.records.summary import Mean, Summary

__all__ = ["experiment_table"]


def experiment_table(experiment: Experiment, found: Sequence[Summary], published: bool) -> str:
    """Return the table of an experiment.

    Args:
        experiment: The experiment.
        found: Summaries of its cells.
        published: Whether the table shows the published figures.
    """
    layouts = {"accuracy": _accuracy_table, "hops": _hops_table, "values": _values_table, "epochs": _epochs_table}
    return layouts[experiment.shows](experiment, found, published)


def _accuracy_table(experiment: Experiment, found: Sequence[Summary], published: bool) -> str:
    header = ["data", "system", "accuracy, published", "accuracy, ours", "rule recall, published", "rule recall, ours"]
    header += ["no answer, published", "no answer, ours", "seconds"]
    rows = []
    for data in dict.fromkeys(one.data for one in found):
        systems = [row.name for row in experiment.rows]
        known = {one.system: one for one in experiment.published if one.data == data and published}
        for system in dict.fromkeys([*systems, *known]):
            ours = next((one for one in found if (one.data, one.row.name) == (data, system)), None)
            if ours is None and system not in known:
                continue
            theirs = known.get(system, PublishedFigures(system, experiment.table))
            deviations = theirs.deviations
            rows.append(
                [
                    dataset_label(data),
                    system,
                    format_published(theirs.accuracy, deviations.get("accuracy")),
                    _text(ours.accuracy if ours else None),
                    format_published(theirs.recall, deviations.get("recall"), 2),
                    _text(ours.recall if ours else None),
                    format_published(theirs.invalid),
                    _text(ours.invalid if ours else None),
                    _seconds(ours),
                ]
            )
    return markdown_table(header, rows, keep=4 if published else 2)


def _hops_table(experiment: Experiment, found: Sequence[Summary], published: bool) -> str:
    rows = []
    known = {one.system: one for one in experiment.published} if published else {}
    for system in dict.fromkeys([*(row.name for row in experiment.rows), *known]):
        if system in known:
            theirs = known[system]
            figures = [
                format_published(theirs.by_length.get(hop), theirs.deviations.get(str(hop)), 2)
                for hop in experiment.hops
            ]
            rows.append([system, "published", *figures, ""])
        for ours in (one for one in found if one.row.name == system):
            means = [_text(ours.by_length.get(hop)) for hop in experiment.hops]
            rows.append([system, "ours", *means, _seconds(ours)])
    return markdown_table(["system", "", *(f"{hop} hops" for hop in experiment.hops), "seconds"], rows, keep=2)


def _values_table(experiment: Experiment, found: Sequence[Summary], published: bool) -> str:
    name, values = experiment.vary or ("", ())
    rows = []
    for data in dict.fromkeys(one.data for one in found):
        for row in experiment.rows:
            means = {one.value: one.accuracy for one in found if (one.data, one.row.name) == (data, row.name)}
            if means:
                rows.append([dataset_label(data), row.name, *(_text(means.get(value)) for value in values)])
    return markdown_table(["data", "system", *(f"{name} = {value}" for value in values)], rows, keep=2)


def _epochs_table(experiment: Experiment, found: Sequence[Summary], published: bool) -> str:
    longest = max((len(one.epochs) for one in found), default=0)
    rows = []
    for one in (one for one in found if one.epochs):
        for measure, index in (("accuracy", 0), ("rule recall", 1)):
            means = [_text(point[index]) for point in one.epochs]
            rows.append([dataset_label(one.data), one.row.name, measure, *means, *[""] * (longest - len(means))])
    return markdown_table(
        ["data", "system", "", *(f"epoch {number}" for number in range(1, longest + 1))], rows, keep=3
    )


def _text(mean: Mean | None) -> str:
    return "" if mean is None else str(mean)


def _seconds(one: Summary | None) -> str:
    return "" if one is None or one.seconds is None else f"{one.seconds.value:.1f}"
