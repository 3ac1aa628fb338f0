"""Training of the grammar engine on files of paths, which the workers read: `GrammarReasoner.fit` with `PathShards`."""

from __future__ import annotations

from typing import Any

from r5._util.runtime.budget import Budget
from r5._util.runtime.progress import ProgressCallback, ProgressCounter
from r5.data.path_shards import PathExample, PathShards
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

_CALIBRATION_QUERIES = 1000
"""Number of sampled queries for calibration."""


def learn_from_shards(
    shards: PathShards,
    settings: GrammarSettings,
    progress: ProgressCallback | None,
    budget: Budget,
    checkpointer: Checkpointer,
    cluster: Cluster,
) -> tuple[Vocabulary, FittedGrammar, dict[str, Any]]:
    """Train a grammar on files of paths, where one path of each query is the evidence for its answer.

    Args:
        shards: The files.
        settings: Hyperparameters.
        progress: Callback for progress.
        budget: Time limit.
        checkpointer: Checkpoint.
        cluster: Workers that read the files.

    Returns:
        Vocabulary, learned grammar and training summary.

    Raises:
        R5Error: The settings ask for evidence of every path.

    """
    if settings.evidence == "every":
        raise R5Error("files of paths are learned from with evidence one")
    corpus = survey(shards, cluster, budget)
    try:
        steps = ProgressCounter(progress, number_of_steps(settings, corpus))
        learned = learn(corpus, settings, steps, budget, checkpointer, cluster)
        sample = corpus.sample(_CALIBRATION_QUERIES, settings.seed)
    finally:
        corpus.files.release()
    words = Vocabulary(corpus.names)
    examples = Examples.of([_example(example, words) for example in sample])
    tuning = Tuning(learned, corpus.names, frozenset(), settings, budget, progress)
    learned, held_out = tuning.calibrate(examples, examples.select([]), "shortest")
    figures: dict[str, Any] = {
        "examples": int(corpus.weight),
        "distinct_examples": corpus.distinct_examples,
        "shards": len(shards),
    }
    return words, learned, figures if held_out is None else {**figures, "held_out": held_out.to_json()}


def _example(example: PathExample, words: Vocabulary) -> Example:
    """Return an example whose graph consists of the paths of a query."""
    triples = []
    for number, names in enumerate(example.paths):
        stops = ["source", *(f"{number}.{place}" for place in range(1, len(names))), "target"]
        triples += [(stops[place], name, stops[place + 1]) for place, name in enumerate(names)]
    graph = Graph.from_triples(triples, words)
    return Example(graph, Query(graph.node("source"), graph.node("target")), words.id(example.answer))
