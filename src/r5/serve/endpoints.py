"""The endpoints under /api/v1: what each takes, what it gives, and what does the work in a worker."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from r5.serve.fields import MOST_EDITS, Field

__all__ = ["ENDPOINTS", "PREFIX", "Endpoint"]

PREFIX = "/api/v1"
Gives = Literal["object", "list", "text"]

_GRAPH = Field("graph", "text", "data, an example such as test/17, or an upload; left out: the first there is")
_EDITS = Field("edits", "edits", f'What if: up to {MOST_EDITS} of ["+" or "-", source, relation, target]', default=[])
_OFF = Field("off", "numbers", "Rules that are switched off, by number", default=[], most=1000)
_SOURCE = Field("source", "text", "The entity asked about", required=True)
_TARGET = Field("target", "text", "The other entity", required=True)
_DRAWING = Field("drawing", "truth", "Also what the page draws", default=False)
_QUERY = Field("query", "text", "Words to look for", default="")
_SPLIT = Field("split", "choice", "The part of the data", default="test", choices=("train", "valid", "test"))
_OFFSET = Field("offset", "whole", "So many are skipped", default=0, most=10**9)


def _limit(default: int, most: int) -> Field:
    return Field("limit", "whole", "At most so many", default=default, least=1, most=most)


@dataclass(frozen=True)
class Endpoint:
    """One thing that can be asked for."""

    name: str
    """The last part of its path, and what the worker knows it by."""
    about: str
    fields: tuple[Field, ...] = ()
    gives: Gives = "object"
    is_long: bool = False
    """Whether it may take seconds: such jobs leave a worker to the others."""
    has_body: bool = False
    """Whether the request is a file, and not fields."""

    @property
    def path(self) -> str:
        return f"{PREFIX}/{self.name}"


ENDPOINTS = (
    Endpoint("about", "What is served: the model, the data, and what can be asked"),
    Endpoint(
        "ask",
        "The relations between two entities: what `r5 predict --json` prints; `known` marks what the graph says",
        (
            _SOURCE,
            _TARGET,
            _GRAPH,
            _EDITS,
            _OFF,
            Field("top", "whole", "So many answers", 3, least=1, most=20),
            _DRAWING,
        ),
    ),
    Endpoint(
        "why-not",
        "The best case for another answer, and where it loses",
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
        "The facts on the paths of a question that are most likely wrong",
        (_SOURCE, _TARGET, _GRAPH, _EDITS, _OFF),
        gives="list",
    ),
    Endpoint(
        "complete",
        "The missing links of an entity, the most probable first: what `r5 complete --json` prints. "
        "`probability` is P(fact), `share` is P(candidate | the query has a new answer)",
        (
            Field("head", "text", "The entity that the missing fact is about"),
            Field("relation", "text", "Its relation; left out: all of them"),
            Field("tail", "text", "The entity that it leads to; with both ends, the relations between them"),
            Field("top", "whole", "So many answers", 10, least=1, most=100),
            Field("explain", "truth", "Also what speaks for and against each", default=False),
            Field("known", "truth", "Also facts that the graph has", default=False),
            _GRAPH,
            _EDITS,
            _OFF,
        ),
        gives="list",
    ),
    Endpoint("entities", "Names of entities that fit what was typed", (_QUERY, _GRAPH, _EDITS, _limit(20, 200))),
    Endpoint(
        "neighbourhood",
        "The part of the graph around some entities",
        (
            Field("nodes", "texts", "The entities in the middle; left out: the first", default=[], most=60),
            Field("most", "whole", "So many others around them", 16, least=0, most=100),
            _GRAPH,
            _EDITS,
        ),
    ),
    Endpoint("questions", "The questions of the data", (_SPLIT, _QUERY, _OFFSET, _limit(50, 500))),
    Endpoint(
        "rules",
        "The rules: what `r5 rules --format json` prints, with their numbers",
        (
            _QUERY,
            Field("head", "text", "Only rules for this relation"),
            Field("body", "text", "Only bodies with this relation"),
            Field(
                "sort",
                "choice",
                "By what they are sorted, largest first",
                default="model",
                choices=("model", "head", "strength", "support", "weight"),
            ),
            _OFFSET,
            _limit(50, 500),
        ),
    ),
    Endpoint(
        "rule-examples",
        "Where a rule holds, and where it fails",
        (
            Field("rule", "whole", "The number of the rule", required=True, most=2**31),
            _GRAPH,
            _EDITS,
            _SPLIT,
            _limit(10, 100),
        ),
        is_long=True,
    ),
    Endpoint(
        "accuracy",
        "Accuracy with some rules switched off: what `r5 evaluate --json` prints, on up to 500 questions",
        (_SPLIT, _OFF),
        is_long=True,
    ),
    Endpoint("export", "The graph, as edited, as triples between tabs", (_GRAPH, _EDITS), gives="text"),
    Endpoint("graphs", "Upload a graph: a text of triples, TSV or CSV; its name is for `graph`", has_body=True),
)
