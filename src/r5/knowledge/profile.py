"""Profile of a knowledge graph: statistics of its relations, and leakage between its splits."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from r5.dataset import Dataset
from r5.errors import R5Error
from r5.examples import Examples
from r5.graph import Graph
from r5.knowledge.fact_index import FactIndex, Facts, graph_facts

__all__ = ["Partner", "Profile", "RelationProfile", "SplitProfile", "profile"]

MANY = 1.5
"""Mean number of entities from which a side of a relation counts as `n` (Bordes et al., 2013)."""
PARTNER = 0.5
"""Minimum share of the facts of both relations that inverse or duplicate relations have in common."""


@dataclass(frozen=True, slots=True)
class Partner:
    """Relation that holds between nearly the same entities as another one."""

    relation: str
    share: float
    """Share of the other relation's facts."""

    def __str__(self) -> str:
        return f"{self.relation} {self.share:.2f}"


@dataclass(frozen=True, slots=True)
class RelationProfile:
    """Statistics of one relation in the training graph."""

    name: str
    facts: int
    """Number of facts."""
    heads: int
    """Number of distinct heads."""
    tails: int
    """Number of distinct tails."""
    cardinality: str
    """1-1, 1-n, n-1 or n-n: `n` stands for 1.5 or more heads per tail, or tails per head, on average."""
    symmetry: float
    """Share of its facts, without loops, whose reverse holds too."""
    loops: int
    """Number of facts about an entity and itself."""
    inverses: tuple[Partner, ...]
    """Inverse relations, those with the highest share first."""
    duplicates: tuple[Partner, ...]
    """Relations between the same entities in the same direction, those with the highest share first."""


@dataclass(frozen=True, slots=True)
class SplitProfile:
    """Comparison of one split with the training graph."""

    name: str
    facts: int
    """Number of facts."""
    in_training: int
    """Number of facts in the training graph."""
    reversed_in_training: int
    """Number of facts whose reverse is in the training graph, under the same relation or an inverse one."""
    duplicated_in_training: int
    """Number of facts that are in the training graph under a duplicate relation."""
    unseen_entities: int
    """Number of entities without an edge in the training graph."""
    with_unseen_entity: int
    """Number of facts with such an entity."""
    unseen_relations: int
    """Number of relations without a fact in the training graph."""

    @property
    def leaks(self) -> int:
        """The number of leaked facts, as the maximum over the kinds of leakage."""
        return max(self.in_training, self.reversed_in_training, self.duplicated_in_training)


