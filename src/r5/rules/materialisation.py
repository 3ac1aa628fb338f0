"""Materialisation: the facts that rules derive and a graph lacks, rule by rule, optionally to a fixpoint.

Facts of a relation are sorted keys `head * nodes + tail`. A body is followed from blocks of entities, so that memory
is bounded by the block size, the edges of one relation and the facts derived so far.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from r5._util.runtime.progress import Progress, ProgressCallback
from r5.errors import R5Error
from r5.graph import Graph
from r5.rules.derivation_checkpoint import DerivationCheckpoint
from r5.rules.formats.text import direct_atom
from r5.rules.rule import Rule

__all__ = ["DerivedFact", "DerivedFacts", "derive_facts"]

_BLOCK_SIZE = 1 << 21
"""Maximum number of edges followed at once; at least those of one entity are."""

Keys = NDArray[np.int64]


class DerivedFact(NamedTuple):
    """Fact that a rule derives, by name."""

    head: str
    relation: str
    tail: str
    confidence: float
    """Confidence of the rule."""
    rule: Rule
    round: int
    """1 if known facts imply it; n if a fact derived in round n - 1 is needed."""


@dataclass(frozen=True, slots=True)
class DerivedFacts:
    """Facts that one rule derives in one block, as positions in `entities`."""

    entities: Sequence[str]
    """Entities of the graph, then constants of rules that the graph lacks."""
    rule: Rule
    relation: str
    """Relation of the facts, which is not an inverse."""
    heads: NDArray[np.int64]
    tails: NDArray[np.int64]
    round: int

    def __len__(self) -> int:
        return int(self.heads.size)

    def rows(self) -> Iterator[DerivedFact]:
        """Yield the facts by name."""
        entities, confidence = self.entities, self.rule.strength
        for head, tail in zip(self.heads.tolist(), self.tails.tolist(), strict=True):
            yield DerivedFact(entities[head], self.relation, entities[tail], confidence, self.rule, self.round)


def derive_facts(
    rules: Sequence[Rule],
    graph: Graph,
    *,
    fixpoint: bool = False,
    loops: bool = False,
    progress: ProgressCallback | None = None,
    block_size: int = _BLOCK_SIZE,
    checkpoint: DerivationCheckpoint | None = None,
) -> Iterator[DerivedFacts]:
    """Yield the facts that rules derive and the graph lacks, each once, with the first rule that derives it.

    Rules are applied in their order, so the strongest should come first. The target of a rule need not be an entity
    of the graph.

    Args:
        rules: The rules.
        graph: The graph.
        fixpoint: Apply the rules again to the derived facts until nothing follows.
        loops: Also derive facts about an entity and itself.
        progress: Called with the number of rules applied in a round.
        block_size: Maximum number of edges followed at once; the facts do not depend on it.
        checkpoint: File of the derived facts; those of rules that are done with there are yielded again, not derived.

    Raises:
        R5Error: A rule has alternative heads, none of which follows by itself.
    """
    odd = next((rule for rule in rules if rule.possibility is not None), None)
    if odd is not None:
        raise R5Error(f"rules with alternative heads derive no facts: {odd.sentence()}")
    store = _FactStore(graph, [rule.target for rule in rules if rule.target is not None])
    due = list(range(len(rules)))
    number = 1
    while due:
        new: dict[str, list[Keys]] = {}
        for done, index in enumerate(due):
            if progress is not None:
                progress(Progress(done, len(due), "", stage=f"round {number}" if fixpoint else ""))
            saved = None if checkpoint is None else checkpoint.facts_of(number, index)
            if saved is not None:
                yield from _replay(rules[index], store, new, saved, number)
                continue
            for facts in _apply(rules[index], store, new, loops, block_size, number):
                if checkpoint is not None:
                    checkpoint.add(number, index, facts.heads, facts.tails)
                yield facts
            if checkpoint is not None:
                checkpoint.finish(number, index)
        for relation, keys in new.items():
            if fixpoint:
                store.add(relation, keys)
        due = [
            index
            for index, rule in enumerate(rules)
            if fixpoint and not new.keys().isdisjoint(map(_base, rule.relations))
        ]
        number += 1


def _apply(
    rule: Rule, store: _FactStore, new: dict[str, list[Keys]], loops: bool, block_size: int, number: int
) -> Iterator[DerivedFacts]:
    """Yield the new facts of one rule and add them to those of the round."""
    relation, first, _ = direct_atom(rule.head, "X", "Y")
    size = store.number_of_nodes
    earlier = [store.known(relation), *new.get(relation, [])]
    found = []
    for keys in _predictions(rule, store, block_size):
        heads, tails = np.divmod(keys, size)
        if first == "Y":
            heads, tails = tails, heads
        fresh = heads * size + tails
        fresh = fresh if loops else fresh[heads != tails]
        for known in earlier:
            fresh = fresh[~_contains(known, fresh)]
        if fresh.size:
            found.append(fresh)
            yield DerivedFacts(store.entities, rule, relation, *np.divmod(fresh, size), number)
    _remember(new, relation, found)


def _replay(
    rule: Rule, store: _FactStore, new: dict[str, list[Keys]], saved: tuple[Keys, Keys], number: int
) -> Iterator[DerivedFacts]:
    """Yield the facts of a checkpoint and add them to those of the round."""
    relation, heads, tails = _base(rule.head), *saved
    if heads.size:
        _remember(new, relation, [heads * store.number_of_nodes + tails])
        yield DerivedFacts(store.entities, rule, relation, heads, tails, number)


def _remember(new: dict[str, list[Keys]], relation: str, found: Sequence[Keys]) -> None:
    """Add keys to those of the round: one sorted array for each rule, several merged so that a lookup stays cheap."""
    if found:
        parts = [*new.get(relation, []), np.sort(np.concatenate(found))]
        new[relation] = parts if len(parts) < 8 else [np.sort(np.concatenate(parts))]


def _predictions(rule: Rule, store: _FactStore, block_size: int) -> Iterator[Keys]:
    """Yield keys of the pairs (x, y) for which the body holds, each once, in blocks."""
    size = store.number_of_nodes
    if rule.target is not None:
        reached = np.arange(store.number_in_graph)
        if rule.ending is not None:
            reached = np.array([store.nodes[rule.ending]] if rule.ending in store.nodes else [], np.int64)
        for name in reversed(rule.relations):
            sources, targets = np.divmod(store.pairs(name), size)
            held = np.zeros(size, dtype=bool)
            held[reached] = True
            reached = np.unique(sources[held[targets]])
        yield reached * size + store.nodes[rule.target]
        return
    first, *steps = rule.relations
    yield from _follow(store.pairs(first), [store.adjacency(name) for name in steps], size, block_size)


class _Adjacency(NamedTuple):
    """Targets of each node in CSR form."""

    offsets: Keys
    targets: Keys


def _follow(pairs: Keys, steps: Sequence[_Adjacency], size: int, block_size: int) -> Iterator[Keys]:
    """Yield the pairs that lead from the sources of pairs over the steps, block by block of whole sources."""
    if not steps:
        yield pairs
        return
    offsets, targets = steps[0]
    nodes = pairs % size
    ends = np.append(np.flatnonzero(np.diff(pairs // size)) + 1, pairs.size)[: pairs.size]  # of each source's pairs
    work = np.cumsum(offsets[nodes + 1] - offsets[nodes])[ends - 1]
    start, block, done = 0, 0, 0
    while start < pairs.size:
        block = max(int(np.searchsorted(work, done + block_size, side="right")), block + 1)
        end, done = int(ends[block - 1]), int(work[block - 1])
        part = nodes[start:end]
        degrees = offsets[part + 1] - offsets[part]
        total = int(degrees.sum())
        if total:
            places = np.arange(total) + np.repeat(offsets[part] - np.append(0, np.cumsum(degrees)[:-1]), degrees)
            sources = np.repeat(pairs[start:end] // size, degrees)
            yield from _follow(np.unique(sources * size + targets[places]), steps[1:], size, block_size)
        start = end


class _FactStore:
    """Known facts of each relation, in stored direction; derived facts are added between rounds."""

    def __init__(self, graph: Graph, constants: Sequence[str]) -> None:
        self.number_in_graph = graph.number_of_nodes
        self.entities = (*graph.entities, *(name for name in dict.fromkeys(constants) if name not in graph.nodes))
        self.number_of_nodes = len(self.entities)
        self.nodes = {
            **graph.nodes,
            **{self.entities[node]: node for node in range(self.number_in_graph, len(self.entities))},
        }
        names = [direct_atom(name, "first", "second") for name in graph.vocabulary]
        self._keys: dict[str, Keys] = {}
        for relation, (name, start, _) in enumerate(names):
            of_relation = graph.relations == relation
            heads, tails = graph.sources[of_relation].astype(np.int64), graph.targets[of_relation].astype(np.int64)
            if start == "second":
                heads, tails = tails, heads
            self.add(name, [heads * self.number_of_nodes + tails])

    def add(self, relation: str, keys: Sequence[Keys]) -> None:
        """Add facts of a relation."""
        self._keys[relation] = np.unique(np.concatenate([self.known(relation), *keys]))

    def known(self, relation: str) -> Keys:
        """Return the sorted keys of a relation that is not an inverse."""
        return self._keys.get(relation, np.zeros(0, np.int64))

    def pairs(self, name: str) -> Keys:
        """Return the sorted keys of a relation or of an inverse relation."""
        relation, start, _ = direct_atom(name, "first", "second")
        keys = self.known(relation)
        if start == "first":
            return keys
        heads, tails = np.divmod(keys, self.number_of_nodes)
        return np.sort(tails * self.number_of_nodes + heads)

    def adjacency(self, name: str) -> _Adjacency:
        """Return the targets of each node over a relation or an inverse relation."""
        heads, tails = np.divmod(self.pairs(name), self.number_of_nodes)
        return _Adjacency(np.searchsorted(heads, np.arange(self.number_of_nodes + 1)), tails)


def _base(name: str) -> str:
    return direct_atom(name, "", "")[0]


def _contains(known: Keys, keys: Keys) -> NDArray[np.bool_]:
    """Return a mask of the keys that are among sorted known ones."""
    if not known.size:
        return np.zeros(keys.size, dtype=bool)
    place = np.minimum(np.searchsorted(known, keys), known.size - 1)
    same: NDArray[np.bool_] = known[place] == keys
    return same
