"""SPARQL endpoints: the result of one query, asked over HTTP. Nothing else in r5 uses the network to load data."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode, urlsplit
from urllib.request import Request, urlopen

from r5._util.text import abbreviate
from r5.data.formats.names import name_tables
from r5.data.formats.rdf import Node, RdfSelection
from r5.data.formats.tables.table import describe_tables
from r5.data.one_graph import dataset_from_graph
from r5.dataset import Dataset
from r5.errors import DataError, R5Error
from r5.graph import Graph

__all__ = ["is_url", "load_endpoint"]

_QUERY = "SELECT ?s ?p ?o WHERE { ?s ?p ?o }"
_RESULTS = "application/sparql-results+json"
_KINDS = {"uri": "iri", "bnode": "blank", "literal": "literal", "typed-literal": "literal"}


def is_url(source: object) -> bool:
    """Return whether a source is an address of the web."""
    return isinstance(source, str) and source.startswith(("http://", "https://"))


def load_endpoint(
    url: str,
    *,
    query: str = _QUERY,
    literals: bool = False,
    types: bool = True,
    names: str | None = None,
    language: str | None = None,
    short: bool = False,
    inverse: bool = False,
    sample: int | None = None,
    seed: int = 0,
    valid_fraction: float = 0.0,
    test_fraction: float = 0.0,
    timeout: float = 300.0,
) -> Dataset:
    """Load the triples that a SELECT query finds at a SPARQL endpoint, as one knowledge graph.

    Endpoints may cut a result off without a word; the number of triples is in `Dataset.source`.

    Args:
        url: Address of the endpoint.
        query: SELECT query of three variables: source, relation and target; by default all triples.
        literals: Keep statements about literals.
        types: Keep statements of rdf:type.
        names: `label` to name entities by the statements of rdfs:label in the result.
        language: Language tag of the labels.
        short: Abbreviate IRIs to their last part.
        inverse: Add inverse edges.
        sample: Maximum number of training examples.
        seed: Seed of the sample and of the splits.
        valid_fraction: Share of the facts held out for validation.
        test_fraction: Share of the facts held out for testing.
        timeout: Maximum time without an answer, in seconds.

    Raises:
        DataError: The endpoint cannot be reached or refuses the query, or its answer is no table of three variables.
    """
    chosen = RdfSelection(literals, types, names, language, "")
    result = _ask(url, query, timeout)
    variables = _variables(result, url)
    for row, binding in enumerate(result["results"]["bindings"], start=1):
        try:
            chosen.add(*(_node(binding[name]) for name in variables))
        except (KeyError, TypeError, AttributeError):
            raise DataError(f"row {row} of the result has no value for each variable", url) from None
    table = chosen.table("SPARQL endpoint")
    if not table.triples:
        left_out = "".join(f"; {count}" for count in table.dropped)
        raise DataError(f"finds no triples{left_out}", url)
    table = name_tables([table], short)[0]
    graph = Graph.from_triples(table.triples, inverse=inverse)
    data = dataset_from_graph(
        graph,
        name=urlsplit(url).hostname or "endpoint",
        sample=sample,
        seed=seed,
        valid_fraction=valid_fraction,
        test_fraction=test_fraction,
    )
    return replace(data, source=describe_tables({url: table}))


def _ask(url: str, query: str, timeout: float) -> Any:
    """Return the JSON result of a query."""
    if not isinstance(query, str) or not query.strip():
        raise R5Error(f"query must be SPARQL, not {query!r}")
    headers = {"Accept": _RESULTS, "Content-Type": "application/x-www-form-urlencoded", "User-Agent": "r5"}
    request = Request(url, urlencode({"query": query}).encode(), headers)  # noqa: S310  is_url checks the scheme
    try:
        with urlopen(request, timeout=timeout) as answer:  # noqa: S310
            text = answer.read().decode("utf-8")
    except HTTPError as error:
        reason = " ".join(error.read(300).decode("utf-8", "replace").split())
        raise DataError(f"refuses the query ({error.code} {error.reason}): {reason[:200]}", url) from None
    except (URLError, HTTPException, OSError, ValueError) as error:
        raise DataError(f"cannot be asked: {getattr(error, 'reason', error)}", url) from None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise DataError(f"does not answer with {_RESULTS}, but with {abbreviate(text)}", url) from None


def _variables(result: Any, url: str) -> list[str]:
    """Return the three variables of a result in order."""
    head = result.get("head") if isinstance(result, Mapping) else None
    names = head.get("vars") if isinstance(head, Mapping) else None
    rows = result.get("results") if isinstance(result, Mapping) else None
    is_table = isinstance(rows, Mapping) and isinstance(rows.get("bindings"), list)
    if not isinstance(names, list) or len(names) != 3 or not is_table:
        raise DataError(
            f"expected a SELECT query of three variables, such as {_QUERY}; the result has {abbreviate(names)}", url
        )
    return names


def _node(term: Mapping[str, str]) -> Node:
    """Convert a term of a result."""
    kind, value, language = _KINDS[term["type"]], term["value"], term.get("xml:lang", "")
    if kind != "literal":
        return Node(kind, value)
    quoted = json.dumps(value, ensure_ascii=False)
    datatype = term.get("datatype")
    ending = f"@{language}" if language else f"^^<{datatype}>" if datatype else ""
    return Node(kind, f"{quoted}{ending}", value, language)
