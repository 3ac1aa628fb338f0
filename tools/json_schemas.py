"""JSON schemas of what commands print with `--json`, and the page that shows them.

`tests/contracts/test_json_schemas.py` compares the schemas with the objects of the library.
"""

from __future__ import annotations

import json
from typing import Any

__all__ = ["SCHEMAS", "schema", "schemas_page"]

Schema = dict[str, Any]


def _value(kind: str | list[str], description: str) -> Schema:
    return {"type": kind, "description": description}


def _list(items: Schema, description: str) -> Schema:
    return {"type": "array", "items": items, "description": description}


def _object(description: str, fields: Schema, optional: tuple[str, ...] = ()) -> Schema:
    required = [name for name in fields if name not in optional]
    about = {"description": description, "type": "object", "properties": fields}
    return {**about, "required": required, "additionalProperties": False}


def _reference(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name}"}


_TEXT = {"type": "string"}
_MAYBE = ["number", "null"]
_COUNTED = ("possibility", "support", "predictions", "pca")
_PART = {"type": "object", "description": "Number of queries and figures of each part, by its name."}
_ANSWER: Schema = {
    "relation": _value(["string", "null"], "Answer; null if the model cannot say."),
    "probability": _value(_MAYBE, "Probability of the answer, for engines that have one."),
    "score": _value(_MAYBE, "Score of the answer, for engines that have one."),
    "reason": _value(["string", "null"], "Reason for no answer; empty otherwise."),
    "known": _value("boolean", "True if the graph has this fact."),
    "path": _list(_reference("fact"), "Facts of the path, as observed."),
    "believed": _list(_reference("fact"), "Facts as the model takes them to be; empty if as observed."),
    "belief": _list({"type": "number"}, "Probability of each of these; empty if as observed."),
    "derivation": _list(_reference("step"), "Steps in the order in which they are made."),
    "doubts": _list(
        _object("Fact taken to be wrong.", {"observed": _reference("fact"), "believed": _TEXT}),
        "Facts with a wrong relation, and the relation that they are taken to have.",
    ),
    "witnesses": _list({"type": "object"}, "Space and time: paths that exclude relations, and what each leaves."),
    "alternatives": _list(_reference("prediction"), "Next best answers."),
}
_COMPLETION: Schema = {
    "entity": _value("string", "Candidate."),
    "probability": _value("number", "P(fact is true)."),
    "share": _value(_MAYBE, "Probability of the candidate if the query has one new answer; null without a query."),
    "score": _value("number", "Sum of the weights of the reasons."),
    "existing": _value("integer", "Number of other answers that the graph has for the query."),
    "fact": _reference("fact"),
    "known": _value("boolean", "True if the graph has this fact."),
    "reasons": _list(_reference("reason"), "Reasons by absolute weight; empty without `--explain`."),
}
_DEFS: dict[str, Schema] = {
    "fact": {"type": "array", "items": _TEXT, "minItems": 3, "maxItems": 3, "description": "Head, relation, tail."},
    "rule": _object(
        "Rule; a field without a value is left out.",
        {
            "head": _value("string", "Relation that the body implies."),
            "body": _list(_TEXT, "Relations of the body, in the order of the path."),
            "target": _value("string", "Entity at the end of the head, in rules about one entity."),
            "ending": _value("string", "Entity at the end of the body, in rules about one entity."),
            "weight": _value("number", "Weight of the rule in a score."),
            "probability": _value("number", "Probability of the head given the body; on a graph, the confidence."),
            "body_probability": _value("number", "Probability of the body given the head; on a graph, the coverage."),
            "score": _value("number", "Score of the engine `r5`."),
            "possibility": _value("number", "Possibility in a composition table."),
            "support": _value("number", "Number of times body and head match together."),
            "predictions": _value("integer", "Number of pairs that the body connects."),
            "pca": _value("number", "PCA confidence."),
            "invented": _value("boolean", "True if the head or body has an invented relation."),
        },
        (*("target", "ending", "weight", "probability", "body_probability", "score"), *_COUNTED),
    ),
    "step": _object(
        "Step of a derivation.",
        {
            "rule": _object("Rule of the step.", {"head": _TEXT, "body": _list(_TEXT, "Relations joined.")}),
            "because": _list(_reference("fact"), "Facts that are joined."),
            "result": _reference("fact"),
            "score": _value(_MAYBE, "Probability or score of the rule."),
            "position": _value("integer", "Position of the first fact on the path at this step."),
        },
    ),
    "reason": _object(
        "Term of a score.",
        {
            "kind": _value("string", "Kind of the reason, such as `rule` or `exclusion`."),
            "rule": _reference("rule"),
            "weight": _value("number", "Summand of the score; negative: against the fact."),
            "facts": _list(_reference("fact"), "Facts of one grounding."),
            "groundings": _value("integer", "Number of groundings."),
            "text": _value("string", "Reason as a sentence."),
        },
    ),
    "prediction": _object("Answer to a query about two entities.", _ANSWER, ("witnesses",)),
    "completion": _object("Candidate for the missing end of a fact.", _COMPLETION),
}
SCHEMAS: dict[str, tuple[str, Schema]] = {
    "prediction": (
        "`r5 predict --json` and `r5 explain --json`, with `source` and `target` in front",
        _DEFS["prediction"],
    ),
    "completion": ("an element of `r5 complete --json`", _DEFS["completion"]),
    "audit": (
        "an element of `facts` of `r5 audit --json`",
        _object(
            "Known fact that the rest of the graph hardly supports.",
            {
                **_COMPLETION,
                "surprise": _value("number", "Standard deviations below the mean of its relation."),
                "usual_probability": _value("number", "Median probability of the facts of its relation."),
                "better": {"anyOf": [_reference("completion"), {"type": "null"}], "description": "More probable fact."},
                "contradictions": _list(_TEXT, "Other facts that it contradicts, as sentences."),
            },
        ),
    ),
    "rule": ("an element of `r5 rules --format json` and of `rules.json` in a model folder", _DEFS["rule"]),
    "evaluation": (
        "`r5 evaluate --json`; `graph` is added where the graph has new entities",
        _object(
            "Accuracy of a model.",
            {
                "accuracy": _value("number", "Share of right answers; no answer counts as wrong."),
                "n": _value("integer", "Number of queries."),
                "by_length": _PART,
                "by_branches": _PART,
                "invalid_ratio": _value("number", "Share of queries without an answer."),
                "rule_recall": _value(_MAYBE, "Share of the true rules that the model has, where they are known."),
                "seconds": _value("number", "Time of answering."),
            },
            ("by_branches",),
        ),
    ),
    "ranking": (
        "`r5 rank --json`; `graph` is added where the graph has new entities",
        _object(
            "Link prediction.",
            {
                "mrr": _value("number", "Mean reciprocal rank."),
                "hits": _value("object", "Hits@k by k."),
                "n": _value("integer", "Number of queries."),
                "ties": _value("string", "Rank among ties: realistic, optimistic or pessimistic."),
                "both_sides": _value("boolean", "True if both ends of each fact were queries."),
                "by_relation": _PART,
                "by_direction": _PART,
                "seconds": _value("number", "Time of ranking."),
            },
        ),
    ),
}
"""For each object its place in the output of the commands and its JSON schema, without `$defs`."""


