"""One run of `r5 bench discovery`: train, search for missing facts, audit a corrupted copy, ask about pairs."""

from __future__ import annotations

import resource
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from r5.bench.discovery.confidence_order import confidence_order
from r5.bench.discovery.measures import area_under_curve, discovery_measures
from r5.bench.environment import describe

if TYPE_CHECKING:
    from r5.dataset import Dataset
    from r5.examples import Examples
    from r5.graph import Graph
    from r5.reasoners.chains import ChainReasoner

__all__ = ["DiscoveryJob", "run_one"]

Triple = tuple[str, str, str]
_LISTED = 100_000
"""Facts of the ranked list that average precision is computed on."""
_CORRUPTED = 0.02
"""Share of the facts that get another tail of their relation."""
_PAIRS = 1_000


@dataclass(frozen=True, slots=True)
class DiscoveryJob:
    """A data set, a seed, whether `valid` is given, and whether a corrupted copy is audited."""

    data: str
    source: str
    options: tuple[tuple[str, Any], ...]
    seed: int
    valid: bool = True
    audit: bool = False

    @property
    def key(self) -> str:
        return f"{self.data}_{self.seed}_{'valid' if self.valid else 'aside'}"


def run_one(job: DiscoveryJob) -> dict[str, Any]:
    """Measure one data set; compiling is not timed."""
    import r5

    small = r5.load("library", members=20, books=12)
    warm = r5.ChainReasoner(seed=0).fit(small.train)
    warm.new_facts(5), warm.audit(2)
    data = r5.load(job.source, **dict(job.options))
    start = time.perf_counter()
    model = r5.ChainReasoner(seed=job.seed).fit(data.train, data.valid if job.valid else None)
    record: dict[str, Any] = {
        "key": job.key,
        "data": job.data,
        "seed": job.seed,
        "valid": job.valid,
        "training_seconds": time.perf_counter() - start,
        **_search(model, data, job),
    }
    if job.audit:
        record["audit"] = _audit(data, job.seed)
    if job.source == "library":
        record["pairs"] = _pairs(model, data, job.seed)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)
    return {**record, "peak_megabytes": round(memory), **describe()}


def _named(examples: Examples) -> set[Triple]:
    return {(one.source, str(one.answer_name), one.target) for one in examples}


def _search(model: ChainReasoner, data: Dataset, job: DiscoveryJob) -> dict[str, Any]:
    """Judge the ranked list of new facts by the test facts, and its probabilities by valid and test."""
    import warnings

    from r5.knowledge.calibration import calibration_gaps

    valid, test = _named(data.valid), _named(data.test)
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # on large graphs: which part was searched
        model.new_facts(1_000)
        seconds = time.perf_counter() - start
        listed = model.new_facts(_LISTED)
    facts = [(str(one.head), str(one.relation), str(one.tail)) for one in listed]
    right = [fact in test for fact in facts if fact not in valid]
    shown = [(one.probability, fact) for one, fact in zip(listed, facts, strict=True) if one.probability >= 0.1]
    closed = calibration_gaps([p for p, _ in shown], [fact in valid or fact in test for _, fact in shown])
    level = model.model_.facts.level if job.valid else 0.0
    unseen = [(p * (1 - level) / (1 - level * p), fact) for p, fact in shown if fact not in valid or not job.valid]
    others = test if job.valid else test | valid
    held = calibration_gaps([p for p, _ in unseen], [fact in others for _, fact in unseen])
    ordered = confidence_order(model.rules_, data.train.pool, max(len(test) + len(valid), 200))
    by_confidence = [fact in test for fact in ordered if fact not in valid]
    return {
        "probability": discovery_measures(right, len(test)),
        "confidence": discovery_measures(by_confidence, len(test)),
        "calibration": {
            "closed_world": {"gaps": closed.tolist(), "n": len(shown)},
            "test": {"gaps": held.tolist(), "n": len(unseen)},
            "level": model.model_.facts.level,
        },
        "search_seconds": seconds,
    }


def _audit(data: Dataset, seed: int) -> dict[str, Any]:
    """Give some facts another tail of the same relation, train on that, and audit."""
    import r5

    graph, wrong = _corrupted(data.train.pool, seed)
    model = r5.ChainReasoner(seed=seed).fit(graph)
    start = time.perf_counter()
    found = model.audit(graph.number_of_edges)
    seconds = time.perf_counter() - start
    bad = np.array([tuple(one.completion.fact.to_json()) in wrong for one in found])
    surprise = np.array([one.surprise for one in found])
    return {
        "auc": area_under_curve(surprise, bad),
        "p_at_n": float(bad[: len(wrong)].mean()) if wrong else 0.0,
        "wrong": len(wrong),
        "facts": len(found),
        "seconds": seconds,
    }


def _corrupted(graph: Graph, seed: int) -> tuple[Graph, set[Triple]]:
    """Return the graph with 2 % of its facts given another tail that their relation has, and those facts."""
    import r5

    rng = np.random.default_rng([seed, 2])
    triples = graph.triples()
    known = set(triples)
    tails: dict[str, list[str]] = {}
    for _, relation, tail in triples:
        tails.setdefault(relation, []).append(tail)
    rows, wrong = [], set()
    for head, relation, tail in triples:
        fact = (head, relation, tail)
        if rng.random() < _CORRUPTED:
            drawn = (head, relation, tails[relation][int(rng.integers(len(tails[relation])))])
            if drawn not in known:
                fact = drawn
                wrong.add(fact)
        rows.append(fact)
    return r5.Graph.from_triples(rows), wrong


def _pairs(model: ChainReasoner, data: Dataset, seed: int) -> dict[str, float]:
    """Ask how pairs are related: those of known facts, and random pairs that no true fact connects."""
    import r5

    graph, rng = data.train.pool, np.random.default_rng([seed, 3])
    facts = rng.permutation(np.column_stack([graph.sources, graph.relations, graph.targets]))[:_PAIRS]
    none = np.full(len(facts), -1)
    pairs = r5.Examples.over(graph, facts[:, 0], facts[:, 2], none)
    answered = [
        row[1] in {graph.vocabulary.id(str(one.relation)) for one in (answer, *answer.alternatives) if one.known}
        for row, answer in zip(facts.tolist(), model.predict_many(pairs), strict=True)
    ]
    true = {(h, t) for h, _, t in (*graph.triples(), *_named(data.valid), *_named(data.test))}
    drawn = rng.integers(graph.number_of_nodes, size=(3 * _PAIRS, 2))
    names = graph.entities
    apart = np.array([(a, b) for a, b in drawn.tolist() if a != b and (names[a], names[b]) not in true][:_PAIRS])
    queries = r5.Examples.over(graph, apart[:, 0], apart[:, 1], np.full(len(apart), -1))
    silent = [one.relation is None for one in model.predict_many(queries)]
    return {"known_said": float(np.mean(answered)), "unrelated_silent": float(np.mean(silent)), "n": len(answered)}
