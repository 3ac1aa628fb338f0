"""Training examples held out to choose an epoch by: as they are, or put together to longer ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from r5.examples import Example, Examples, Query
from r5.graph import Graph

__all__ = ["PARTS", "hold_out", "longer"]

PARTS = 10
"""One part of so many is held out."""
_STORIES = 500

Triple = tuple[str, str, str]


def hold_out(examples: Examples, seed: int) -> tuple[Examples, Examples]:
    """The examples without a tenth of them, and that tenth."""
    drawn = np.random.default_rng(seed).permutation(len(examples))
    apart = len(examples) // PARTS
    return examples.select(np.sort(drawn[apart:])), examples.select(np.sort(drawn[:apart]))


def longer(examples: Examples, seed: int) -> Examples:
    """Examples with more facts than any of these, and up to twice as many: one example stands for a fact of another.

    Where one example says that father and sister make an aunt, a fact (x, aunt, y) of another may become the two facts
    (x, father, z) and (z, sister, y), and its answer stays.
    """
    rng = np.random.default_rng(seed)
    stories = [_Story(example) for example in examples]
    of_answer: dict[str, list[_Story]] = {}
    for story in stories:
        of_answer.setdefault(story.answer, []).append(story)
    longest = max((len(story.facts) for story in stories), default=0)
    found = (_grown(story, of_answer, longest, rng) for story in _drawn(stories, rng))
    return Examples.of([example for example in found if example is not None], examples.vocabulary)


class _Story:
    """The facts of an example by name, without the one that is asked for."""

    def __init__(self, example: Example) -> None:
        graph = example.graph
        triples = zip(graph.triples(), graph.facts.tolist(), strict=True)
        self.facts: list[Triple] = [triple for triple, fact in triples if fact != example.masked_fact]
        self.source, self.target, self.answer = example.source, example.target, str(example.answer_name)
        self.vocabulary = graph.vocabulary


def _drawn(stories: Sequence[_Story], rng: np.random.Generator) -> Iterator[_Story]:
    return (stories[n] for n in rng.integers(len(stories), size=_STORIES)) if stories else iter(())


def _grown(story: _Story, of_answer: dict[str, list[_Story]], longest: int, rng: np.random.Generator) -> Example | None:
    """The story with facts told at length until it has a drawn number of them; None where it stays too short."""
    wanted = int(rng.integers(longest + 1, 2 * longest + 1))
    facts = list(story.facts)
    while len(facts) < wanted:
        fits = [
            (place, other)
            for place, (_, relation, _) in enumerate(facts)
            for other in of_answer.get(relation, [])
            if len(facts) + len(other.facts) - 1 <= wanted
        ]
        if not fits:
            break
        place, other = fits[int(rng.integers(len(fits)))]
        facts[place : place + 1] = _told_at_length(facts[place], other, len(facts))
    if len(facts) <= longest:
        return None
    # The order of names says nothing, as in the stories themselves.
    names = list(dict.fromkeys(name for head, _, tail in facts for name in (head, tail)))
    renamed = dict(zip(names, (f"{number:05d}" for number in rng.permutation(len(names))), strict=True))
    graph = Graph.from_triples([(renamed[a], relation, renamed[b]) for a, relation, b in facts], story.vocabulary)
    query = Query(graph.node(renamed[story.source]), graph.node(renamed[story.target]))
    return Example(graph, query, story.vocabulary.id(story.answer))


def _told_at_length(fact: Triple, other: _Story, tag: int) -> list[Triple]:
    """The facts of another story with its two entities named as those of the fact, and all others apart."""
    names = {other.source: fact[0], other.target: fact[2]}

    def name(entity: str) -> str:
        return names.get(entity, f"{entity} {tag}")

    return [(name(head), relation, name(tail)) for head, relation, tail in other.facts]
