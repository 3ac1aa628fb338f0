"""How far our means are from what was published, hop by hop: inside of the printed spread, or so much beyond it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from r5.bench.experiments import Experiment, Published
from r5.bench.markdown import share, table
from r5.bench.store import Record
from r5.bench.summary import Mean, Summary, summaries

__all__ = ["spreads"]

_OWN = ("r5", "grammar")
"""Engines that are no baselines."""
_ROUNDING = 1e-9
"""A mean on the very edge of the spread is inside, however its digits were rounded."""


def spreads(experiments: Sequence[Experiment], records: Mapping[str, Record]) -> str:
    """One table for each experiment by hops: the baselines that a published row stands beside."""
    parts = []
    for experiment in (one for one in experiments if one.shows == "hops"):
        rows = [
            [one.row.name, str(len(one.seeds)), *(_cell(one.by_length.get(hop), known, hop) for hop in experiment.hops)]
            for one, known in _beside(experiment, records)
        ]
        if rows:
            header = ["system", "seeds", *(f"{hop} hops" for hop in experiment.hops)]
            parts += [f"{experiment.title} ({experiment.table}):", table(header, rows, keep=2)]
    return "\n\n".join(parts)


def _beside(experiment: Experiment, records: Mapping[str, Record]) -> list[tuple[Summary, Published]]:
    found = [one for one in summaries(experiment, records) if one.row.engine not in _OWN]
    pairs = [(one, experiment.figure(one.row.name, one.data)) for one in found]
    return [(one, known) for one, known in pairs if known is not None]


def _cell(ours: Mean | None, known: Published, hop: int) -> str:
    """Such as `within`, or `-.120`: so much below the lower end of the spread."""
    if ours is None or hop not in known.by_length:
        return ""
    away = ours.value - known.by_length[hop]
    beyond = abs(away) - known.spread.get(str(hop), 0.0)
    return "within" if beyond <= _ROUNDING else ("-" if away < 0 else "+") + share(beyond)