@dataclass(frozen=True, slots=True)
class Profile:
    """Statistics of a knowledge graph for `r5 describe`."""

    entities: int
    """Number of entities."""
    facts: int
    """Number of facts."""
    relations: tuple[RelationProfile, ...]
    """Relations by descending number of facts."""
    splits: tuple[SplitProfile, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the object `knowledge_graph` of `r5 describe --json`."""
        return asdict(self)


def profile(data: Dataset) -> Profile:
    """Return the statistics of a data set over one graph.

    Raises:
        R5Error: The examples do not share one graph.

    >>> from r5.data.registry import load
    >>> rows = [("a", "parent", "b"), ("b", "child", "a"), ("c", "parent", "d"), ("d", "child", "c")]
    >>> print(*profile(load(rows)).relations[0].inverses)
    parent 1.00

    """
    if data.graph is None:
        raise R5Error(f"{data.name}: its examples do not share one graph")
    graph = data.graph
    facts = graph_facts(graph)
    index = FactIndex(facts, graph.number_of_nodes)
    back, same = (_partners(facts, index, len(graph.vocabulary), reverse) for reverse in (True, False))
    used = np.unique(facts[:, 1])
    found = [_relation(graph, facts, int(relation), back, same) for relation in used]
    found.sort(key=lambda one: -one.facts)
    held_out = [(name, data.split(name)) for name in ("valid", "test") if len(data.split(name))]
    splits = tuple(_split(name, part, graph, facts, index, back, same) for name, part in held_out)
    return Profile(graph.number_of_nodes, len(facts), tuple(found), splits)


def _partners(facts: Facts, index: FactIndex, relations: int, reverse: bool) -> NDArray[np.float64]:
    """Return the share of each relation's facts that each other relation has too, [relations, relations].

    With `reverse` the other relation is compared in the opposite direction, without loops.
    """
    facts = facts[facts[:, 0] != facts[:, 2]] if reverse else facts
    ends = (facts[:, 2], facts[:, 0]) if reverse else (facts[:, 0], facts[:, 2])
    pair, other = index.between(*ends)
    counts = np.zeros((relations, relations))
    np.add.at(counts, (facts[pair, 1], other), 1.0)
    shares: NDArray[np.float64] = counts / np.maximum(np.bincount(facts[:, 1], minlength=relations), 1)[:, None]
    return shares


def _relation(
    graph: Graph, facts: Facts, relation: int, back: NDArray[np.float64], same: NDArray[np.float64]
) -> RelationProfile:
    own = facts[facts[:, 1] == relation]
    heads, tails = np.unique(own[:, 0]).size, np.unique(own[:, 2]).size
    reached_by, leads_to = ("n" if len(own) / side >= MANY else "1" for side in (tails, heads))
    return RelationProfile(
        name=graph.vocabulary.name(relation),
        facts=len(own),
        heads=heads,
        tails=tails,
        cardinality=f"{reached_by}-{leads_to}",
        symmetry=float(back[relation, relation]),
        loops=int((own[:, 0] == own[:, 2]).sum()),
        inverses=_chosen(graph, relation, back),
        duplicates=_chosen(graph, relation, same),
    )


def _partner_ids(relation: int, shares: NDArray[np.float64]) -> list[int]:
    """Return the other relations whose share reaches `PARTNER` both ways, by descending share."""
    both = np.minimum(shares[relation], shares[:, relation])
    both[relation] = 0.0
    ids = np.flatnonzero(both >= PARTNER)
    found: list[int] = ids[np.argsort(-both[ids], kind="stable")].tolist()
    return found


def _chosen(graph: Graph, relation: int, shares: NDArray[np.float64]) -> tuple[Partner, ...]:
    names = graph.vocabulary
    return tuple(Partner(names.name(i), float(shares[relation, i])) for i in _partner_ids(relation, shares))


def _split(
    name: str,
    examples: Examples,
    graph: Graph,
    facts: Facts,
    index: FactIndex,
    back: NDArray[np.float64],
    same: NDArray[np.float64],
) -> SplitProfile:
    relations = range(len(graph.vocabulary))
    inverses = {r: [r, *_partner_ids(r, back)] for r in relations}
    duplicates = {r: _partner_ids(r, same) for r in relations}
    answers = examples.answers.tolist()
    rows = np.stack([examples.sources, examples.answers, examples.targets], axis=1).astype(np.int64)
    known = index.holds(rows)
    proper = rows[:, 0] != rows[:, 2]
    reversed_ = index.any_of(rows[:, 2], rows[:, 0], (inverses.get(r, []) for r in answers)) & proper
    duplicated = index.any_of(rows[:, 0], rows[:, 2], (duplicates.get(r, []) for r in answers))
    seen = np.zeros(graph.number_of_nodes, dtype=bool)
    seen[facts[:, [0, 2]]] = True
    unseen = ~seen[rows[:, [0, 2]]]
    return SplitProfile(
        name=name,
        facts=len(rows),
        in_training=int(known.sum()),
        reversed_in_training=int((reversed_ & ~known).sum()),
        duplicated_in_training=int((duplicated & ~known).sum()),
        unseen_entities=int(np.unique(rows[:, [0, 2]][unseen]).size),
        with_unseen_entity=int(unseen.any(axis=1).sum()),
        unseen_relations=int(np.setdiff1d(rows[:, 1], facts[:, 1]).size),
    )
