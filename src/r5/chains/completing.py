"""Completions: the best candidates for the missing end of a fact, and the most likely facts that a graph lacks."""

from __future__ import annotations

import heapq
import warnings

import numpy as np

from r5.chains.answering import Answerer
from r5.chains.completion import Completion
from r5.chains.reasons import find_reasons, find_rival, strongest_first
from r5.errors import R5Error
from r5.relations import Vocabulary, inverse_name

__all__ = ["Question", "complete", "new_facts"]

Question = tuple[str | None, str | None, str | None]
"""Head, relation and tail; exactly one of the ends is None, and the relation where all are meant."""

_WORK = 400_000_000
"""So many candidates are looked at for new facts, at the most, ..."""
_FEWEST = 200
"""... but those of so many questions at least."""


def complete(answerer: Answerer, question: Question, top: int, explain: bool, known: bool) -> list[Completion]:
    """The best candidates; without a relation, the most likely facts over all relations that the entity has."""
    head, relation, tail = question
    if (head is None) == (tail is None):
        raise R5Error("give a head or a tail, not both and not none: the other end is what is asked for")
    if top < 1:
        raise R5Error(f"top must be a whole number from 1 on, not {top}")
    entity, backwards = (head, False) if tail is None else (tail, True)
    source = _node(answerer, entity or "")
    if relation is not None:
        number = answerer.graph.relation_named(relation)
        return _answers(answerer, source, number, backwards, top, explain, known)
    found = [
        answer
        for number in _relations_of(answerer, source, backwards)
        for answer in _answers(answerer, source, number, backwards, top, False, known)
    ]
    found.sort(key=lambda answer: (-answer.probability, answer.relation or "", answer.entity))
    found = found[:top]
    return [_explained(answerer, answer, backwards) for answer in found] if explain else found


def _node(answerer: Answerer, name: str) -> int:
    from r5.graph import Graph

    nothing = np.zeros(0, np.int32)
    try:
        return answerer.graph.entities.index(name)
    except ValueError:
        words = Vocabulary(answerer.graph.relations)
        return Graph(words, answerer.graph.entities, nothing, nothing, nothing, nothing).node(name)


def _relations_of(answerer: Answerer, source: int, backwards: bool) -> list[int]:
    """The relations that an entity has on this side, or all that can be asked for where it has none."""
    facts = answerer.graph.facts
    own = np.unique(facts[facts[:, 2 if backwards else 0] == source, 1]).tolist()
    every = range(len(answerer.graph.relations))
    return [r for r in own or every if answerer.target(r, backwards) is not None]


def _answers(
    answerer: Answerer, source: int, relation: int, backwards: bool, top: int, explain: bool, known: bool
) -> list[Completion]:
    target = answerer.target(relation, backwards)
    if target is None:
        return []
    scores = answerer.scores(target, source)
    there = answerer.known.of(source, relation, backwards)
    excluded = there[:0] if known else there
    chances = answerer.probabilities(scores, excluded)
    already = set(there.tolist())
    found = [
        _completion(answerer, source, relation, backwards, node, float(chances[node]), float(scores[node]), already)
        for node in answerer.best(scores, excluded, top)
    ]
    return [_explained(answerer, answer, backwards) for answer in found] if explain else found


def _completion(
    answerer: Answerer, source: int, relation: int, backwards: bool, node: int, chance: float, score: float,
    already: set[int],
) -> Completion:  # fmt: skip
    entities = answerer.graph.entities
    head, tail = (node, source) if backwards else (source, node)
    name = answerer.graph.relations[relation]
    return Completion(
        entities[node], chance, score, (), entities[head], name, entities[tail], node in already
    )  # fmt: skip


def _explained(answerer: Answerer, answer: Completion, backwards: bool) -> Completion:
    """The same with its reasons, whose sum is the score."""
    from dataclasses import replace

    graph = answerer.graph
    relation = graph.relations.index(answer.relation or "")
    target = answerer.target(relation, backwards)
    if target is None:
        return answer
    source = _node(answerer, (answer.tail if backwards else answer.head) or "")
    name = inverse_name(answer.relation or "") if backwards else answer.relation or ""
    node = _node(answerer, answer.entity)
    reasons = [*find_reasons(answerer, target, source, node, name), *find_rival(answerer, target, source, node, name)]
    return replace(answer, reasons=strongest_first(reasons))


def new_facts(answerer: Answerer, count: int, explain: bool) -> list[Completion]:
    """The facts that the graph lacks with the highest probability, for entities that have the relation.

    The known answers of a question compete too: where a relation has one answer, and that is known, no other one is
    likely. What is likely is so in both directions; the lower probability counts. On a large graph, as many questions
    are asked as take about a minute, drawn by chance, and a warning says how many.
    """
    graph = answerer.graph
    pairs = np.unique(graph.facts[:, :2], axis=0)
    room = max(_WORK // max(graph.number_of_nodes, 1), _FEWEST)
    if room < len(pairs):
        text = (
            f"the graph is large: {room:,} of its {len(pairs):,} questions (an entity and a relation it has) are asked"
        )
        warnings.warn(text, UserWarning, stacklevel=3)
        pairs = pairs[np.sort(np.random.default_rng(0).choice(len(pairs), room, replace=False))]
    best: list[tuple[float, int, int, int]] = []
    for head, relation in pairs.tolist():
        for chance, tail in _likely(answerer, head, relation, False, 3):
            if len(best) < count or chance > best[0][0]:
                other = {node: p for p, node in _likely(answerer, tail, relation, True, 20)}.get(head, 0.0)
                item = (min(chance, other), -head, -relation, -tail)
                if len(best) < count:
                    heapq.heappush(best, item)
                else:
                    heapq.heappushpop(best, item)
    found = []
    for chance, head, relation, tail in sorted(best, reverse=True):
        target = answerer.target(-relation, False)
        if target is not None and chance > 0:
            score = float(answerer.scores(target, -head)[-tail])
            found.append(_completion(answerer, -head, -relation, False, -tail, chance, score, set()))
    return [_explained(answerer, answer, False) for answer in found] if explain else found


def _likely(answerer: Answerer, source: int, relation: int, backwards: bool, top: int) -> list[tuple[float, int]]:
    """New answers and how likely each is: its share among all entities, the known answers too."""
    target = answerer.target(relation, backwards)
    if target is None:
        return []
    scores = answerer.scores(target, source)
    there = answerer.known.of(source, relation, backwards)
    chances = answerer.probabilities(scores, there[:0])
    return [(float(chances[node]), node) for node in answerer.best(scores, there, top)]
