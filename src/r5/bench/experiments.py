"""The published experiments: what was run on which data with which settings, and the figures that were printed.

Each is a file in `experiments/`; what such a file may say is checked here, key by key.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from r5._util.ordering import natural_key
from r5.errors import DataError, R5Error

__all__ = ["SHOWS", "Experiment", "Published", "Row", "experiments_folder", "load_experiments", "published"]

SHOWS = ("accuracy", "hops", "values", "epochs")
"""What a table is about: figures by data set, by hops, by the value of a setting, or by epoch."""
_STUDY = re.compile(r"(chains|grammar)-ablations")
"""Files of `r5 bench ablations`."""
_FIGURE = re.compile(r"(\d*\.?\d+) ± (\d*\.?\d+)")


@dataclass(frozen=True, slots=True)
class Published:
    """The figures that a paper printed for one system on one data set."""

    system: str
    table: str
    """Where they stand in the R5 paper, such as `Table 4`."""
    accuracy: float | None = None
    recall: float | None = None
    by_length: Mapping[int, float] = field(default_factory=dict)
    data: str = ""
    invalid: float | None = None
    """The share of questions without a valid answer."""
    spread: Mapping[str, float] = field(default_factory=dict)
    """What stands after the plus-minus sign, by `accuracy`, `recall` or the length."""


@dataclass(frozen=True, slots=True)
class Row:
    """One of our runs in a table; its name is that of the published system it stands beside, where there is one."""

    name: str
    engine: str
    """An engine, or two joined by a plus: the second answers where the first cannot say."""
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Experiment:
    """One table or figure of the paper."""

    name: str
    title: str
    table: str
    shows: str
    data: Mapping[str, Mapping[str, Mapping[str, Any]]]
    """For each data set, in the order of the table, the settings that it asks of an engine."""
    rows: tuple[Row, ...]
    published: tuple[Published, ...]
    hops: tuple[int, ...] = ()
    vary: tuple[str, tuple[Any, ...]] | None = None
    """A setting and the values it takes, for a figure over them."""
    note: str = ""

    def settings(self, row: Row, data: str) -> dict[str, Any]:
        """All settings of a row on a data set; of two engines joined by a plus, by engine."""
        wanted = self.data.get(data, {})
        parts = row.engine.split("+")
        if len(parts) == 1:
            return {**wanted.get(row.engine, {}), **row.settings}
        return {part: {**wanted.get(part, {}), **row.settings.get(part, {})} for part in parts}

    def figure(self, system: str, data: str) -> Published | None:
        """What was printed for a system on a data set."""
        return next((found for found in self.published if (found.system, found.data) == (system, data)), None)


def experiments_folder() -> Path:
    """Where the files are: in the installed package, or beside the sources they were checked out with."""
    packaged = Path(__file__).parents[1] / "_experiments"
    return packaged if packaged.is_dir() else Path(__file__).resolve().parents[3] / "experiments"


def load_experiments(folder: str | Path | None = None) -> tuple[Experiment, ...]:
    """All experiments, tables before figures, in the order of the paper.

    >>> [experiment.name for experiment in load_experiments()][:3]
    ['clutrr-k23', 'clutrr-k234', 'graphlog']
    """
    where = experiments_folder() if folder is None else Path(folder)
    found = [read_experiment(path) for path in sorted(where.glob("*.yaml")) if not _STUDY.fullmatch(path.stem)]
    if not found:
        raise DataError("holds no experiments (*.yaml)", where)
    return tuple(sorted(found, key=lambda one: (_place(one.table), natural_key(one.table))))


def _place(table: str) -> int:
    """Tables come before figures, and both before what is beyond the paper."""
    return 0 if table.startswith("Table") else 1 if table.startswith("Figure") else 2


def published(name: str) -> tuple[Published, ...]:
    """What the paper printed for a data set, given by its folder's name; what it printed again is here once.

    >>> [(one.system, one.accuracy) for one in published("world_17")][:3]
    [('E-GAT', 0.347), ('R-GCN', 0.181), ('CTP', 0.789)]
    """
    found: list[Published] = []
    for experiment in load_experiments():
        for new in experiment.published:
            again = any(
                old.system == new.system
                and old.accuracy == new.accuracy
                and old.by_length == new.by_length
                and new.recall in (None, old.recall)
                and new.invalid in (None, old.invalid)
                for old in found
            )
            if new.data == name and not again:
                found.append(new)
    return tuple(found)


def read_experiment(path: str | Path) -> Experiment:
    """One file, checked; what is wrong with it is said with the file and the key."""
    path = Path(path)
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror}", path) from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise DataError(f"is not valid YAML: {' '.join(str(error).split())}", path) from None
    try:
        return _experiment(path.stem, content)
    except R5Error as error:
        raise DataError(str(error), path) from None


def _experiment(name: str, content: object) -> Experiment:
    keys = ("title", "table", "shows", "data", "rows", "published")
    found = _mapping(content, "the file", keys, ("hops", "vary", "note"))
    shows, table = _word(found["shows"], "shows"), _word(found["table"], "table")
    if shows not in SHOWS:
        raise R5Error(f"shows: expected one of {', '.join(SHOWS)}, not {shows!r}")
    if not re.fullmatch(r"(Table|Figure) \d+|Figures \d+ and \d+|Beyond the paper", table):
        raise R5Error(f"table: expected such as 'Table 4' or 'Figures 5 and 6', not {table!r}")
    for key, kind in (("hops", "hops"), ("vary", "values")):
        if (shows == kind) != (key in found):
            raise R5Error(f"{key}: belongs to, and is needed by, an experiment that shows {kind}")
    data = {_word(key, "data"): _data(value, f"data.{key}") for key, value in _mapping(found["data"], "data").items()}
    rows = tuple(_row(value, f"rows[{place}]") for place, value in enumerate(_list(found["rows"], "rows")))
    if len({row.name for row in rows}) != len(rows):
        raise R5Error("rows: two rows have one name")
    hops = tuple(_hop(value, "hops") for value in _list(found["hops"], "hops")) if "hops" in found else ()
    return Experiment(
        name=name,
        title=_word(found["title"], "title"),
        table=table,
        shows=shows,
        data=data,
        rows=rows,
        published=_published(found["published"], table, data, hops),
        hops=hops,
        vary=_vary(found["vary"]) if "vary" in found else None,
        note=_word(found.get("note", "-"), "note").removeprefix("-"),
    )


def _data(value: object, where: str) -> dict[str, dict[str, Any]]:
    return {
        _word(engine, where): _settings(some, f"{where}.{engine}") for engine, some in _mapping(value, where).items()
    }


def _row(value: object, where: str) -> Row:
    found = _mapping(value, where, ("name", "engine"), ("settings",))
    settings = _settings(found.get("settings", {}), f"{where}.settings")
    engine = _word(found["engine"], f"{where}.engine")
    if not re.fullmatch(r"[\w-]+(\+[\w-]+)?", engine):
        raise R5Error(f"{where}.engine: expected an engine or two joined by a plus, not {engine!r}")
    parts = engine.split("+")
    if len(parts) == 2:
        settings = {part: _settings(some, f"{where}.settings.{part}") for part, some in settings.items()}
        if not set(settings) <= set(parts):
            raise R5Error(f"{where}.settings: expected settings of {' and '.join(parts)}, each by itself")
    return Row(_word(found["name"], f"{where}.name"), engine, settings)


def _vary(value: object) -> tuple[str, tuple[Any, ...]]:
    found = _mapping(value, "vary")
    if len(found) != 1:
        raise R5Error("vary: expected one setting with a list of values")
    name, values = next(iter(found.items()))
    return _word(name, "vary"), tuple(_list(values, f"vary.{name}"))


def _published(value: object, table: str, data: Mapping[str, object], hops: tuple[int, ...]) -> tuple[Published, ...]:
    found = []
    for system, figures in _mapping(value, "published").items():
        for name, one in _mapping(figures, f"published.{system}").items():
            where = f"published.{system}.{name}"
            if name not in data:
                raise R5Error(f"{where}: is not among the data of the experiment")
            found.append(_figures(one, _word(system, "published"), table, name, where, hops))
    return tuple(found)


def _figures(value: object, system: str, table: str, data: str, where: str, hops: tuple[int, ...]) -> Published:
    content = _mapping(value, where, (), ("accuracy", "recall", "invalid", "by_length"))
    read = {key: _figure(some, f"{where}.{key}") for key, some in content.items() if key != "by_length"}
    lengths = _mapping(content.get("by_length", {}), f"{where}.by_length")
    if lengths and tuple(lengths) != hops:
        raise R5Error(f"{where}.by_length: expected the hops {', '.join(map(str, hops))}")
    by_length = {_hop(hop, where): _figure(some, f"{where}.by_length.{hop}") for hop, some in lengths.items()}
    if not read and not by_length:
        raise R5Error(f"{where}: expected accuracy or by_length")
    spread = {str(key): part for key, (_, part) in {**read, **by_length}.items() if part is not None}
    values = {key: part for key, (part, _) in read.items()}
    return Published(
        system, table, by_length={hop: part for hop, (part, _) in by_length.items()}, data=data, spread=spread, **values
    )


def _figure(value: object, where: str) -> tuple[float, float | None]:
    """A share, alone or as `.98 ± .02`."""
    match = _FIGURE.fullmatch(value) if isinstance(value, str) else None
    if match:
        figure, spread = float(match[1]), float(match[2])
    elif isinstance(value, int | float) and not isinstance(value, bool):
        figure, spread = float(value), None
    else:
        raise R5Error(f"{where}: expected a share such as 0.98 or 0.98 ± 0.02, not {value!r}")
    if not 0 <= figure <= 1:
        raise R5Error(f"{where}: expected a share between 0 and 1, not {figure:g}")
    return figure, spread


def _mapping(
    value: object, where: str, needed: tuple[str, ...] | None = None, optional: tuple[str, ...] = ()
) -> dict[Any, Any]:
    """The value, which must be a mapping with these keys; any, where `needed` is None."""
    if not isinstance(value, dict):
        raise R5Error(f"{where}: expected a mapping, not {value!r}")
    if needed is not None:
        for key in value:
            if key not in (*needed, *optional):
                raise R5Error(f"{where}: unknown key {key!r}; expected {', '.join((*needed, *optional))}")
        for key in needed:
            if key not in value:
                raise R5Error(f"{where}: the key {key!r} is missing")
    return value


def _list(value: object, where: str) -> list[Any]:
    if not isinstance(value, list) or not value:
        raise R5Error(f"{where}: expected a list, not {value!r}")
    return value


def _settings(value: object, where: str) -> dict[str, Any]:
    found = _mapping(value, where)
    return {_word(key, where): some for key, some in found.items()}


def _word(value: object, where: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise R5Error(f"{where}: expected text, not {value!r}")
    return value.strip()


def _hop(value: object, where: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise R5Error(f"{where}: expected a number of hops, not {value!r}")
    return value
