"""RDF files (N-Triples, Turtle, RDF/XML) as triples of names, read with rdflib (the `rdf` extra).

The parser accesses no network. Relative names are resolved against a fixed base, so that the files of one data set
agree on them wherever they are stored.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from r5._util.files.compression import strip_compression_suffix
from r5._util.files.reading import read_lines, read_text
from r5.data.formats.tables.columns import Triple
from r5.errors import DataError, R5Error, need

if TYPE_CHECKING:
    from rdflib.term import Node

__all__ = ["FORMATS", "read_rdf", "shorten"]

FORMATS = {".nt": "N-Triples", ".ttl": "Turtle", ".rdf": "RDF/XML"}
"""Format by file suffix."""
BASE = "file:///"

Statement = tuple["Node", "Node", "Node"]


def read_rdf(path: str | Path, *, literals: bool = False) -> list[Triple]:
    """Read the triples of an RDF file.

    Names are full IRIs; `shorten` abbreviates them. Blank nodes are local to a file, so that their names consist of
    the file's name and a number.

    Args:
        path: The file.
        literals: Keep statements about literals (numbers, text).

    Returns:
        The triples in order.

    Raises:
        DataError: The file is invalid or has no triples.
        MissingExtraError: rdflib is not installed.
    """
    path = Path(path)
    try:
        import rdflib  # noqa: F401  an extra
    except ImportError:
        raise need("rdflib", "rdf") from None
    with _quiet_rdflib():
        statements = _n_triples(path) if strip_compression_suffix(path).suffix.lower() == ".nt" else _other(path)
        triples = _named(statements, path, literals)
    if not triples:
        kept = "" if literals or not statements else " between resources; literals=True keeps those about literals"
        raise DataError(f"holds no triples{kept}", path)
    try:
        "".join(chain.from_iterable(triples)).encode()
    except UnicodeEncodeError:  # an unpaired surrogate such as \uD800
        raise DataError("is not valid Unicode: a name holds half a surrogate pair", path) from None
    return triples


@contextmanager
def _quiet_rdflib() -> Iterator[None]:
    """Suppress rdflib's log entries, with traceback, for each literal that does not match its type."""
    logger = logging.getLogger("rdflib.term")
    was, logger.disabled = logger.disabled, True
    try:
        yield
    finally:
        logger.disabled = was


class _Sink:
    """Sink of rdflib's N-Triples parser."""

    def __init__(self) -> None:
        self.statements: list[Statement] = []

    def triple(self, source: Node, relation: Node, target: Node) -> None:
        self.statements.append((source, relation, target))


def _n_triples(path: Path) -> list[Statement]:
    """Parse N-Triples line by line, so that an error names its line."""
    from rdflib.plugins.parsers.ntriples import W3CNTriplesParser

    sink = _Sink()
    parser = W3CNTriplesParser(sink)  # type: ignore[arg-type]  # the annotation admits rdflib's own sinks only
    for number, line in read_lines(path):
        try:
            parser.parsestring(line)
        except Exception:  # rdflib raises many types
            raise DataError(f"expected `<source> <relation> <target> .`, found {line[:80]!r}", path, number) from None
    return sink.statements


def _other(path: Path) -> list[Statement]:
    """Parse Turtle or RDF/XML as a whole."""
    from rdflib import Graph as RdfGraph
    from rdflib.store import Store

    statements: list[Statement] = []

    class Recorder(Store):
        """Store that keeps the order of statements, unlike rdflib's own."""

        def add(self, triple: Any, context: Any, quoted: bool = False) -> None:
            statements.append(triple)

    name = FORMATS[strip_compression_suffix(path).suffix.lower()]
    text = read_text(path)
    try:
        graph = RdfGraph(store=Recorder(), bind_namespaces="none")
        graph.parse(data=text, format="turtle" if name == "Turtle" else "xml", publicID=BASE)
    except Exception as error:  # rdflib and expat raise many types
        raise DataError(f"is not {name}: {_reason(error)}", path, _line(error)) from None
    return statements


def _reason(error: Exception) -> str:
    """Return the message of a parser error in one short line."""
    text = " ".join(str(error).split())
    turtle = re.search(r"Bad syntax \((.*?)\) at \^", text)
    return (turtle[1] if turtle else text or type(error).__name__)[:160]


def _line(error: Exception) -> int | None:
    """Return the line of an error; rdflib counts from 0, expat from 1."""
    if hasattr(error, "getLineNumber"):
        return int(error.getLineNumber())
    return int(error.lines) + 1 if hasattr(error, "lines") else None


def _named(statements: Iterable[Statement], path: Path, literals: bool) -> list[Triple]:
    """Return the statements as names, optionally without those about literals."""
    from rdflib.term import BNode, Literal

    blanks: dict[Node, str] = {}

    def name_of(node: Node) -> str:
        if isinstance(node, BNode):
            return blanks.setdefault(node, f"_:{path.stem}.{len(blanks) + 1}")
        return node.n3() if isinstance(node, Literal) else str(node)

    return [
        (name_of(source), name_of(relation), name_of(target))
        for source, relation, target in statements
        if literals or not isinstance(target, Literal)
    ]


def shorten(triples: Iterable[Triple]) -> list[Triple]:
    """Abbreviate each IRI to its last part.

    Raises:
        R5Error: Two names have the same abbreviation.

    >>> shorten([("http://example.org/people#ann", "urn:mother", "http://example.org/people#eve")])
    [('ann', 'mother', 'eve')]

    """
    entity, relation = _shortener(), _shortener()
    return [(entity(source), relation(kind), entity(target)) for source, kind, target in triples]


def _shortener() -> Callable[[str], str]:
    """Return an injective function from names to abbreviations."""
    short: dict[str, str] = {}
    owners: dict[str, str] = {}

    def cut(name: str) -> str:
        if name not in short:
            last = re.split(r"[#/:]", name.rstrip("#/:"))[-1]
            new = last if last and not name.startswith(("_:", '"')) else name
            if (other := owners.setdefault(new, name)) != name:
                raise R5Error(f"{other!r} and {name!r} are both {new!r} when shortened; read them with short=False")
            short[name] = new
        return short[name]

    return cut
