"""Figures of experiments as SVG, drawn with matplotlib; the same results give the same bytes."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from r5._util.files.writing import write_bytes
from r5.bench.experiments.experiment import Experiment
from r5.bench.markdown import dataset_label
from r5.bench.records.store import Record
from r5.bench.records.summary import Mean, Summary, summarize
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
"""Published systems that are drawn, the strongest of their kind; the tables show all."""


def write_figures(
    experiments: Sequence[Experiment],
    records: Mapping[str, Record],
    folder: Path,
    quick: bool = False,
    stand_ins: bool = False,
) -> list[Path]:
    """Draw the experiments that are figures or have results by hops.

    Args:
        experiments: The experiments.
        records: Records by key.
        folder: Folder of the SVG files.
        quick: Whether to draw quick runs.
        stand_ins: Whether to draw runs on stand-ins.

    Returns:
        Paths of the files.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    try:
        import matplotlib as mpl
    except ImportError:
        raise need("matplotlib", "plots") from None
    drawers: dict[str, Callable[[Axes, Experiment, list[Summary], bool], None]] = {
        "hops": _draw_hops,
        "values": _draw_values,
        "epochs": _draw_epochs,
    }
    written = []
    prefix = "stand-ins-" if stand_ins else ""
    with mpl.rc_context(_STYLE):
        for experiment in experiments:
            found = summarize(experiment, records, stand_ins, quick)
            if found and experiment.shows in drawers:
                title = experiment.title + (", on stand-ins" if stand_ins else "")
                draw = drawers[experiment.shows]
                written.append(folder / f"{prefix}{experiment.name}.svg")
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


def _draw_hops(axes: Axes, experiment: Experiment, found: list[Summary], published: bool) -> None:
    for one in found:
        hops = [hop for hop in experiment.hops if hop in one.by_length]
        _draw_line(axes, hops, [one.by_length[hop] for hop in hops], f"{one.row.name}, ours")
    for known in experiment.published if published else ():
        if known.system in _PUBLISHED:
            axes.plot(list(known.by_length), list(known.by_length.values()), "--", label=f"{known.system}, published")
    axes.set(xlabel="hops", ylabel="accuracy", xticks=experiment.hops)


def _draw_values(axes: Axes, experiment: Experiment, found: list[Summary], published: bool) -> None:
    name, values = experiment.vary or ("", ())
    for data in dict.fromkeys(one.data for one in found):
        means = {one.value: one.accuracy for one in found if one.data == data and one.accuracy is not None}
        _draw_line(axes, [value for value in values if value in means], list(means.values()), dataset_label(data))
    axes.set(xlabel=f"{name} relations (n)", ylabel="test accuracy", xscale="log")
    axes.set_xticks(values, labels=[str(value) for value in values])
    axes.minorticks_off()


def _draw_epochs(axes: Axes, experiment: Experiment, found: list[Summary], published: bool) -> None:
    for index, one in enumerate(found):
        numbers = list(range(1, len(one.epochs) + 1))
        for part, measure, style in ((0, "accuracy", "-"), (1, "rule recall", ":")):
            points = [(number, point[part]) for number, point in zip(numbers, one.epochs, strict=True)]
            known = [(number, mean) for number, mean in points if mean is not None]
            if known:
                epochs, means = zip(*known, strict=True)
                _draw_line(axes, epochs, means, f"{one.row.name}, {measure}", style, f"C{index}")
    longest = max((len(one.epochs) for one in found), default=0)
    axes.set(xlabel="epoch", ylabel="on test data", xticks=range(1, longest + 1))


def _draw_line(
    axes: Axes, positions: Sequence[Any], means: Sequence[Mean], name: str, style: str = "-", colour: str | None = None
) -> None:
    deviations = [mean.deviation or 0.0 for mean in means]
    values = [mean.value for mean in means]
    axes.errorbar(
        positions, values, deviations, fmt=style, marker="o", markersize=4, capsize=2, label=name, color=colour
    )
