"""How a table looks: one maker for each kind of experiment, and the lines below it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from r5.bench.experiments import Experiment, Published
from r5.bench.markdown import label, printed, share, table
from r5.bench.summary import Mean, Summary
from r5.data.catalogue import catalogue
from r5.data.stand_ins import STAND_IN

__all__ = ["directions", "likeness", "protocol_line", "seeds_line", "table_of"]


def table_of(experiment: Experiment, found: Sequence[Summary], published: bool) -> str:
    """The table of an experiment, with or without the published figures."""
    makers = {"accuracy": _accuracy_table, "hops": _hops_table, "values": _values_table, "epochs": _epochs_table}
    return makers[experiment.shows](experiment, found, published)


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
            theirs = known.get(system, Published(system, experiment.table))
            spread = theirs.spread
            rows.append(
                [
                    label(data),
                    system,
                    printed(theirs.accuracy, spread.get("accuracy")),
                    _text(ours.accuracy if ours else None),
                    printed(theirs.recall, spread.get("recall"), 2),
                    _text(ours.recall if ours else None),
                    printed(theirs.invalid),
                    _text(ours.invalid if ours else None),
                    _seconds(ours),
                ]
            )
    return table(header, rows, keep=4 if published else 2)


def _hops_table(experiment: Experiment, found: Sequence[Summary], published: bool) -> str:
    rows = []
    known = {one.system: one for one in experiment.published} if published else {}
    for system in dict.fromkeys([*(row.name for row in experiment.rows), *known]):
        if system in known:
            theirs = known[system]
            figures = [printed(theirs.by_length.get(hop), theirs.spread.get(str(hop)), 2) for hop in experiment.hops]
            rows.append([system, "published", *figures, ""])
        for ours in (one for one in found if one.row.name == system):
            means = [_text(ours.by_length.get(hop)) for hop in experiment.hops]
            rows.append([system, "ours", *means, _seconds(ours)])
    return table(["system", "", *(f"{hop} hops" for hop in experiment.hops), "seconds"], rows, keep=2)


def _values_table(experiment: Experiment, found: Sequence[Summary], published: bool) -> str:
    name, values = experiment.vary or ("", ())
    rows = []
    for data in dict.fromkeys(one.data for one in found):
        for row in experiment.rows:
            means = {one.value: one.accuracy for one in found if (one.data, one.row.name) == (data, row.name)}
            if means:
                rows.append([label(data), row.name, *(_text(means.get(value)) for value in values)])
    return table(["data", "system", *(f"{name} = {value}" for value in values)], rows, keep=2)


def _epochs_table(experiment: Experiment, found: Sequence[Summary], published: bool) -> str:
    most = max((len(one.epochs) for one in found), default=0)
    rows = []
    for one in (one for one in found if one.epochs):
        for what, place in (("accuracy", 0), ("rule recall", 1)):
            means = [_text(point[place]) for point in one.epochs]
            rows.append([label(one.data), one.row.name, what, *means, *[""] * (most - len(means))])
    return table(["data", "system", "", *(f"epoch {number}" for number in range(1, most + 1))], rows, keep=3)


def likeness(seen: Mapping[str, Mapping[str, Any]]) -> str:
    """The statistics of the paper's Tables 7 and 8, and those of the stand-ins."""
    names = ("classes", "distinct_paths", "average_resolution_length", "average_nodes", "average_edges")
    header = ["stand-in for", "", "classes", "distinct paths", "average length", "average nodes", "average edges"]
    rows = []
    entries = catalogue()
    for data, made in sorted(seen.items()):
        wanted = entries[data.removeprefix(STAND_IN)].statistics
        title = label(data.removeprefix(STAND_IN))
        if all(name in wanted for name in names):
            rows.append([title, "published", *(f"{wanted[name]:g}" for name in names)])
        rows.append([title, "generated", *(f"{made[name]:.4g}" if made.get(name) else "" for name in names)])
    return table(header, rows, keep=2)


def directions(experiment: Experiment, found: Sequence[Summary]) -> list[str]:
    """How each variant of R5 differs from R5 itself, published and here; or what the values of a setting do."""
    if experiment.vary is not None:
        return _over_values(experiment.vary[0], found)
    lines = []
    for one in found:
        base = next((other for other in found if (other.row.name, other.data) == ("R5", one.data)), None)
        published = experiment.figure(one.row.name, one.data), experiment.figure("R5", one.data)
        if base is None or one is base or "r5" not in one.row.engine.split("+") or None in published:
            continue
        theirs, theirs_base = published
        if not (theirs and theirs_base and one.accuracy and base.accuracy):
            continue
        if theirs.accuracy is None or theirs_base.accuracy is None:
            continue
        wanted, here = theirs.accuracy - theirs_base.accuracy, one.accuracy.value - base.accuracy.value
        same = "the same direction" if wanted * here > 0 else "not the same direction"
        lines.append(
            f"{one.row.name} against R5 on {label(one.data)}: published {wanted:+.3f}, ours {here:+.3f}, {same}."
        )
    return lines


def _over_values(name: str, found: Sequence[Summary]) -> list[str]:
    """Where the mean is best, and how the first and the last value compare."""
    lines = []
    for data in dict.fromkeys(one.data for one in found):
        means = [(one.value, one.accuracy) for one in found if one.data == data and one.accuracy is not None]
        best, top = max(means, key=lambda pair: pair[1].value)
        ends = [f"{name} = {value}: {top.value - mean.value:.3f} below it{_spread(mean)}" for value, mean in means]
        lines.append(f"{label(data)}: best at {name} = {best}, {top}; {ends[0]}; {ends[-1]}.")
    return lines


def _spread(mean: Mean) -> str:
    return "" if mean.spread is None else f", spread {share(mean.spread)}"


def seeds_line(found: Sequence[Summary]) -> str:
    """Over how many seeds the means are."""
    counts = sorted({len(one.seeds) for one in found})
    return f"Seeds: {' or '.join(map(str, counts))}."


def protocol_line(found: Sequence[Summary]) -> str:
    """How the models were chosen, engine by engine."""
    chosen: dict[str, dict[str, None]] = {}
    for one in found:
        for text in one.protocols:
            chosen.setdefault(text, {})[one.row.engine] = None
    parts = [f"{', '.join(f'`{engine}`' for engine in engines)}: {text}" for text, engines in chosen.items()]
    return f"How models were chosen: {'. '.join(parts)}." if parts else ""


def _text(mean: Mean | None) -> str:
    return "" if mean is None else str(mean)


def _seconds(one: Summary | None) -> str:
    return "" if one is None or one.seconds is None else f"{one.seconds.value:.1f}"
