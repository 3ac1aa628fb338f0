"""Profile: what the relations of a knowledge graph are like, and what its splits give away."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from r5.dataset import Dataset
from r5.errors import R5Error
from r5.examples import Examples
from r5.graph import Graph
from r5.knowledge.fact_index import FactIndex, Facts, facts_of

__all__ = ["Partner", "Profile", "RelationProfile", "SplitProfile", "profile"]

MANY = 1.5
"""From so many on average a side counts as `n`, as in the usual division of relations (Bordes et al., 2013)."""
PARTNER = 0.5
"""Relations are inverses, or say the same, if so large a share of both has the other."""


@dataclass(frozen=True, slots=True)
class Partner:
    """Another relation that holds between (nearly) the same entities, and for which share of the facts."""

    relation: str
    share: float

    def __str__(self) -> str:
        return f"{self.relation} {self.share:.2f}"


@dataclass(frozen=True, slots=True)
class RelationProfile:
    """One relation in the training graph."""

    name: str
    facts: int
    heads: int
    """Distinct entities that have it."""
    tails: int
    """Distinct entities that it leads to."""
    cardinality: str
    """1-1, 1-n, n-1 or n-n: whether an entity has, or is reached by, 1.5 or more on average."""
    symmetry: float
    """The share of its facts, loops aside, that hold the other way round too."""
    loops: int
    """Facts about an entity and itself."""
    inverses: tuple[Partner, ...]
    """Relations that lead back, the surest first."""
    duplicates: tuple[Partner, ...]
    """Relations that hold between the same entities in the same direction."""


@dataclass(frozen=True, slots=True)
class SplitProfile:
    """What is asked in one split, beside what training has."""

    name: str
    facts: int
    in_training: int
    """Facts that stand in the training graph."""
    reversed_in_training: int
    """Facts whose reverse stands there: the same relation, or one found to be its inverse, the other way round."""
    duplicated_in_training: int
    """Facts that stand there under a relation found to say the same."""
    unseen_entities: int
    """Entities asked about that have no edge in the training graph."""
    with_unseen_entity: int
    """Facts with such an entity."""
    unseen_relations: int
    """Relations asked for of which training has no fact."""

    @property
    def leaks(self) -> int:
        """The most that any kind of leak makes up."""
        return max(self.in_training, self.reversed_in_training, self.duplicated_in_training)


@dataclass(frozen=True, slots=True)
class Profile:
    """A knowledge graph as `r5 describe` shows it."""

    entities: int
    facts: int
    relations: tuple[RelationProfile, ...]
    """Those with most facts first."""
    splits: tuple[SplitProfile, ...]

    def to_json(self) -> dict[str, Any]:
        """What `r5 describe --json` has under `knowledge_graph`."""
        return asdict(self)


def profile(data: Dataset) -> Profile:
    """The profile of a data set whose questions are all about one graph.

    >>> from r5.data.registry import load
    >>> rows = [("a", "parent", "b"), ("b", "child", "a"), ("c", "parent", "d"), ("d", "child", "c")]
    >>> print(*profile(load(rows)).relations[0].inverses)
    parent 1.00
    """
    if data.graph is None:
        raise R5Error(f"{data.name}: its questions are not all about one graph")
    graph = data.graph
    facts = facts_of(graph)
    index = FactIndex(facts, graph.number_of_nodes)
    back, same = (_partners(facts, index, len(graph.vocabulary), turned) for turned in (True, False))
    used = np.unique(facts[:, 1])
    found = [_relation(graph, facts, int(relation), back, same) for relation in used]
    found.sort(key=lambda one: -one.facts)
    asked = [(name, data.split(name)) for name in ("valid", "test") if len(data.split(name))]
    splits = tuple(_split(name, part, graph, facts, index, back, same) for name, part in asked)
    return Profile(graph.number_of_nodes, len(facts), tuple(found), splits)


def _partners(facts: Facts, index: FactIndex, relations: int, turned: bool) -> NDArray[np.float64]:
    """For two relations, the share of the first one's facts that the second holds for too (or the other way round).

    An entity and itself are the same either way round, so those facts say nothing about leading back.
    """
    facts = facts[facts[:, 0] != facts[:, 2]] if turned else facts
    ends = (facts[:, 2], facts[:, 0]) if turned else (facts[:, 0], facts[:, 2])
    place, other = index.between(*ends)
    counts = np.zeros((relations, relations))
    np.add.at(counts, (facts[place, 1], other), 1.0)
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
    """Other relations with which most facts are shared, both ways, the surest first and then by number."""
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
    asked: Examples,
    graph: Graph,
    facts: Facts,
    index: FactIndex,
    back: NDArray[np.float64],
    same: NDArray[np.float64],
) -> SplitProfile:
    relations = range(len(graph.vocabulary))
    leading_back = {r: [r, *_partner_ids(r, back)] for r in relations}
    saying_the_same = {r: _partner_ids(r, same) for r in relations}
    answers = asked.answers.tolist()
    rows = np.stack([asked.sources, asked.answers, asked.targets], axis=1).astype(np.int64)
    inside = index.holds(rows)
    proper = rows[:, 0] != rows[:, 2]
    turned = index.any_of(rows[:, 2], rows[:, 0], (leading_back.get(r, []) for r in answers)) & proper
    twice = index.any_of(rows[:, 0], rows[:, 2], (saying_the_same.get(r, []) for r in answers))
    seen = np.zeros(graph.number_of_nodes, dtype=bool)
    seen[facts[:, [0, 2]]] = True
    unseen = ~seen[rows[:, [0, 2]]]
    return SplitProfile(
        name=name,
        facts=len(rows),
        in_training=int(inside.sum()),
        reversed_in_training=int((turned & ~inside).sum()),
        duplicated_in_training=int((twice & ~inside).sum()),
        unseen_entities=int(np.unique(rows[:, [0, 2]][unseen]).size),
        with_unseen_entity=int(unseen.any(axis=1).sum()),
        unseen_relations=int(np.setdiff1d(rows[:, 1], facts[:, 1]).size),
    )
