"""Session of a worker: the model, the data, uploaded graphs, and caches of edited graphs and reduced models."""

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
from r5.serve.errors import RequestError
from r5.serve.handlers.edits import apply_edits

__all__ = ["MAX_UPLOADED_FACTS", "LruCache", "Session", "read_upload"]

MAX_UPLOADED_FACTS = 50_000
Value = TypeVar("Value")


class LruCache:
    """Cache of the most recently used values.

    >>> cache = LruCache(2)
    >>> [cache.get(key, lambda key=key: key * 2) for key in (1, 2, 1)]
    [2, 4, 2]
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._values: OrderedDict[Hashable, Any] = OrderedDict()

    def get(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """Return the value of a key, made by `make` if it is not cached."""
        if key not in self._values:
            self._values[key] = make()
            if len(self._values) > self._size:
                self._values.popitem(last=False)
        self._values.move_to_end(key)
        found: Value = self._values[key]
        return found


@dataclass(eq=False)
class Session:
    """Served model and data: one shared graph, or a graph for each example."""

    model: Reasoner
    model_name: str
    data: Dataset | None
    data_name: str
    user_graph: Graph | None = None
    """Graph of the queries if there is no data; by default that of the model."""
    other: Reasoner | None = None
    """Second model, which answers the same queries for comparison."""
    other_name: str = ""
    uploads: dict[str, Graph] = field(default_factory=dict)
    graphs: LruCache = field(default_factory=lambda: LruCache(8))
    models: LruCache = field(default_factory=lambda: LruCache(8))
    results: LruCache = field(default_factory=lambda: LruCache(16))

    @property
    def shared_graph(self) -> Graph | None:
        """Graph of all queries, from the data or the model; None if each example has its own."""
        if self.data is not None:
            return self.data.graph
        found = self.user_graph or getattr(self.model, "graph_", None)
        return found if isinstance(found, Graph) else None

    @property
    def default_graph(self) -> str | None:
        """Name of the graph that the page shows first; None without a graph."""
        if self.shared_graph is not None:
            return "data"
        sizes = (
            {} if self.data is None else {split: len(self.data.split(split)) for split in ("test", "valid", "train")}
        )
        return next((f"{split}/0" for split, size in sizes.items() if size), None)

    def example(self, name: str) -> Example | None:
        """Return the example with a name such as test/17; None for names of other graphs.

        Raises:
            RequestError: There is no such example.
        """
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
        """Return the graph with a name, edited.

        Raises:
            RequestError: There is no such graph.
        """
        graph_name = name or self.default_graph
        if graph_name is None:
            if not edits:
                raise RequestError("there is no graph yet: upload one, or add facts", 404)
            return self.graphs.get(("", _key(edits)), lambda: apply_edits(self._empty(), edits))
        return self.graphs.get((graph_name, _key(edits)), lambda: apply_edits(self._unedited(graph_name), edits))

    def _unedited(self, name: str) -> Graph:
        if name in self.uploads:
            return self.uploads[name]
        if name == "data" and self.shared_graph is not None:
            return self.shared_graph
        example = self.example(name)
        if example is None:
            raise RequestError(f"there is no graph {name!r}; an upload may have been dropped since", 404)
        return example.graph

    def _empty(self) -> Graph:
        return Graph.from_triples([], self.model.vocabulary_)

    def query_example(self, name: str | None, edits: Sequence[Sequence[str]], source: str, target: str) -> Example:
        """Return a query about two entities; the query of an example masks its facts, unless the graph is edited."""
        graph = self.graph(name, edits)
        query = Query(graph.node(source), graph.node(target))
        example = None if name is None or edits or name in self.uploads else self.example(name)
        if example is not None and example.query == query:
            return example
        return Example(graph, query)

    def reduced_model(self, off: Sequence[int]) -> Reasoner:
        """Return the model, or a copy without the rules with these numbers."""
        if not off:
            return self.model
        return self.models.get(tuple(sorted(set(off))), lambda: self.model.without_rules(map(self.rule, off)))

    def other_model(self) -> Reasoner:
        """Return the second model.

        Raises:
            RequestError: There is none.
        """
        if self.other is None:
            raise RequestError("there is no second model: start with r5 serve MODEL --compare OTHER", 404)
        return self.other

    def rule(self, number: int) -> Rule:
        """Return the rule with a number, in the order of the model.

        Raises:
            RequestError: There is no such rule.
        """
        rules = self.model.rules_.rules
        if number >= len(rules):
            raise RequestError(f"the model has {len(rules):,} rules; there is no rule {number}", 404)
        return rules[number]

    def add_upload(self, name: str, text: str) -> Graph:
        """Read and keep an uploaded graph."""
        if name not in self.uploads:
            self.uploads[name] = read_upload(text)
        return self.uploads[name]


def _key(edits: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    return tuple(map(tuple, edits))


def read_upload(text: str) -> Graph:
    """Read the graph of an uploaded text of triples.

    Raises:
        RequestError: The text is too long or not a table of triples.
    """
    if text.count("\n") > MAX_UPLOADED_FACTS + 1:
        raise RequestError(f"more than {MAX_UPLOADED_FACTS:,} rows; for larger data name it: r5 serve MODEL DATA", 413)
    first = io.StringIO(text).readline()
    suffix = ".tsv" if "\t" in first else ".csv"
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"upload{suffix}"
        path.write_text(text, encoding="utf-8", newline="")
        try:
            return read_triples(path)
        except R5Error as error:
            raise RequestError(str(error).replace(f"{folder}/", "")) from None
