"""GraphLog worlds: folders of `train.jsonl`, `valid.jsonl`, `test.jsonl` and `config.json`.

A line is one graph with one question: `edges` as [source, target, relation] and `query` as the
same three (v1.0, v1.1), or `query` as [source, target] with the answer under `target` (the newer
generator). `descriptor` has the true relations along the path `resolution_path`. `config.json`
has the true rules.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from r5._util.files.folders import write_folder
from r5._util.files.reading import is_folder, list_files, parse_json, read_lines, read_text
from r5._util.text import abbreviate
from r5.data.builder import DatasetBuilder, Row, rows_of
from r5.dataset import SPLITS, Dataset
from r5.errors import DataError, R5Error
from r5.rules.ruleset import Rule, RuleSet

__all__ = ["is_graphlog", "load_graphlog", "read_config", "write_config", "write_graphlog"]

_FILE_NAMES = {"train": ("train",), "valid": ("valid", "val", "dev"), "test": ("test",)}
_NUMBER = re.compile(r"0|-?[1-9][0-9]{0,17}")


def is_graphlog(path: str | Path) -> bool:
    """Whether this looks like the folder of a GraphLog world."""
    return bool(list_files(path, "train.jsonl"))


def load_graphlog(path: str | Path, *, drop_duplicates: bool = False) -> Dataset:
    """The data set of a world's folder; nodes are called by their number.

    With `drop_duplicates` a training line that has been read before is left out, as the paper's
    authors do: World 17 then keeps 3,095 of its 5,000 lines. `valid.jsonl`, `test.jsonl` and
    `config.json` may be missing.

    | set      | train | valid | test  | relations | classes | distinct paths |
    | -------- | ----- | ----- | ----- | --------- | ------- | -------------- |
    | World 17 | 5,000 | 1,000 | 1,000 | 20        | 17      | 147            |
    | Re 0     | 1,000 | 100   | 200   | 19        | 12      | 631            |
    | Re 2     | 1,000 | 25    | 1,000 | 19        | 11      | 725            |
    """
    folder = Path(path)
    if not is_graphlog(folder):
        what = "holds no train.jsonl" if is_folder(folder) else "no such folder"
        raise DataError(f"{what}; expected the folder of a GraphLog world", folder)
    name, rules = read_config(folder)
    builder = DatasetBuilder(name)
    for split in SPLITS:
        files = [file for stem in _FILE_NAMES[split] for file in list_files(folder, f"{stem}.jsonl")]
        if len(files) > 1:
            raise DataError(f"duplicated split: {files[0].name} and {files[1].name} are both {split}", folder)
        for file in files:
            _read_split(builder, split, file, drop_duplicates and split == "train")
    return builder.build(rules)


def _read_split(builder: DatasetBuilder, split: str, path: Path, drop_duplicates: bool) -> None:
    """Add the rows of one file; what is wrong with a row is said with its line."""
    seen: set[str] = set()
    for line, text in read_lines(path):
        if drop_duplicates and text in seen:
            continue
        seen.add(text)
        value = parse_json(text, path, line)
        try:
            row = _row(value)
            if row.answer is None and split == "train":
                raise R5Error("the answer is null; a training row needs one")
            builder.add(split, row)
        except R5Error as error:
            raise DataError(str(error), path, line) from None


def _row(value: Any) -> Row:
    """A row from its JSON value."""
    if not isinstance(value, dict):
        raise R5Error(f"expected an object with edges and query, found {abbreviate(value)}")
    node = _node if value.get("entities") is None else _lookup(value["entities"])
    query = value.get("query")
    if not isinstance(query, list) or len(query) not in (2, 3):
        raise R5Error(f"query must be [source, target] or [source, target, relation], found {abbreviate(query)}")
    return Row(
        edges=_edges(value.get("edges"), node),
        source=node(query[0]),
        target=node(query[1]),
        answer=_answer(query, value),
        resolution=_path(value.get("resolution_path"), node),
        descriptor=_descriptor(value.get("descriptor")),
    )


def _node(value: Any) -> str:
    """The name of a node that is given by number or by name."""
    if type(value) is int or type(value) is str:
        return str(value)
    raise R5Error(f"a node must be a number or a name, found {abbreviate(value)}")


def _lookup(entities: Any) -> Callable[[Any], str]:
    """How to name a node that is given by its place among the names, which `write_graphlog` adds."""
    if not isinstance(entities, list) or not all(isinstance(name, str) for name in entities):
        raise R5Error(f"entities must be a list of names, found {abbreviate(entities)}")
    if len(set(entities)) != len(entities):
        raise R5Error("two entities have the same name")

    def node(value: Any) -> str:
        if type(value) is not int or not 0 <= value < len(entities):
            raise R5Error(f"a node must be a number from 0 to {len(entities) - 1}, found {abbreviate(value)}")
        name: str = entities[value]
        return name

    return node


def _edges(value: Any, node: Callable[[Any], str]) -> list[tuple[str, str, str]]:
    """The edges, each checked to be [source, target, relation]."""
    if not isinstance(value, list):
        raise R5Error(f"edges must be a list of [source, target, relation], found {abbreviate(value)}")
    edges = []
    kinds = set()
    for edge in value:
        if not isinstance(edge, list) or len(edge) != 3 or type(edge[2]) is not str:
            raise R5Error(f"an edge must be [source, target, relation], found {abbreviate(edge)}")
        source, target, relation = edge
        edges.append((node(source), relation, node(target)))
        kinds |= {type(source), type(target)}
    if len(kinds) > 1:
        raise R5Error("some nodes are numbers and some are names; expected one or the other")
    return edges


def _answer(query: Sequence[Any], value: dict[str, Any]) -> str | None:
    """The answer: the third entry of the query, or `target`, or both where they agree; None where it is null."""
    answers = [*query[2:], *([value["target"]] if "target" in value else [])]
    if not answers:
        raise R5Error("the answer is missing: query has no third entry and there is no target")
    answer = answers[0]
    if answer is not None and not isinstance(answer, str):
        raise R5Error(f"the answer must be a relation, found {abbreviate(answer)}")
    if answers[-1] != answer:
        raise R5Error(f"query and target disagree: {abbreviate(answer)} and {abbreviate(answers[-1])}")
    return answer


def _path(value: Any, node: Callable[[Any], str]) -> list[str]:
    """The nodes of the resolution path."""
    if value is not None and not isinstance(value, list):
        raise R5Error(f"resolution_path must be a list of nodes, found {abbreviate(value)}")
    return [node(place) for place in value or ()]


def _descriptor(value: Any) -> list[str]:
    """The relations of a descriptor, joined by commas or (where a name has one) in a list."""
    if isinstance(value, str):
        return value.split(",") if value else []
    if value is not None and not (isinstance(value, list) and all(isinstance(name, str) for name in value)):
        raise R5Error(f"descriptor must be relations joined by commas, found {abbreviate(value)}")
    return value or []


def read_config(folder: Path) -> tuple[str, RuleSet | None]:
    """The name of a data set (its folder's, unless it was written under another) and its true rules, if known."""
    path = folder / "config.json"
    name = folder.resolve().name
    if not path.exists():
        return name, None
    config = parse_json(read_text(path), path)
    if not isinstance(config, dict):
        raise DataError(f"expected an object, found {abbreviate(config)}", path)
    given, rules = config.get("name"), config.get("rules")
    name = given if isinstance(given, str) else name
    if rules is None:
        return name, None
    if not isinstance(rules, list):
        raise DataError(f"rules must be a list, found {abbreviate(rules)}", path)
    return name, RuleSet.of(_rule(rule, path) for rule in rules)


def _rule(value: Any, path: Path) -> Rule:
    """One true rule; the body is a relation (unary) or a list of them."""
    head, body = (value.get("head"), value.get("body")) if isinstance(value, dict) else (None, None)
    body = [body] if isinstance(body, str) else body
    if not isinstance(body, list) or not body or not all(isinstance(name, str) and name for name in [head, *body]):
        raise DataError(f"a rule must have a head and a body of one or two relations, found {abbreviate(value)}", path)
    return Rule(str(head), tuple(body))


def write_config(dataset: Dataset, folder: Path) -> None:
    """Write `config.json`: the name, the true rules, and the number of relations as GraphLog counts it, in pairs."""
    config: dict[str, Any] = {"name": dataset.name, "num_rel": (len(dataset.vocabulary) + 1) // 2}
    if dataset.rules is not None:
        config["rules"] = [
            {"body": rule.body[0] if len(rule.body) == 1 else list(rule.body), "head": rule.head, "p": 1.0}
            for rule in dataset.rules
        ]
    _write(folder / "config.json", json.dumps(config, ensure_ascii=False, indent=1) + "\n")


def write_graphlog(dataset: Dataset, path: str | Path, *, force: bool = False) -> None:
    """Write a data set as a GraphLog world, so that reading it gives the same data set.

    A query has its answer both as a third entry and as `target`, for readers of either kind. Where
    entities are not numbers, nodes are numbered and a list `entities` has their names. Of rules,
    head and body are kept. Splits without examples have no file; the train split must have some.
    """
    if not len(dataset.train):
        raise R5Error("a GraphLog world needs training examples, and there are none")
    if (dataset.train.answers < 0).any():
        raise R5Error("a training example without an answer cannot be written")
    names = (name for split in SPLITS for name in dataset.split(split).pool.entities)
    numbered = all(map(_NUMBER.fullmatch, names))

    def fill(folder: Path) -> None:
        write_config(dataset, folder)
        for split in SPLITS:
            if lines := [_line(row, numbered) for row in rows_of(dataset.split(split))]:
                _write(folder / f"{split}.jsonl", "\n".join(lines) + "\n")

    write_folder(path, fill, force=force, replaces=(".json", ".jsonl"))


def _line(row: Row, numbered: bool) -> str:
    """One row as a line of JSON."""
    names = list(dict.fromkeys(name for source, _, target in row.edges for name in (source, target)))
    node = int if numbered else {name: place for place, name in enumerate(names)}.__getitem__
    value: dict[str, Any] = {
        "edges": [[node(source), node(target), relation] for source, relation, target in row.edges],
        "query": [node(row.source), node(row.target), row.answer],
        "target": row.answer,
    }
    if row.descriptor:
        commas = any("," in name for name in row.descriptor)
        value["descriptor"] = list(row.descriptor) if commas else ",".join(row.descriptor)
    if row.resolution:
        value["resolution_path"] = [node(name) for name in row.resolution]
    if not numbered:
        value["entities"] = names
    return json.dumps(value, ensure_ascii=False)


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")
