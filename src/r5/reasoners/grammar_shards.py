"""Training from files of paths."""

from __future__ import annotations

from typing import Any

from r5._util.runtime.budget import Budget
from r5._util.runtime.progress import ProgressCallback, ProgressCounter
from r5.data.path_shards import PathQuestion, PathShards
from r5.errors import R5Error
from r5.examples import Example, Examples, Query
from r5.grammar.calibration.tuning import Tuning
from r5.grammar.corpus.sharded_corpus import survey
from r5.grammar.model import FittedGrammar
from r5.grammar.settings import GrammarSettings
from r5.grammar.training.checkpoint import Checkpointer
from r5.grammar.training.trainer import learn, number_of_steps
from r5.graph import Graph
from r5.parallel.cluster import Cluster
from r5.relations import Vocabulary

__all__ = ["learn_from_shards"]

_SAMPLE = 1000
"""Number of examples for calibration."""


def learn_from_shards(
    shards: PathShards,
    settings: GrammarSettings,
    progress: ProgressCallback | None,
    budget: Budget,
    checkpointer: Checkpointer,
    cluster: Cluster,
) -> tuple[Vocabulary, FittedGrammar, dict[str, Any]]:
    """Return the relations, the grammar and its summary; one path of each example is its reason."""
    if settings.evidence == "every":
        raise R5Error("files of paths are learned from with evidence one")
    corpus = survey(shards, cluster, budget)
    try:
        steps = ProgressCounter(progress, number_of_steps(settings, corpus))
        learned = learn(corpus, settings, steps, budget, checkpointer, cluster)
        questions = corpus.sample(_SAMPLE, settings.seed)
    finally:
        corpus.files.release()
    words = Vocabulary(corpus.names)
    examples = Examples.of([_example(question, words) for question in questions])
    tuning = Tuning(learned, corpus.names, frozenset(), settings, budget)
    learned = tuning.calibrate(examples, examples.select([]), "shortest")
    figures = {"examples": int(corpus.weight), "distinct_questions": sum(one.examples for one in corpus.figures)}
    return words, learned, {**figures, "shards": len(shards)}


def _example(question: PathQuestion, words: Vocabulary) -> Example:
    """Return a graph with nothing but the paths of an example."""
    triples = []
    for way, names in enumerate(question.paths):
        stops = ["source", *(f"{way}.{place}" for place in range(1, len(names))), "target"]
        triples += [(stops[place], name, stops[place + 1]) for place, name in enumerate(names)]
    graph = Graph.from_triples(triples, words)
    return Example(graph, Query(graph.node("source"), graph.node("target")), words.id(question.answer))
