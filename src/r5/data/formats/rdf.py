"""RDF (N-Triples, N-Quads, Turtle, TriG, RDF/XML) as triples of names, read with pyoxigraph (the `rdf` extra).

The parser accesses no network. Relative names are resolved against a fixed base, so that the files of one data set
agree on them wherever they are stored. The names of graphs in N-Quads and TriG are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from r5._util.files.compression import strip_compression_suffix
from r5._util.files.reading import read_bytes
from r5.data.formats.tables.columns import Triple
from r5.data.formats.tables.table import Table
from r5.errors import DataError, R5Error, need

__all__ = ["FORMATS", "Node", "RdfSelection", "read_rdf", "read_rdf_object"]

FORMATS = {
    ".nt": ("N-Triples", "N_TRIPLES"),
    ".nq": ("N-Quads", "N_QUADS"),
    ".ttl": ("Turtle", "TURTLE"),
    ".trig": ("TriG", "TRIG"),
    ".rdf": ("RDF/XML", "RDF_XML"),
    ".owl": ("RDF/XML", "RDF_XML"),
}
"""Format by file suffix, and its name in pyoxigraph."""
BASE = "file:///"
_RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
_LABEL = "http://www.w3.org/2000/01/rdf-schema#label"


class Node(NamedTuple):
    """Subject, predicate or object of a statement."""

    kind: str
    """`iri`, `blank`, `literal` or `triple`."""
    name: str
    """IRI or identifier; a literal as in N-Triples."""
    text: str = ""
    """Text of a literal."""
    language: str = ""
    """Language tag of a literal."""


@dataclass
class RdfSelection:
    """Choice of the statements that become triples, and counts of the others."""

    literals: bool
    types: bool
    names: str | None
    language: str | None
    prefix: str
    triples: list[Triple] = field(default_factory=list)
    labels: dict[str, tuple[tuple[int, str], str]] = field(default_factory=dict)
    literal_count: int = 0
    type_count: int = 0
    label_count: int = 0
    nested_count: int = 0
    graphs: set[str] = field(default_factory=set)
    blanks: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.names not in (None, "label"):
            raise R5Error(f"names must be label for RDF, not {self.names!r}")

    def name(self, node: Node) -> str:
        """Return the name of a node; blank nodes are numbered as they appear."""
        if node.kind != "blank":
            return node.name
        return self.blanks.setdefault(node.name, f"_:{self.prefix}{len(self.blanks) + 1}")

    def add(self, source: Node, relation: Node, target: Node) -> None:
        """Add a statement."""
        if self.names and relation.name == _LABEL and target.kind == "literal":
            self.label_count += 1
            self._add_label(self.name(source), target)
        elif "triple" in (source.kind, target.kind):
            self.nested_count += 1
        elif target.kind == "literal" and not self.literals:
            self.literal_count += 1
        elif relation.name == _RDF_TYPE and not self.types:
            self.type_count += 1
        else:
            self.triples.append((self.name(source), relation.name, self.name(target)))

    def _add_label(self, name: str, label: Node) -> None:
        """Keep the label of the best language: the wanted one, else none, English and others in order."""
        tag = label.language.lower()
        wanted = (self.language or "").lower()
        if wanted and tag != wanted and not tag.startswith(f"{wanted}-") and tag:
            return
        rank = (0 if wanted and tag else 1 if not tag else 2 if tag.partition("-")[0] == "en" else 3, tag)
        if label.text.strip() and (name not in self.labels or rank < self.labels[name][0]):
            self.labels[name] = rank, label.text.strip()

    def table(self, kind: str) -> Table:
        """Return the triples with a description."""
        counts = (
            (self.literal_count, "about literals (literals=true keeps them)"),
            (self.type_count, "of rdf:type"),
            (self.nested_count, "about statements"),
        )
        dropped = [f"{count:,} statement{'s' * (count != 1)} {what}" for count, what in counts if count]
        if self.graphs:
            dropped.append(f"the names of {len(self.graphs):,} graphs")
        labels = {name: text for name, (_, text) in self.labels.items()}
        named = f", names by rdfs:label{f' ({self.language})' if self.language else ''}" if self.names else ""
        return Table(self.triples, kind + named, tuple(dropped), labels=labels, relation_labels=labels)


def read_rdf(
    path: str | Path,
    *,
    literals: bool = False,
    types: bool = True,
    names: str | None = None,
    language: str | None = None,
) -> Table:
    """Read the triples of an RDF file.

    Names are full IRIs; `name_tables` replaces them by labels or abbreviates them. Blank nodes are local to a file, so
    that their names consist of the file's name and a number.

    Args:
        path: The file.
        literals: Keep statements about literals (numbers, text).
        types: Keep statements of rdf:type.
        names: `label` to collect labels of rdfs:label.
        language: Language tag of the labels, such as en; by default those without one, else English.

    Returns:
        The triples in order.

    Raises:
        DataError: The file is invalid or has no triples.
        MissingExtraError: pyoxigraph is not installed.
    """
    path = Path(path)
    title, format_name = FORMATS[strip_compression_suffix(path).suffix.lower()]
    chosen = RdfSelection(literals, types, names, language, f"{path.stem}.")
    try:
        for statement in _parse(path, format_name):
            _add_oxigraph(chosen, statement)
    except SyntaxError as error:
        message = f"is not {title}: {' '.join(str(error.msg).split())[:160]}"
        raise DataError(message, path, error.lineno) from None
    except (ValueError, OSError) as error:
        raise DataError(f"is not {title}: {' '.join(str(error).split())[:160]}", path) from None
    return _checked(chosen.table(title), path)


def _parse(path: Path, format_name: str) -> Iterator[Any]:
    """Yield the statements of a file."""
    try:
        import pyoxigraph
    except ImportError:
        raise need("pyoxigraph", "rdf") from None
    raw = read_bytes(path)
    yield from pyoxigraph.parse(raw, format=getattr(pyoxigraph.RdfFormat, format_name), base_iri=BASE)


def _checked(table: Table, path: Path | None) -> Table:
    """Raise an error if no statement is left."""
    if table.triples:
        return table
    kept = "".join(f"; {count}" for count in table.dropped)
    raise DataError(f"holds no triples{' between resources' if kept else ''}{kept}", path)


def read_rdf_object(
    graph: Any, literals: bool = False, types: bool = True, names: str | None = None, language: str | None = None
) -> Table:
    """Read the triples of an `rdflib.Graph` or `Dataset`, or of a `pyoxigraph.Store` or `Dataset`.

    Args:
        graph: The graph.
        literals: See `read_rdf`.
        types: See `read_rdf`.
        names: See `read_rdf`.
        language: See `read_rdf`.

    Raises:
        R5Error: The graph has no triples.
    """
    chosen = RdfSelection(literals, types, names, language, "")
    if type(graph).__module__.startswith("pyoxigraph"):
        for quad in graph:
            _add_oxigraph(chosen, quad)
    else:
        for statement in _rdflib_statements(graph):
            chosen.add(*map(_rdflib_node, statement))
    return _checked(chosen.table(f"{type(graph).__module__.partition('.')[0]} graph"), None)


def _rdflib_statements(graph: Any) -> Iterable[Any]:
    """Return the statements of all graphs of a data set, or of one graph."""
    return (quad[:3] for quad in graph.quads()) if hasattr(graph, "quads") else graph


def _rdflib_node(node: Any) -> Node:
    """Convert a node of rdflib."""
    kind = type(node).__name__
    if kind == "Literal":
        return Node("literal", node.n3(), str(node), node.language or "")
    return Node("blank" if kind == "BNode" else "iri", str(node))


def _add_oxigraph(chosen: RdfSelection, quad: Any) -> None:
    """Add a statement of pyoxigraph."""
    chosen.add(*map(_oxigraph_node, (quad.subject, quad.predicate, quad.object)))
    graph = getattr(getattr(quad, "graph_name", None), "value", "")  # the default graph has none
    if graph:
        chosen.graphs.add(graph)


def _oxigraph_node(node: Any) -> Node:
    """Convert a node of pyoxigraph."""
    kind = type(node).__name__
    if kind == "NamedNode":
        return Node("iri", node.value)
    if kind == "BlankNode":
        return Node("blank", node.value)
    return Node("literal", str(node), node.value, node.language or "") if kind == "Literal" else Node("triple", "")
