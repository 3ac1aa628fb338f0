"""Held-out training examples that choose an epoch: the examples themselves, or longer ones composed of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from r5.examples import Example, Examples, Query
from r5.graph import Graph

__all__ = ["FOLDS", "compose_longer", "hold_out"]

FOLDS = 10
"""One of this number of folds is held out."""
_STORIES = 500
"""Number of compositions that are tried."""

Triple = tuple[str, str, str]


def hold_out(examples: Examples, seed: int) -> tuple[Examples, Examples]:
    """Split the examples at random, and return nine tenths and one tenth of them."""
    order = np.random.default_rng(seed).permutation(len(examples))
    size = len(examples) // FOLDS
    return examples.select(np.sort(order[size:])), examples.select(np.sort(order[:size]))


def compose_longer(examples: Examples, seed: int) -> Examples:
    """Compose examples with more facts than any of these, and up to twice as many.

    A fact is replaced by the facts of an example whose answer is its relation. Where one example says that father and
    sister make an aunt, a fact (x, aunt, y) of another may become (x, father, z) and (z, sister, y); the answer stays.

    Args:
        examples: Examples to compose.
        seed: Seed of the choice of examples and replacements.

    """
    rng = np.random.default_rng(seed)
    stories = [_Story(example) for example in examples]
    by_answer: dict[str, list[_Story]] = {}
    for story in stories:
        by_answer.setdefault(story.answer, []).append(story)
    longest = max((len(story.facts) for story in stories), default=0)
    composed = (_lengthen(story, by_answer, longest, rng) for story in _sample(stories, rng))
    return Examples.of([example for example in composed if example is not None], examples.vocabulary)


class _Story:
    """Facts of an example by name, without the masked one."""

    def __init__(self, example: Example) -> None:
        graph = example.graph
        triples = zip(graph.triples(), graph.facts.tolist(), strict=True)
        self.facts: list[Triple] = [triple for triple, fact in triples if fact != example.masked_fact]
        self.source, self.target, self.answer = example.source, example.target, str(example.answer_name)
        self.vocabulary = graph.vocabulary


def _sample(stories: Sequence[_Story], rng: np.random.Generator) -> Iterator[_Story]:
    return (stories[n] for n in rng.integers(len(stories), size=_STORIES)) if stories else iter(())


def _lengthen(
    story: _Story, by_answer: dict[str, list[_Story]], longest: int, rng: np.random.Generator
) -> Example | None:
    """Replace facts until the story has a random number of them; None if it stays too short."""
    wanted = int(rng.integers(longest + 1, 2 * longest + 1))
    facts = list(story.facts)
    while len(facts) < wanted:
        candidates = [
            (position, other)
            for position, (_, relation, _) in enumerate(facts)
            for other in by_answer.get(relation, [])
            if len(facts) + len(other.facts) - 1 <= wanted
        ]
        if not candidates:
            break
        position, other = candidates[int(rng.integers(len(candidates)))]
        facts[position : position + 1] = _substitute(facts[position], other, len(facts))
    if len(facts) <= longest:
        return None
    # Random names, since their order carries no information in the stories themselves.
    names = list(dict.fromkeys(name for head, _, tail in facts for name in (head, tail)))
    renamed = dict(zip(names, (f"{number:05d}" for number in rng.permutation(len(names))), strict=True))
    graph = Graph.from_triples([(renamed[a], relation, renamed[b]) for a, relation, b in facts], story.vocabulary)
    query = Query(graph.node(renamed[story.source]), graph.node(renamed[story.target]))
    return Example(graph, query, story.vocabulary.id(story.answer))


def _substitute(fact: Triple, other: _Story, tag: int) -> list[Triple]:
    """Return the facts of another story between the entities of a fact; all other entities get new names."""
    names = {other.source: fact[0], other.target: fact[2]}

    def name(entity: str) -> str:
        return names.get(entity, f"{entity} {tag}")

    return [(name(head), relation, name(tail)) for head, relation, tail in other.facts]
