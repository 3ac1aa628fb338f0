"""Reader of experiment files; each key of a file is checked."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from r5.bench.experiments.experiment import SHOWS, Experiment, PublishedFigures, TableRow
from r5.errors import DataError, R5Error

__all__ = ["read_experiment"]

_FIGURE = re.compile(r"(\d*\.?\d+) ± (\d*\.?\d+)")


def read_experiment(path: str | Path) -> Experiment:
    """Read and check one experiment file.

    Raises:
        DataError: The file is not valid; the message names the file and the key.
    """
    path = Path(path)
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror}", path) from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise DataError(f"is not valid YAML: {' '.join(str(error).split())}", path) from None
    try:
        return _parse_experiment(path.stem, content)
    except R5Error as error:
        raise DataError(str(error), path) from None


def _parse_experiment(name: str, content: object) -> Experiment:
    keys = ("title", "table", "shows", "data", "rows", "published")
    found = _mapping(content, "the file", keys, ("hops", "vary", "note"))
    shows, table = _text(found["shows"], "shows"), _text(found["table"], "table")
    if shows not in SHOWS:
        raise R5Error(f"shows: expected one of {', '.join(SHOWS)}, not {shows!r}")
    if not re.fullmatch(r"(Table|Figure) \d+|Figures \d+ and \d+|Beyond the paper", table):
        raise R5Error(f"table: expected text such as 'Table 4' or 'Figures 5 and 6', not {table!r}")
    for key, kind in (("hops", "hops"), ("vary", "values")):
        if (shows == kind) != (key in found):
            raise R5Error(f"{key}: an experiment that shows {kind} needs this key, and no other may have it")
    sets = _mapping(found["data"], "data")
    data = {_text(key, "data"): _parse_data(value, f"data.{key}") for key, value in sets.items()}
    rows = tuple(_parse_row(value, f"rows[{index}]") for index, value in enumerate(_list(found["rows"], "rows")))
    if len({row.name for row in rows}) != len(rows):
        raise R5Error("rows: two rows have the same name")
    hops = tuple(_hop(value, "hops") for value in _list(found["hops"], "hops")) if "hops" in found else ()
    return Experiment(
        name=name,
        title=_text(found["title"], "title"),
        table=table,
        shows=shows,
        data=data,
        rows=rows,
        published=_parse_published(found["published"], table, data, hops),
        hops=hops,
        vary=_parse_vary(found["vary"]) if "vary" in found else None,
        note=_text(found.get("note", "-"), "note").removeprefix("-"),
    )


def _parse_data(value: object, where: str) -> dict[str, dict[str, Any]]:
    return {
        _text(engine, where): _settings(some, f"{where}.{engine}") for engine, some in _mapping(value, where).items()
    }


def _parse_row(value: object, where: str) -> TableRow:
    found = _mapping(value, where, ("name", "engine"), ("settings",))
    settings = _settings(found.get("settings", {}), f"{where}.settings")
    engine = _text(found["engine"], f"{where}.engine")
    if not re.fullmatch(r"[\w-]+(\+[\w-]+)?", engine):
        raise R5Error(f"{where}.engine: expected one engine, or two joined by a plus, not {engine!r}")
    parts = engine.split("+")
    if len(parts) == 2:
        settings = {part: _settings(some, f"{where}.settings.{part}") for part, some in settings.items()}
        if not set(settings) <= set(parts):
            raise R5Error(f"{where}.settings: expected settings of {' and '.join(parts)}, under the name of each")
    return TableRow(_text(found["name"], f"{where}.name"), engine, settings)


def _parse_vary(value: object) -> tuple[str, tuple[Any, ...]]:
    found = _mapping(value, "vary")
    if len(found) != 1:
        raise R5Error("vary: expected one setting with a list of values")
    name, values = next(iter(found.items()))
    return _text(name, "vary"), tuple(_list(values, f"vary.{name}"))


def _parse_published(
    value: object, table: str, data: Mapping[str, object], hops: tuple[int, ...]
) -> tuple[PublishedFigures, ...]:
    found = []
    for system, figures in _mapping(value, "published").items():
        for name, one in _mapping(figures, f"published.{system}").items():
            where = f"published.{system}.{name}"
            if name not in data:
                raise R5Error(f"{where}: is not one of the data sets of the experiment")
            fields = _parse_figures(one, where, hops)
            found.append(PublishedFigures(_text(system, "published"), table, data=name, **fields))
    return tuple(found)


def _parse_figures(value: object, where: str, hops: tuple[int, ...]) -> dict[str, Any]:
    """Return figures and their deviations as fields of `PublishedFigures`."""
    content = _mapping(value, where, (), ("accuracy", "recall", "invalid", "by_length"))
    shares = {key: _parse_share(some, f"{where}.{key}") for key, some in content.items() if key != "by_length"}
    lengths = _mapping(content.get("by_length", {}), f"{where}.by_length")
    if lengths and tuple(lengths) != hops:
        raise R5Error(f"{where}.by_length: expected the hops {', '.join(map(str, hops))}")
    by_length = {_hop(hop, where): _parse_share(some, f"{where}.by_length.{hop}") for hop, some in lengths.items()}
    if not shares and not by_length:
        raise R5Error(f"{where}: expected accuracy or by_length")
    return {
        **{key: share for key, (share, _) in shares.items()},
        "by_length": {hop: share for hop, (share, _) in by_length.items()},
        "deviations": {str(key): part for key, (_, part) in {**shares, **by_length}.items() if part is not None},
    }


def _parse_share(value: object, where: str) -> tuple[float, float | None]:
    """Return a share and its deviation, from a number or a text such as `.98 ± .02`."""
    match = _FIGURE.fullmatch(value) if isinstance(value, str) else None
    if match:
        share, deviation = float(match[1]), float(match[2])
    elif isinstance(value, int | float) and not isinstance(value, bool):
        share, deviation = float(value), None
    else:
        raise R5Error(f"{where}: expected a share such as 0.98 or 0.98 ± 0.02, not {value!r}")
    if not 0 <= share <= 1:
        raise R5Error(f"{where}: expected a share between 0 and 1, not {share:g}")
    return share, deviation


def _mapping(
    value: object, where: str, needed: tuple[str, ...] | None = None, optional: tuple[str, ...] = ()
) -> dict[Any, Any]:
    """Return the value if it is a mapping with these keys; any keys if `needed` is None."""
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
    return {_text(key, where): some for key, some in found.items()}


def _text(value: object, where: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise R5Error(f"{where}: expected text, not {value!r}")
    return value.strip()


def _hop(value: object, where: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise R5Error(f"{where}: expected a number of hops, not {value!r}")
    return value
