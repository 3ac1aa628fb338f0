"""Endpoints under /api/v1: fields, type of the answer, name of the handler."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from r5.serve.http.fields import MAX_EDITS, Field

__all__ = ["ENDPOINTS", "PREFIX", "Endpoint"]

PREFIX = "/api/v1"
AnswerType = Literal["object", "list", "text"]

_GRAPH = Field("graph", "text", "`data`, an example such as test/17, or an upload; default: the first graph")
_EDITS = Field("edits", "edits", f'Edits: up to {MAX_EDITS} of ["+" or "-", source, relation, target]', default=[])
_OFF = Field("off", "numbers", "Numbers of rules to switch off", default=[], maximum=1000)
_SOURCE = Field("source", "text", "Source entity of the query", required=True)
_TARGET = Field("target", "text", "Target entity of the query", required=True)
_DRAWING = Field("drawing", "boolean", "Add the input of the drawing", default=False)
_QUERY = Field("query", "text", "Words to search for", default="")
_SPLIT = Field("split", "choice", "Split of the data", default="test", choices=("train", "valid", "test"))
_OFFSET = Field("offset", "integer", "Number of skipped results", default=0, maximum=10**9)


def _limit(default: int, maximum: int) -> Field:
    return Field("limit", "integer", "Maximum number of results", default=default, minimum=1, maximum=maximum)


@dataclass(frozen=True)
class Endpoint:
    """Endpoint of the API."""

    name: str
    """Last part of the path and name of the handler."""
    description: str
    fields: tuple[Field, ...] = ()
    answer_type: AnswerType = "object"
    is_long: bool = False
    """True for jobs that may take seconds, which leave a worker for others."""
    has_body: bool = False
    """True if the request is a file instead of fields."""

    @property
    def path(self) -> str:
        return f"{PREFIX}/{self.name}"


ENDPOINTS = (
    Endpoint("about", "The model, the data, and the supported requests"),
    Endpoint(
        "ask",
        "The relations between two entities: the output of `r5 predict --json`; `known` marks facts of the graph",
        (
            _SOURCE,
            _TARGET,
            _GRAPH,
            _EDITS,
            _OFF,
            Field("top", "integer", "Maximum number of answers", 3, minimum=1, maximum=20),
            _DRAWING,
        ),
    ),
    Endpoint(
        "why-not",
        "The best derivation of another answer, and its weaknesses",
        (
            _SOURCE,
            _TARGET,
            Field("relation", "text", "The other answer", required=True),
            _GRAPH,
            _EDITS,
            _OFF,
            _DRAWING,
        ),
    ),
    Endpoint(
        "suspicious",
        "The facts on the paths of a query that are most likely wrong",
        (_SOURCE, _TARGET, _GRAPH, _EDITS, _OFF),
        answer_type="list",
    ),
    Endpoint(
        "complete",
        "The missing facts of an entity, the most probable first; the output of `r5 complete --json`. "
        "`probability` is P(fact), `share` is P(candidate | the query has a new answer)",
        (
            Field("head", "text", "Head of the missing fact"),
            Field("relation", "text", "Relation of the missing fact; default: all relations"),
            Field("tail", "text", "Tail of the missing fact; with head and tail, the relations between them"),
            Field("top", "integer", "Maximum number of answers", 10, minimum=1, maximum=100),
            Field("explain", "boolean", "Add the reasons for and against each answer", default=False),
            Field("known", "boolean", "Add facts of the graph", default=False),
            _GRAPH,
            _EDITS,
            _OFF,
        ),
        answer_type="list",
    ),
    Endpoint("entities", "Entities whose names match a query", (_QUERY, _GRAPH, _EDITS, _limit(20, 200))),
    Endpoint(
        "neighbourhood",
        "The neighbourhood of some entities",
        (
            Field("nodes", "texts", "Entities in the centre; default: the first entity", default=[], maximum=60),
            Field("most", "integer", "Maximum number of other entities", 16, minimum=0, maximum=100),
            _GRAPH,
            _EDITS,
        ),
    ),
    Endpoint("questions", "The examples of a split", (_SPLIT, _QUERY, _OFFSET, _limit(50, 500))),
    Endpoint(
        "rules",
        "The rules with their numbers; the output of `r5 rules --format json`",
        (
            _QUERY,
            Field("head", "text", "Only rules for this relation"),
            Field("body", "text", "Only bodies with this relation"),
            Field(
                "sort",
                "choice",
                "Sort key, in descending order",
                default="model",
                choices=("model", "head", "strength", "support", "weight"),
            ),
            _OFFSET,
            _limit(50, 500),
        ),
    ),
    Endpoint(
        "rule-examples",
        "Examples and counterexamples of a rule",
        (
            Field("rule", "integer", "The number of the rule", required=True, maximum=2**31),
            _GRAPH,
            _EDITS,
            _SPLIT,
            _limit(10, 100),
        ),
        is_long=True,
    ),
    Endpoint(
        "accuracy",
        "Accuracy without some rules, on up to 500 examples; the output of `r5 evaluate --json`",
        (_SPLIT, _OFF),
        is_long=True,
    ),
    Endpoint("export", "The edited graph as TSV triples", (_GRAPH, _EDITS), answer_type="text"),
    Endpoint("graphs", "Upload a graph: TSV or CSV triples; the returned name is a value of `graph`", has_body=True),
)
