"""Endpoints under /api/v1: fields, type of the answer, name of the handler."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from r5.serve.http.fields import MAX_EDITS, Field
from r5.serve.limits import Limits

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
_RELATION = Field("relation", "text", "Only facts of this relation")
_CANCEL = Field("cancel", "boolean", "End the search", default=False)
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

    is_search: bool = False
    """True for searches of the whole graph: they answer with their progress until they are done, and are cached."""
    is_cached: bool = False
    """True if the server keeps answers."""

    def patience(self, limits: Limits) -> float:
        """Return the time limit as a multiple of that of a request."""
        return limits.search if self.is_search else 4.0 if self.is_long else 1.0

    @property
    def path(self) -> str:
        return f"{PREFIX}/{self.name}"


ENDPOINTS = (
    Endpoint("about", "The model, the data, and the supported requests", is_cached=True),
    Endpoint("queries", "A few queries to begin with", is_cached=True),
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
            Field("model", "choice", "The model, or the other one (--compare)", "main", choices=("main", "other")),
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
            Field("drawing", "boolean", "Add the row of each reason in the drawing", default=False),
            _GRAPH,
            _EDITS,
            _OFF,
        ),
        answer_type="list",
    ),
    Endpoint(
        "new-facts",
        "The most probable facts that the graph lacks: `facts` is the output of `r5 complete --new --json`",
        (_RELATION, _limit(30, 1000), _CANCEL, _GRAPH, _EDITS, _OFF),
        is_search=True,
    ),
    Endpoint(
        "audit",
        "The known facts that look wrong: `facts` is the output of `r5 audit --json`",
        (_RELATION, _limit(20, 1000), _CANCEL, _GRAPH, _EDITS, _OFF),
        is_search=True,
    ),
    Endpoint(
        "calibration",
        "How often new facts of a relation are in the held-out splits, by P(fact)",
        (replace(_RELATION, required=True), _CANCEL, _GRAPH, _EDITS, _OFF),
        is_search=True,
    ),
    Endpoint("entities", "Entities whose names match a query", (_QUERY, _GRAPH, _EDITS, _limit(20, 200))),
    Endpoint(
        "entity",
        "The facts of an entity by relation and direction, a page of each",
        (
            Field("name", "text", "The entity", required=True),
            Field("relation", "text", "Only facts of this relation, in the given direction"),
            Field("direction", "choice", "Whether facts leave the entity", default="out", choices=("out", "in")),
            _OFFSET,
            _limit(10, 500),
            _GRAPH,
            _EDITS,
        ),
    ),
    Endpoint(
        "similar",
        "The entities most similar to an entity, and facts that both have: the output of `r5 similar --json`",
        (Field("name", "text", "The entity", required=True), _limit(10, 100), _GRAPH, _EDITS),
        answer_type="list",
    ),
    Endpoint(
        "names",
        "Whether names are known, and similar names of those that are not",
        (
            Field("entities", "texts", "Names of entities", default=[], maximum=20),
            Field("relations", "texts", "Names of relations", default=[], maximum=20),
            _GRAPH,
            _EDITS,
        ),
    ),
    Endpoint(
        "relation",
        "Statistics of a relation",
        (Field("name", "text", "The relation", required=True), _GRAPH, _EDITS),
        is_cached=True,
    ),
    Endpoint(
        "neighbourhood",
        "The facts around some entities",
        (
            Field("nodes", "texts", "Entities in the centre; default: the first entity", default=[], maximum=200),
            Field("most", "integer", "Maximum number of neighbours of the centre", 16, minimum=0, maximum=100),
            Field("open", "texts", "Opened entities, each with 12 neighbours for each time", default=[], maximum=500),
            Field("facts", "facts", "Facts [source, relation, target] that come first", default=[], maximum=200),
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
            Field("head", "text", "Only rules for this relation or, of one that is no inverse, also for its inverse"),
            Field("body", "text", "Only bodies with this relation or, of one that is no inverse, with its inverse"),
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
        "rule-map",
        "Relations, and the rules that lead from one to another",
        (Field("relation", "text", "Only rules about this relation"), _limit(120, 500)),
        is_cached=True,
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
