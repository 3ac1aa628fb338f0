"""Experiment files: their keys, and agreement with the figures of the paper."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from r5.baselines.settings import baseline_settings
from r5.bench.experiments.experiment import Experiment
from r5.bench.experiments.folder import load_experiments
from r5.bench.experiments.reader import read_experiment
from r5.data.catalogue import catalogue
from r5.errors import DataError

EXPERIMENTS = {experiment.name: experiment for experiment in load_experiments()}
# One row of each table, copied from the paper by hand; tests below compare all rows if the source is available.
CHECKS = {
    ("clutrr-k23", "R5", "data_089907f8"): ".98 .99 .98 .96 .97 .98 .97",
    ("clutrr-k234", "CTP_A", "data_db9b8f04"): ".99 .99 .97 .95 .93 .91",
    ("clutrr-k23-long", "LSTM_l", "data_089907f8"): "1.0 1.0 .95 .94 .87 .86 .84",
    ("clutrr-k234-long", "GCN_l", "data_db9b8f04"): ".88 .78 .60 .57 .59 .51",
    ("graphlog", "R5", "world_7"): ".749 .95",
    ("re", "CTP", "re_1"): ".190 .75",
    ("ablations", "R5 w/o PVN", "re_2"): ".208 .60",
    ("augmentation", "R5 + R-GCN", "world_32"): ".947",
    ("rule-learners", "RNNLogic w/o emb", "re_0"): ".348",
    ("extra-features", "R5 with extra features", "world_17"): ".941",
}


def test_every_table_and_figure_of_the_paper_has_a_file() -> None:
    tables = {experiment.table for experiment in EXPERIMENTS.values()}
    wanted = {f"Table {number}" for number in (2, 3, 4, 5, 6, 9, 10, 11, 15, 16)} | {"Figure 3", "Figures 5 and 6"}
    assert tables == wanted | {"Beyond the paper"}
    assert list(EXPERIMENTS)[-3:] == ["epochs", "invented", "tuned-ablations"]


@pytest.mark.parametrize(("place", "figures"), CHECKS.items(), ids=lambda value: "-".join(value[:3]))
def test_figures_match_the_paper(place: tuple[str, str, str], figures: str) -> None:
    name, system, data = place
    found = EXPERIMENTS[name].published_figures(system, data)
    assert found is not None
    shown = [*found.by_length.values()] or [value for value in (found.accuracy, found.recall) if value is not None]
    assert shown == [float(figure) for figure in figures.split()]


@pytest.fixture(scope="module")
def paper() -> list[list[list[str]]]:
    """Return the cells of all tables in the source of the paper, if it is available."""
    folder = Path(__file__).resolve().parents[4] / "shared" / "paper"
    sources = [path for path in sorted(folder.glob("*.txt")) if "R5" in path.read_text(encoding="utf-8")[:5000]]
    if not sources:
        pytest.skip("the source of the paper is not here; the typed figures were compared")
    text = sources[0].read_text(encoding="utf-8")
    found = re.findall(r"\\begin\{tabular\}(.*?)\\end\{tabular\}", text, flags=re.DOTALL)
    # A row of Table 6 is broken over two lines of the source.
    bodies = [re.sub(r"&\s*\n", "& ", body) for body in found]
    return [[[_cell(cell) for cell in line.split("&")] for line in body.splitlines() if "&" in line] for body in bodies]


def _cell(text: str) -> str:
    text = text.replace("$\\bf$", "").replace("\\textbf", "").replace("\\mbox", "").replace("$\\pm$", " ± ")
    return re.sub(r"[${}\\]|\^\*|\^dagger", "", text.replace("\\dagger", "dagger")).strip()


def _figure(cell: str) -> tuple[float | None, float | None]:
    value, _, spread = cell.partition(" ± ")
    return float(value), float(spread) if spread else None


@pytest.mark.parametrize(
    ("name", "number"), [("clutrr-k23", 1), ("clutrr-k234", 2), ("clutrr-k23-long", 9), ("clutrr-k234-long", 10)]
)
def test_tables_by_hops_match_the_source(paper: list[list[list[str]]], name: str, number: int) -> None:
    experiment = EXPERIMENTS[name]
    rows = {row[0]: [_figure(cell) for cell in row[1:]] for row in paper[number][1:]}
    assert [re.sub(r"\D", "", cell) for cell in paper[number][0][1:]] == [str(hop) for hop in experiment.hops]
    found = {
        one.system: [(one.by_length[hop], one.deviations[str(hop)]) for hop in experiment.hops]
        for one in experiment.published
    }
    assert found == rows


@pytest.mark.parametrize(
    ("name", "number", "columns"),
    [
        ("graphlog", 3, {"E-GAT": (3, None), "R-GCN": (4, None), "CTP": (5, 6), "R5": (7, 8)}),
        ("re", 4, {"CTP": (5, 6), "R5": (7, 8)}),
    ],
)
def test_tables_by_world_match_the_source(
    paper: list[list[list[str]]], name: str, number: int, columns: dict[str, tuple[int, int | None]]
) -> None:
    wanted = {}
    for row in paper[number][2:]:
        for system, (accuracy, recall) in columns.items():
            world = row[0].lower().replace(" ", "_")
            wanted[system, world] = _figure(row[accuracy]), _figure(row[recall]) if recall else (None, None)
    assert _pairs(EXPERIMENTS[name]) == wanted


@pytest.mark.parametrize(
    ("name", "number", "data", "width"),
    [
        ("ablations", 5, ("world_2", "world_6", "re_2"), 2),
        ("augmentation", 8, ("re_1", "re_2", "world_32"), 1),
        ("rule-learners", 14, ("world_17", "re_0"), 1),
        ("extra-features", 15, ("world_17", "re_0"), 1),
    ],
)
def test_tables_by_system_match_the_source(
    paper: list[list[list[str]]], name: str, number: int, data: tuple[str, ...], width: int
) -> None:
    wanted = {}
    for row in paper[number][2 if width == 2 else 1 :]:
        for place, world in enumerate(data):
            cells = [_figure(cell) for cell in row[1 + place * width : 1 + (place + 1) * width]]
            wanted[row[0], world] = cells[0], cells[1] if width == 2 else (None, None)
    assert _pairs(EXPERIMENTS[name]) == wanted


def _pairs(experiment: Experiment) -> dict[tuple[str, str], tuple[object, object]]:
    return {
        (one.system, one.data): (
            (one.accuracy, one.deviations.get("accuracy")),
            (one.recall, one.deviations.get("recall")),
        )
        for one in experiment.published
    }


def test_invalid_ratios_and_statistics_match_the_source(paper: list[list[list[str]]]) -> None:
    shown = {one.data: one.invalid for one in EXPERIMENTS["augmentation"].published if one.invalid is not None}
    assert shown == {"re_1": 0.26, "re_2": 0.434, "world_32": 0.085}  # in the text of Appendix B
    names = ("classes", "distinct_paths", "average_resolution_length", "average_nodes", "average_edges")
    for row in paper[7][1:]:
        known = catalogue()[row[0].lower().replace(" ", "_")].statistics
        assert [known[name] for name in (*names, "train", "test")] == [float(cell) for cell in row[1:]]


@pytest.mark.parametrize("experiment", EXPERIMENTS.values(), ids=EXPERIMENTS)
def test_data_sets_are_known_and_settings_are_accepted(experiment: Experiment) -> None:
    assert set(experiment.data) <= set(catalogue())
    names = {one.system for one in experiment.published}
    for row in experiment.rows:
        ours = row.name == "grammar" or any(mark in row.name for mark in ("tuned", ", reads", ", marked"))
        assert row.name in names or ours or experiment.name in ("re", "invented", "epochs", "tuned-ablations")
        for data in experiment.data:
            settings = experiment.settings(row, data)
            parts = {row.engine: settings} if "+" not in row.engine else settings
            for engine, some in parts.items():
                accept(engine, some)


def accept(engine: str, settings: dict[str, object]) -> None:
    """Raise an error if an engine does not accept these settings."""
    if engine == "r5":
        from r5.reasoners.r5 import R5Reasoner

        R5Reasoner(**settings)  # type: ignore[arg-type]
    elif engine == "grammar":
        from r5.grammar.settings import GrammarSettings

        GrammarSettings(**settings)  # type: ignore[arg-type]
    else:
        baseline_settings(engine, **settings)


def test_settings_of_joined_engines_are_keyed_by_engine() -> None:
    experiment = EXPERIMENTS["augmentation"]
    row = next(row for row in experiment.rows if row.engine == "r5+rgcn")
    assert experiment.settings(row, "re_2") == {"r5": {"preset": "paper"}, "rgcn": {}}


GOOD = """
title: A title
table: Table 4
shows: accuracy
data: {re_0: {r5: {preset: paper}}}
rows: [{name: R5, engine: r5}]
published: {R5: {re_0: {accuracy: 0.5 ± 0.1, recall: 1.0}}}
"""


def changed(**changes: object) -> str:
    content = yaml.safe_load(GOOD)
    for key, value in changes.items():
        if value is None:
            del content[key]
        else:
            content[key] = value
    return yaml.safe_dump(content, allow_unicode=True)


def test_a_valid_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "one.yaml"
    path.write_text(GOOD)
    found = read_experiment(path)
    assert (found.name, found.published[0].deviations, found.note) == ("one", {"accuracy": 0.1}, "")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("title: [", "is not valid YAML"),
        ("- 1", "the file: expected a mapping"),
        (changed(title=None), "the file: the key 'title' is missing"),
        (changed(tabel="Table 4"), "the file: unknown key 'tabel'; expected title"),
        (changed(title=3), "title: expected text, not 3"),
        (changed(table="4"), "table: expected text such as"),
        (changed(shows="all"), "shows: expected one of accuracy, hops, values, epochs, not 'all'"),
        (changed(hops=[4]), "hops: an experiment that shows hops needs this key"),
        (changed(shows="values"), "vary: an experiment that shows values needs this key"),
        (changed(shows="values", vary={"a": [1], "b": [2]}), "vary: expected one setting"),
        (changed(shows="values", vary={"a": 1}), "vary.a: expected a list"),
        (changed(shows="hops", hops=[True]), "hops: expected a number of hops"),
        (changed(rows=[]), "rows: expected a list"),
        (changed(rows=[{"name": "a"}]), r"rows\[0\]: the key 'engine' is missing"),
        (changed(rows=[{"name": "a", "engine": "r5", "seed": 1}]), r"rows\[0\]: unknown key 'seed'"),
        (changed(rows=[{"name": "a", "engine": "r5 and more"}]), r"rows\[0\].engine: expected one engine"),
        (changed(rows=[{"name": "a", "engine": "a+b", "settings": {"c": {}}}]), "expected settings of a and b"),
        (changed(rows=[{"name": "a", "engine": "r5"}] * 2), "two rows have the same name"),
        (changed(data={"re_0": 1}), "data.re_0: expected a mapping"),
        (changed(data={"re_0": {"r5": {1: 2}}}), "data.re_0.r5: expected text, not 1"),
        (changed(published={"R5": {"re_1": {"accuracy": 1}}}), "published.R5.re_1: is not one of the data sets"),
        (changed(published={"R5": {"re_0": {"acc": 1}}}), "published.R5.re_0: unknown key 'acc'"),
        (changed(published={"R5": {"re_0": {}}}), "published.R5.re_0: expected accuracy"),
        (changed(published={"R5": {"re_0": {"accuracy": 1.5}}}), "between 0 and 1, not 1.5"),
        (changed(published={"R5": {"re_0": {"accuracy": "high"}}}), "expected a share such as"),
        (changed(published={"R5": {"re_0": {"accuracy": True}}}), "expected a share such as"),
        (changed(published={"R5": {"re_0": {"by_length": {4: 0.5}}}}), "by_length: expected the hops"),
    ],
)
def test_an_invalid_file_is_an_error_that_names_file_and_key(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text(text)
    with pytest.raises(DataError, match=rf"bad\.yaml: .*{words}"):
        read_experiment(path)


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot be read"):
        read_experiment(tmp_path / "none.yaml")