def schema(name: str) -> Schema:
    """Return the complete JSON schema of one of `SCHEMAS`."""
    own = SCHEMAS[name][1]
    needed: dict[str, Schema] = {}
    pending = [json.dumps(own)]
    while pending:
        text = pending.pop()
        for other, value in _DEFS.items():
            if other not in needed and f'"#/$defs/{other}"' in text:
                needed[other] = value
                pending.append(json.dumps(value))
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **own, **({"$defs": needed} if needed else {})}


def schemas_page() -> str:
    """Return the page of all schemas."""
    lines = [
        "# JSON schemas",
        "",
        "Read the output of `--json` in a program. Fields may be added in later versions; none is removed without a "
        "deprecation ([Compatibility](../explanation/compatibility.md)). The explorer describes its API in "
        "`/api/v1/openapi.json`.",
        "",
    ]
    for name, (place, own) in SCHEMAS.items():
        lines += [f"## {name.capitalize()}", "", f"{own['description']} Printed by {place}.", ""]
        rows = [f"| `{field}` | {_kind(one)} | {_meaning(one)} |" for field, one in own["properties"].items()]
        lines += ["| field | type | meaning |", "| --- | --- | --- |", *rows, ""]
        lines += ["```json", json.dumps(schema(name), indent=2), "```", ""]
    return "\n".join(lines)


def _kind(one: Schema) -> str:
    if "$ref" in one:
        return one["$ref"].rpartition("/")[2]
    if "anyOf" in one:
        return " or ".join(_kind(part) for part in one["anyOf"])
    kind = one["type"]
    if kind == "array":
        return f"list of {_kind(one['items'])}"
    return " or ".join([kind] if isinstance(kind, str) else kind)


def _meaning(one: Schema) -> str:
    return str(one.get("description") or _DEFS[one["$ref"].rpartition("/")[2]]["description"])
