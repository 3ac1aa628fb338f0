"""Charts: positions of known figures, well-formed SVG, titles and descriptions."""

from __future__ import annotations

import math
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from r5.evaluation import Part
from r5.report.charts.axes import Axis, Plot, fit_axis
from r5.report.charts.bars import Bar, bar_chart
from r5.report.charts.formatting import format_figure, format_percent
from r5.report.charts.heatmap import Cell, colour_level, heat_map
from r5.report.charts.lines import Line, line_chart, separate_labels, thin_points
from r5.report.sections.calibration import Bin, bin_answers, calibration_error, reliability_diagram

NAME = 'a <b> & "c"'


def parsed(svg: str) -> ElementTree.Element:
    """Parse a chart as XML, and check its title and description."""
    root = ElementTree.fromstring(svg)  # noqa: S314  made here
    assert root.tag == "svg"
    title, description = root[0], root[1]
    assert (title.tag, description.tag) == ("title", "desc")
    assert title.text
    assert description.text
    assert root.get("aria-labelledby") == f"{title.get('id')} {description.get('id')}"
    return root


def of_class(root: ElementTree.Element, name: str) -> list[ElementTree.Element]:
    return [one for one in root.iter() if name in (one.get("class") or "").split()]


finite = st.floats(-1e6, 1e6)


@given(st.lists(finite, min_size=1, max_size=20), st.integers(2, 9), st.booleans())
def test_an_axis_covers_its_values_with_round_ticks(values: list[float], count: int, whole: bool) -> None:
    axis = fit_axis(values, "x", count=count, whole=whole)
    slack = 1e-6 * max(1.0, abs(axis.low), abs(axis.high))
    assert axis.low - slack <= min(values) <= max(values) <= axis.high + slack
    assert axis.low < axis.high
    assert list(axis.ticks) == sorted(set(axis.ticks))
    assert 2 <= len(axis.ticks) <= 3 * count + 2
    if whole:
        assert all(tick == int(tick) for tick in axis.ticks)


def test_axes_of_shares_stay_between_0_and_1() -> None:
    assert (fit_axis([1.0, 1.0], "", format_percent).low, fit_axis([1.0, 1.0], "", format_percent).high) == (
        0.5,
        1.0,
    )
    assert fit_axis([0.0], "", format_percent).low == 0.0
    assert fit_axis([], "").ticks[-1] == 1.0


def test_formats_of_numbers() -> None:
    assert [format_percent(value) for value in (0.0, 0.0001, 0.5, 2 / 3)] == ["0%", "<0.1%", "50%", "66.7%"]
    assert [format_figure(value) for value in (0.0, 12.0, -0.1234, 1234567.8)] == [
        "0",
        "12",
        "\u22120.123",
        "1,234,568",
    ]


def test_plot_coordinates_of_points() -> None:
    plot = Plot(Axis(0, 10, (), ""), Axis(0, 1, (), ""), left=10, top=20, right=110, bottom=220)
    assert plot.at(0, 0) == (10, 220)
    assert plot.at(10, 1) == (110, 20)
    assert plot.at(5, 0.25) == (60, 170)


@pytest.mark.parametrize(("labels", "shown"), [("right", 2), ("below", 2), ("none", 0)])
def test_line_charts_have_series_labels_and_bands(labels: str, shown: int) -> None:
    lines = [
        Line(NAME, ((4, 1.0), (5, 0.5)), band=((0.9, 1.0), (0.3, 0.7))),
        Line("rival", ((4, 0.8), (5, 0.7)), "rival-1"),
        Line("rest", ((4, 0.2), (5, 0.1)), "quiet"),
    ]
    axes = fit_axis([4, 5], "length", whole=True), fit_axis([0.0, 1.0], "accuracy", format_percent)
    svg = line_chart("c", lines, axes, title="T", description="D", size=(400, 300), labels=labels)
    root = parsed(svg)
    drawn = of_class(root, "series")
    assert [one.get("class") for one in drawn if one.find("polyline") is not None][-1] == "series main"
    assert len(of_class(root, "label")) == shown
    places = [point.split(",") for point in of_class(root, "main")[0].find("polyline").get("points").split()]
    (x0, y0), (x1, y1) = [(float(x), float(y)) for x, y in places]
    assert x0 < x1
    assert y0 < y1, "a lower accuracy lies further down"
    assert len(of_class(root, "dot")) == 2
    assert len(of_class(root, "band")) == 1
    assert "&lt;b&gt;" in svg


