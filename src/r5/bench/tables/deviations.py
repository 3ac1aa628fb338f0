"""Tables of deviations: our means by hop against the range of the published mean and deviation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from r5.bench.experiments.experiment import Experiment, PublishedFigures
from r5.bench.markdown import format_share, markdown_table
from r5.bench.records.store import Record
from r5.bench.records.summary import Mean, Summary, summarize

__all__ = ["deviation_tables"]

_OWN = ("r5", "grammar")
"""Engines that are not baselines."""
_ROUNDING = 1e-9
"""Tolerance for means at the edge of the published range."""


def deviation_tables(experiments: Sequence[Experiment], records: Mapping[str, Record]) -> str:
    """Return one table per experiment by hops, with the baselines that have published figures."""
    parts = []
    for experiment in (one for one in experiments if one.shows == "hops"):
        rows = [
            [one.row.name, str(len(one.seeds)), *(_cell(one.by_length.get(hop), known, hop) for hop in experiment.hops)]
            for one, known in _with_published(experiment, records)
        ]
        if rows:
            header = ["system", "seeds", *(f"{hop} hops" for hop in experiment.hops)]
            parts += [f"{experiment.title} ({experiment.table}):", markdown_table(header, rows, keep=2)]
    return "\n\n".join(parts)


def _with_published(experiment: Experiment, records: Mapping[str, Record]) -> list[tuple[Summary, PublishedFigures]]:
    found = [one for one in summarize(experiment, records) if one.row.engine not in _OWN]
    pairs = [(one, experiment.published_figures(one.row.name, one.data)) for one in found]
    return [(one, known) for one, known in pairs if known is not None]


def _cell(ours: Mean | None, known: PublishedFigures, hop: int) -> str:
    """Return `within`, or the signed distance to the published range, such as `-.120`."""
    if ours is None or hop not in known.by_length:
        return ""
    difference = ours.value - known.by_length[hop]
    beyond = abs(difference) - known.deviations.get(str(hop), 0.0)
    return "within" if beyond <= _ROUNDING else ("-" if difference < 0 else "+") + format_share(beyond)
