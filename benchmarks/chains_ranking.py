"""Ranks per second of the engine chains on one core, against plain Python with dictionaries and a walk per rule.

    python benchmarks/chains_ranking.py --data DATA/kg/wn18rr          trains on it, ranks its valid facts
    python benchmarks/chains_ranking.py                                a generated graph of 50,000 facts

Each fact is a head query and a tail query, every entity is a candidate, known answers are filtered. Plain Python ranks
some of the same queries and must give the same ranks.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict

import numpy as np
from chains_scale import generated

import r5
from r5._util.runtime.budget import Budget
from r5.chains.graph.known_answers import KnownAnswers
from r5.chains.graph.step_graph import distinct
from r5.chains.inference.query_scorer import QueryScorer
from r5.chains.inference.scoring_kernels import GRID
from r5.chains.model import RelationModel
from r5.reasoners.chain_queries.facts import named_facts


class Plain:
    """Scorer that walks the graph in plain Python."""

    def __init__(self, query_scorer: QueryScorer) -> None:
        self.query_scorer, steps = query_scorer, query_scorer.graph.steps
        self.inverse = steps.inverse.tolist()
        self.ends: dict[tuple[int, int], list[int]] = {}
        self.steps_of: dict[int, list[int]] = defaultdict(list)
        offsets = steps.row_offsets.tolist()
        for row, (node, step) in enumerate(zip(steps.row_nodes.tolist(), steps.row_steps.tolist(), strict=True)):
            self.ends[node, step] = steps.targets[offsets[row] : offsets[row + 1]].tolist()
            self.steps_of[node].append(step)

    def walk(self, source: int, body: tuple[int, ...]) -> dict[int, tuple[float, float, float]]:
        """Return the entities at the end of a body: number of groundings, probability, probability of the way back."""
        found = {source: (1.0, 1.0, 1.0)}
        for step in body:
            after: dict[int, tuple[float, float, float]] = {}
            for node, (groundings, forward, back) in found.items():
                ends = self.ends.get((node, step), [])
                for end in ends:
                    if end != source:
                        old = after.get(end, (0.0, 0.0, 0.0))
                        returning = len(self.ends[end, self.inverse[step]])
                        after[end] = old[0] + groundings, old[1] + forward / len(ends), old[2] + back / returning
            if not 0 < len(after) <= self.query_scorer.model.frontier:
                return {}
            found = after
        return found

    def entity_bias(self, target: RelationModel, entity: int) -> float:
        """Return the bias of an entity."""
        total = 0.0
        for step in self.steps_of[entity]:
            one, two, many = target.weights.steps[step].tolist()
            count = len(self.ends[entity, step])
            total += one + (two if count > 1 else 0.0) + many * float(np.log1p(count))
        return total

    def scores(self, target: RelationModel, source: int) -> np.ndarray:
        """Return the score of each entity."""
        total = np.array(
            [self.entity_bias(target, entity) for entity in range(self.query_scorer.graph.number_of_nodes)]
        )
        total[source] += target.weights.start[0]
        weights = target.weights.rules.tolist()
        for (applies, on, back), body in zip(weights, target.bodies, strict=False):
            for entity, (_, forward, behind) in self.walk(source, body).items():
                total[entity] += applies + on * forward**0.5 + back * behind**0.5
        for row, weight in zip(target.constants.tolist(), weights[len(target.bodies) :], strict=True):
            total[sorted(self.constant(source, *row))] += weight[0]
        return total

    def constant(self, source: int, step: int, having: int, answer: int, reversed_: int) -> set[int]:
        """Return the entities that a rule with constants predicts."""
        frontier = self.query_scorer.model.frontier
        if reversed_:
            ends = self.ends.get((having, self.inverse[step]), []) if step >= 0 and source == answer else []
            return set(ends) - {source} if len(ends) <= frontier else set()
        ends = self.ends.get((source, step), [])
        return {answer} - {source} if step < 0 or (having in ends and len(ends) <= frontier) else set()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data")
    parser.add_argument("--slow", type=int, default=5, help="number of facts that plain Python ranks")
    chosen = parser.parse_args()
    if chosen.data:
        data = r5.load(chosen.data)
        graph, asked, known = data.train.pool, data.valid, (data.train.pool, data.valid, data.test)
    else:
        graph, asked = generated(50_000, 50)
        known = (graph,)
    start = time.process_time()
    model = r5.ChainReasoner(seed=0).fit(graph, budget=Budget(threads=1))
    print(f"learned in {time.process_time() - start:.1f} s of one core")
    start = time.process_time()
    ranking = r5.rank(model, asked, known)
    fast = ranking.n / (time.process_time() - start)
    print(f"{ranking.n:,} ranks, {fast:,.0f} a second, MRR {ranking.mrr:.4f}")
    some = asked.select(np.linspace(0, len(asked) - 1, chosen.slow).astype(np.int64))
    counts = model.rank_answers(some, [asked, *known])
    query_scorer = model._scorer
    plain, seconds = Plain(query_scorer), 0.0
    everything = [query_scorer.graph.facts, *(named_facts(one, query_scorer.graph) for one in (*known, asked))]
    filtered = KnownAnswers(distinct(np.concatenate(everything)), len(query_scorer.graph.relations))
    for row, (head, relation, tail) in enumerate(named_facts(some, query_scorer.graph, answers_only=True).tolist()):
        for column, (source, answer) in enumerate(((head, tail), (tail, head))):
            start = time.process_time()
            target = query_scorer.target(relation, bool(column))
            if target is None:
                continue
            rounded = np.rint(plain.scores(target, source) * GRID)
            there = filtered.answers(np.array([source]), relation, bool(column))[0]
            mark = rounded[answer]
            rounded[there] = -np.inf
            better = int((rounded > mark).sum())
            seconds += time.process_time() - start
            if better != counts.better[row, column]:
                raise SystemExit(f"fact {row}: {better} are better, not {counts.better[row, column]}")
    slow = 2 * len(some) / seconds
    print(f"plain Python {slow:.2f} a second: {fast / slow:,.0f} times as many")


if __name__ == "__main__":
    main()