@given(st.lists(st.floats(0, 300), max_size=12))
def test_separated_labels_keep_order_and_gap(heights: list[float]) -> None:
    placed = separate_labels(heights, gap=17.0)
    order = sorted(range(len(heights)), key=lambda n: heights[n])
    assert all(placed[b] - placed[a] >= 17 - 1e-6 for a, b in pairwise(order))
    if placed:
        assert math.isclose(sum(placed), sum(heights), abs_tol=1e-6), "labels move no further than they must"


def test_thin_points_keeps_both_ends() -> None:
    points = [(float(n), float(n)) for n in range(1000)]
    kept = thin_points(points, limit=10)
    assert (len(kept), kept[0], kept[-1]) == (10, points[0], points[-1])
    assert thin_points(points[:5]) == tuple(points[:5])


def test_bars_are_as_long_as_their_share() -> None:
    bars = [Bar("one", 1.0, "main", (0.9, 1.0)), Bar(NAME, 0.25, note="Table 4")]
    root = parsed(bar_chart("b", bars, title="T", description="D", width=400))
    widths = [float(bar.get("width", 0)) for bar in of_class(root, "bar")]
    assert widths[1] == pytest.approx(widths[0] / 4, abs=0.01)
    assert len(of_class(root, "whisker")) == 1
    assert root.findall(".//g/title")[1].text == f"{NAME}: 25%, Table 4"


def test_a_heat_map_names_its_cells_and_one_is_reachable() -> None:
    cells = {(1, 0): Cell(5, "aunt", f"aunt <= {NAME}", "wrong", {"left": NAME}), (0, 1): Cell(1, "x" * 40, "long")}
    svg = heat_map("h", ["r", NAME], ["c", "d"], cells, title="T", description="D", corner=("row", "column"))
    root = parsed(svg)
    assert root.get("role") == "group"
    found = of_class(root, "cell")
    assert [cell.get("aria-label") for cell in found] == ["long", f"aunt <= {NAME}"]
    assert [cell.get("tabindex") for cell in found] == ["0", "-1"]
    assert (found[1].get("data-left"), found[1].get("data-row")) == (NAME, "1")
    assert found[1].get("class") == "cell level-5 wrong"
    text = found[0].find("text")
    assert text is not None
    assert (text.text or "").endswith("…")


@given(st.floats(0, 1))
def test_colour_levels_are_five_equal_steps(share: float) -> None:
    level = colour_level(share)
    assert 1 <= level <= 5
    assert share <= level / 5 + 1e-9
    assert level == 1 or share > (level - 1) / 5 - 1e-9


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), max_size=60), st.integers(1, 20))
def test_bins_contain_every_answer_once(answers: list[tuple[float, bool]], count: int) -> None:
    bins = bin_answers([c for c, _ in answers], [r for _, r in answers], count)
    assert sum(one.answers.n for one in bins) == len(answers)
    assert sum(one.answers.right for one in bins) == sum(right for _, right in answers)
    for one in bins:
        assert one.low - 1e-9 <= one.confidence <= one.high + 1e-9
    assert 0 <= calibration_error(bins) <= 1


def test_the_calibration_error_of_a_known_case() -> None:
    # 10 answers at 0.9 of which 5 are right, 10 at 0.5 of which 5 are: half of the answers are off by 0.4.
    bins = bin_answers([0.9] * 10 + [0.5] * 10, ([True] * 5 + [False] * 5) * 2)
    assert [(one.low, one.high) for one in bins] == [(0.4, 0.5), (0.8, 0.9)]
    assert calibration_error(bins) == pytest.approx(0.2)
    assert [round(one.gap, 6) for one in bins] == [0.0, -0.4]


def test_the_reliability_diagram_has_a_point_and_a_bar_for_each_bin() -> None:
    bins = [Bin(0.4, 0.5, Part(10, 5), 0.5), Bin(0.9, 1.0, Part(90, 88), 0.97)]
    root = parsed(reliability_diagram("r", bins, title="T", description="D", kind="score"))
    assert len(of_class(root, "dot")) == 2
    assert len(of_class(root, "whisker")) == 2
    small, large = (float(bar.get("height", 0)) for bar in of_class(root, "count"))
    assert small == pytest.approx(large / 9, abs=0.01)
