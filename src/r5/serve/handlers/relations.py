"""Handlers of relations: statistics of one relation, its calibration, and the map of the rule base."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np

from r5.dataset import Dataset
from r5.knowledge.calibration import calibration_error
from r5.relations import base_name
from r5.rules.constant_support import relation_pairs
from r5.rules.rule import Rule
from r5.serve.errors import RequestError
from r5.serve.handlers.completion import Report, chain_model, find_new_facts, own_graph
from r5.serve.handlers.session import Session

__all__ = ["describe_relation", "map_rules", "measure_calibration"]

_BINS = 5
_JUDGED = 500
"""Number of new facts of a relation that are judged for its calibration."""
_LEAST = 0.1
"""Minimum P(fact) of the facts that are judged."""


def describe_relation(session: Session, given: dict[str, Any]) -> dict[str, Any]:
    """Return statistics of a relation in a graph and the numbers of rules about it."""
    graph, name = session.graph(given["graph"], given["edits"]), given["name"]
    rules = session.model.rules_.rules
    if name not in graph.vocabulary and name not in session.model.vocabulary_:
        raise RequestError(f"there is no relation {name!r}", 404)
    sources, targets = relation_pairs(graph, name)
    pairs = np.unique(np.stack([sources, targets], axis=1), axis=0)
    heads, tails = (int(np.unique(pairs[:, side]).size) for side in (0, 1))
    turned = {(target, source) for source, target in pairs.tolist()}
    mirrored = sum((source, target) in turned for source, target in pairs.tolist())
    facts = len(pairs)
    return {
        "relation": name,
        "facts": facts,
        "heads": heads,
        "tails": tails,
        "tails_per_head": facts / heads if heads else None,
        "heads_per_tail": facts / tails if tails else None,
        "loops": int(np.sum(pairs[:, 0] == pairs[:, 1])),
        "symmetric": mirrored / facts if facts else None,
        "examples": [[graph.entities[source], name, graph.entities[target]] for source, target in pairs[:5].tolist()],
        "rules": sum(base_name(rule.head) == name for rule in rules),
        "used_in": sum(name in map(base_name, rule.body) for rule in rules),
    }


def map_rules(session: Session, given: dict[str, Any]) -> dict[str, Any]:
    """Return relations and the rules that lead from one to another, the strongest edges first.

    An edge stands for all rules with one relation in the body and the other as the head.
    """
    edges: defaultdict[tuple[str, str], list[Rule]] = defaultdict(list)
    heads: defaultdict[str, int] = defaultdict(int)
    for rule in session.model.rules_:
        head = base_name(rule.head)
        heads[head] += 1
        for body in dict.fromkeys(map(base_name, rule.body)):
            edges[body, head].append(rule)
    wanted = given["relation"]
    chosen = [(pair, rules) for pair, rules in edges.items() if wanted is None or wanted in pair]
    chosen.sort(key=lambda item: (-max(rule.strength for rule in item[1]), -len(item[1]), item[0]))
    shown = chosen[: given["limit"]]
    names = dict.fromkeys(name for pair, _ in shown for name in pair)
    return {
        "relations": [{"name": name, "rules": heads[name]} for name in names],
        "edges": [
            {
                "body": body,
                "head": head,
                "rules": len(rules),
                "strength": max(rule.strength for rule in rules),
                "best": max(rules, key=lambda rule: rule.strength).text(),
            }
            for (body, head), rules in shown
        ],
        "total": len(chosen),
    }


def measure_calibration(session: Session, given: dict[str, Any], report: Report) -> dict[str, Any]:
    """Return how often new facts of a relation are in the held-out splits, by P(fact)."""
    data = session.data
    held = set() if data is None else _held_out(data, given["relation"])
    if not held:
        return {"relation": given["relation"], "held_out": 0, "bins": [], "calibration_error": None}
    model = chain_model(session, given["off"])
    if own_graph(session, given, model) is not None:
        raise RequestError("calibration is measured on the graph that the model learned from")
    fields = {**given, "limit": _JUDGED}
    found = [one for one in find_new_facts(session, fields, report)["facts"] if one["probability"] >= _LEAST]
    chances = np.array([one["probability"] for one in found])
    right = np.array([(one["fact"][0], one["fact"][2]) in held for one in found], dtype=bool)
    places = np.clip(np.ceil(chances * _BINS - 1e-9).astype(int) - 1, 0, _BINS - 1)
    bins = [
        {
            "from": place / _BINS,
            "to": (place + 1) / _BINS,
            "facts": int(np.sum(places == place)),
            "probability": float(chances[places == place].mean()),
            "found": float(right[places == place].mean()),
        }
        for place in np.unique(places).tolist()
    ]
    error = calibration_error(chances, right) if found else None
    return {"relation": given["relation"], "held_out": len(held), "bins": bins, "calibration_error": error}


def _held_out(data: Dataset, relation: str) -> set[tuple[str, str]]:
    """Return the pairs of a relation in the splits that are not for training."""
    pairs = set()
    for split in ("valid", "test"):
        examples = data.split(split)
        if relation not in examples.vocabulary:
            continue
        chosen = np.flatnonzero(examples.answers == examples.vocabulary.id(relation))
        names = examples.pool.entities
        pairs |= {(names[examples.sources[row]], names[examples.targets[row]]) for row in chosen.tolist()}
    return pairs
