"""The figures of the experiments as SVG: the same results, the same bytes."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from r5._util.files.writing import write_bytes
from r5.bench.experiments import Experiment
from r5.bench.markdown import label
from r5.bench.store import Record
from r5.bench.summary import Mean, Summary, summaries
from r5.errors import need

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["write_figures"]

_STYLE: Any = {
    "backend": "Agg",
    "svg.hashsalt": "r5",
    "svg.fonttype": "none",
    "font.family": "DejaVu Sans",
    "axes.grid": True,
    "grid.alpha": 0.3,
    "axes.spines.top": False,
    "axes.spines.right": False,
}
_PUBLISHED = ("R5", "CTP_L", "CTP_A", "LSTM_s", "LSTM_l", "CNN_s", "CNN_l")
"""Published systems that are drawn, the strongest; all are in the tables."""


def write_figures(
    experiments: Sequence[Experiment],
    records: Mapping[str, Record],
    folder: Path,
    quick: bool = False,
    stand_ins: bool = False,
) -> list[Path]:
    """Draw each experiment that is a figure or goes by hops; the files that were written."""
    try:
        import matplotlib as mpl
    except ImportError:
        raise need("matplotlib", "plots") from None
    makers: dict[str, Callable[[Axes, Experiment, list[Summary], bool], None]] = {
        "hops": _hops,
        "values": _values,
        "epochs": _epochs,
    }
    written = []
    mark = "stand-ins-" if stand_ins else ""
    with mpl.rc_context(_STYLE):
        for experiment in experiments:
            found = summaries(experiment, records, stand_ins, quick)
            if found and experiment.shows in makers:
                title = experiment.title + (", on stand-ins" if stand_ins else "")
                draw = makers[experiment.shows]
                written.append(folder / f"{mark}{experiment.name}.svg")
                _save(written[-1], title, draw, experiment, found, not stand_ins)
    return written


def _save(
    path: Path,
    title: str,
    draw: Callable[[Axes, Experiment, list[Summary], bool], None],
    experiment: Experiment,
    found: list[Summary],
    published: bool,
) -> None:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.2, 4.2), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    draw(axes, experiment, found, published)
    axes.set_title(title, fontsize=11)
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=8, frameon=False)
    content = io.BytesIO()
    figure.savefig(content, format="svg", metadata={"Date": None})
    write_bytes(path, content.getvalue(), force=True)


def _hops(axes: Axes, experiment: Experiment, found: list[Summary], published: bool) -> None:
    for one in found:
        hops = [hop for hop in experiment.hops if hop in one.by_length]
        _line(axes, hops, [one.by_length[hop] for hop in hops], f"{one.row.name}, ours")
    for known in experiment.published if published else ():
        if known.system in _PUBLISHED:
            axes.plot(list(known.by_length), list(known.by_length.values()), "--", label=f"{known.system}, published")
    axes.set(xlabel="hops", ylabel="accuracy", xticks=experiment.hops)


def _values(axes: Axes, experiment: Experiment, found: list[Summary], published: bool) -> None:
    name, values = experiment.vary or ("", ())
    for data in dict.fromkeys(one.data for one in found):
        means = {one.value: one.accuracy for one in found if one.data == data and one.accuracy is not None}
        _line(axes, [value for value in values if value in means], list(means.values()), label(data))
    axes.set(xlabel=f"{name} relations (n)", ylabel="test accuracy", xscale="log")
    axes.set_xticks(values, labels=[str(value) for value in values])
    axes.minorticks_off()


def _epochs(axes: Axes, experiment: Experiment, found: list[Summary], published: bool) -> None:
    for place, one in enumerate(found):
        numbers = list(range(1, len(one.epochs) + 1))
        for part, what, style in ((0, "accuracy", "-"), (1, "rule recall", ":")):
            points = [(number, point[part]) for number, point in zip(numbers, one.epochs, strict=True)]
            known = [(number, mean) for number, mean in points if mean is not None]
            if known:
                where, means = zip(*known, strict=True)
                _line(axes, where, means, f"{one.row.name}, {what}", style, f"C{place}")
    most = max((len(one.epochs) for one in found), default=0)
    axes.set(xlabel="epoch", ylabel="on test data", xticks=range(1, most + 1))


def _line(
    axes: Axes, where: Sequence[Any], means: Sequence[Mean], name: str, style: str = "-", colour: str | None = None
) -> None:
    spreads = [mean.spread or 0.0 for mean in means]
    values = [mean.value for mean in means]
    axes.errorbar(where, values, spreads, fmt=style, marker="o", markersize=4, capsize=2, label=name, color=colour)
