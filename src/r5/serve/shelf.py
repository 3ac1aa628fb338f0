"""The shelf: the model and the graphs that a worker answers about, as they are and as edited."""

from __future__ import annotations

import io
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from r5.data.formats.triples import read_triples
from r5.dataset import SPLITS, Dataset
from r5.errors import R5Error
from r5.examples import Example, Query
from r5.graph import Graph
from r5.reasoners.base import Reasoner
from r5.rules.rule import Rule
from r5.serve.edits import edited
from r5.serve.fields import RequestError

__all__ = ["MOST_UPLOADED_FACTS", "Recent", "Shelf", "read_upload"]

MOST_UPLOADED_FACTS = 50_000
Value = TypeVar("Value")


class Recent:
    """The last few things that were made, by what they were made of.

    >>> recent = Recent(2)
    >>> [recent.of(key, lambda key=key: key * 2) for key in (1, 2, 1)]
    [2, 4, 2]
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: OrderedDict[Hashable, Any] = OrderedDict()

    def of(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """What belongs to the key, made now unless it was made a short time ago."""
        if key not in self._kept:
            self._kept[key] = make()
            if len(self._kept) > self._most:
                self._kept.popitem(last=False)
        self._kept.move_to_end(key)
        found: Value = self._kept[key]
        return found


@dataclass(eq=False)
class Shelf:
    """What is served: a model, and data with one graph or with a graph for each example."""

    model: Reasoner
    model_name: str
    data: Dataset | None
    data_name: str
    own_graph: Graph | None = None
    """The graph asked about where there is no data; by default the model's own."""
    uploads: dict[str, Graph] = field(default_factory=dict)
    graphs: Recent = field(default_factory=lambda: Recent(8))
    models: Recent = field(default_factory=lambda: Recent(8))
    results: Recent = field(default_factory=lambda: Recent(16))

    @property
    def one_graph(self) -> Graph | None:
        """The graph that all questions are about, where there is one: that of the data, or of the model."""
        if self.data is not None:
            return self.data.graph
        found = self.own_graph or getattr(self.model, "graph_", None)
        return found if isinstance(found, Graph) else None

    @property
    def first_graph(self) -> str | None:
        """What a graph is called that can be shown to begin with; None where there is none."""
        if self.one_graph is not None:
            return "data"
        sizes = (
            {} if self.data is None else {split: len(self.data.split(split)) for split in ("test", "valid", "train")}
        )
        return next((f"{split}/0" for split, size in sizes.items() if size), None)

    def example(self, name: str) -> Example | None:
        """The example of a split, for a name such as test/17; None for other graphs."""
        split, slash, number = name.partition("/")
        if not slash:
            return None
        if self.data is None or split not in SPLITS or not (number.isascii() and number.isdecimal()):
            raise RequestError(f"there is no graph {name!r}", 404)
        examples = self.data.split(split)
        if len(number) > 12 or int(number) >= len(examples):
            raise RequestError(f"the {split} split has {len(examples):,} examples; there is no {name!r}", 404)
        return examples[int(number)]

    def graph(self, name: str | None, edits: Sequence[Sequence[str]]) -> Graph:
        """The graph of that name, as edited."""
        wanted = name or self.first_graph
        if wanted is None:
            if not edits:
                raise RequestError("there is no graph yet: upload one, or add facts", 404)
            return self.graphs.of(("", _key(edits)), lambda: edited(self._empty(), edits))
        return self.graphs.of((wanted, _key(edits)), lambda: edited(self._plain(wanted), edits))

    def _plain(self, name: str) -> Graph:
        if name in self.uploads:
            return self.uploads[name]
        if name == "data" and self.one_graph is not None:
            return self.one_graph
        example = self.example(name)
        if example is None:
            raise RequestError(f"there is no graph {name!r}; an upload may have been dropped since", 404)
        return example.graph

    def _empty(self) -> Graph:
        return Graph.from_triples([], self.model.vocabulary_)

    def question(self, name: str | None, edits: Sequence[Sequence[str]], source: str, target: str) -> Example:
        """A question about two entities. That of an example hides what the example hides, unless facts were edited."""
        graph = self.graph(name, edits)
        query = Query(graph.node(source), graph.node(target))
        own = None if name is None or edits or name in self.uploads else self.example(name)
        if own is not None and own.query == query:
            return own
        return Example(graph, query)

    def model_without(self, off: Sequence[int]) -> Reasoner:
        """The model, or a copy without some of its rules, by number."""
        if not off:
            return self.model
        return self.models.of(tuple(sorted(set(off))), lambda: self.model.without_rules(map(self.rule, off)))

    def rule(self, number: int) -> Rule:
        """The rule of that number, in the order of the model."""
        rules = self.model.rules_.rules
        if number >= len(rules):
            raise RequestError(f"the model has {len(rules):,} rules; there is no rule {number}", 404)
        return rules[number]

    def take_upload(self, name: str, text: str) -> Graph:
        """Keep an uploaded graph."""
        if name not in self.uploads:
            self.uploads[name] = read_upload(text)
        return self.uploads[name]


def _key(edits: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    return tuple(map(tuple, edits))


def read_upload(text: str) -> Graph:
    """The graph of an uploaded text of triples; what is wrong is said with its line."""
    if text.count("\n") > MOST_UPLOADED_FACTS + 1:
        raise RequestError(f"more than {MOST_UPLOADED_FACTS:,} rows; for larger data name it: r5 serve MODEL DATA", 413)
    first = io.StringIO(text).readline()
    suffix = ".tsv" if "\t" in first else ".csv"
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"upload{suffix}"
        path.write_text(text, encoding="utf-8", newline="")
        try:
            return read_triples(path)
        except R5Error as error:
            raise RequestError(str(error).replace(f"{folder}/", "")) from None
