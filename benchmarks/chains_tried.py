"""What was tried for the engine chains and is not part of it, ranked on valid beside the engine as it is.

    python benchmarks/chains_tried.py --data DIR --datasets umls-30,kinship-30 --out benchmarks/chains_tried.md

*Quotas*: the rules of a relation are half of two steps and half of three, and not the best of any length. *Closure*:
the missing facts that the model is most sure of, a tenth as many as are known, join the graph, and questions are
answered on that, or all is learned again on it. *Three models*: the mean of the scores that three seeds give. Seed 0;
known facts of all splits are left out of ranks, as everywhere; which facts join is told by the model alone.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np

import r5
from r5._util.order import nine_digits
from r5.bench.graphs.published import load_peers
from r5.bench.markdown import share, table
from r5.chains import fitting
from r5.chains.answer_kernels import GRID
from r5.chains.answering import Answerer, Filter
from r5.chains.fitter import Fitter
from r5.chains.steps import StepGraph, distinct
from r5.data.formats.triples import load_triples
from r5.dataset import Dataset
from r5.reasoners.chains import _named_facts

MORE = 0.1
"""So many facts join a graph for one that it has."""
Scores = Callable[[int, int], "np.ndarray | None"]


class QuotaFitter(Fitter):
    """Keeps as many rules of each length."""

    def _merged(self, steps):  # type: ignore[no-untyped-def]
        found: dict[tuple[int, ...], float] = {}
        for place, step in enumerate(steps):
            for body, chance in zip(*self._bodies(step), strict=True):
                ahead = self._turned(body) if place else body
                found[ahead] = found.get(ahead, 0.0) + float(chance)
        best = sorted(found, key=lambda body: (-nine_digits(found[body]), body))
        most = QUOTA_OF // 2
        chosen = [body for size in (2, 3, 4, 5) for body in [b for b in best if len(b) == size][:most]]
        chosen = sorted(chosen, key=best.index)[:QUOTA_OF]
        chosen += [(step,) for step in self.graph.targets()]
        return chosen, np.array([found.get(body, 0.0) for body in chosen])


QUOTA_OF = 500


def mrr(graph: StepGraph, data: Dataset, scores: Scores) -> float:
    """The mean reciprocal rank on valid, ties in the middle."""
    asked = _named_facts(data.valid, graph, answers_only=True)
    splits = [_named_facts(one, graph) for one in (data.train, data.valid, data.test)]
    facts = [graph.facts, asked, *splits, _named_facts(data.test, graph, answers_only=True)]
    known = Filter(distinct(np.concatenate(facts)), len(graph.relations))
    found = []
    for head, relation, tail in asked.tolist():
        for back, source, answer in ((False, head, tail), (True, tail, head)):
            said = scores(graph.step(relation, back), source)
            rounded = np.zeros(graph.number_of_nodes) if said is None else np.rint(said * GRID)
            own = rounded[answer]
            rounded[known.answers(np.array([source]), relation, back)[0]] = -np.inf
            found.append(1.0 / (1.0 + (rounded > own).sum() + (rounded == own).sum() / 2.0))
    return float(np.mean(found))


def of(answerer: Answerer) -> Scores:
    """The scores of one model."""
    targets = answerer.model.targets
    return lambda step, source: answerer.scores(targets[step], source) if step in targets else None


def closed(model: r5.ChainReasoner) -> r5.Graph:
    """The graph with what the model is sure of."""
    graph = model.graph_
    more = model.new_facts(int(MORE * graph.number_of_edges))
    words = [graph.vocabulary.names([r])[0] for r in graph.relations.tolist()]
    triples = [
        (graph.entities[s], w, graph.entities[t])
        for s, w, t in zip(graph.sources.tolist(), words, graph.targets.tolist(), strict=True)
    ]
    return r5.Graph.from_triples(triples + [(one.head, one.relation, one.tail) for one in more])


def row(title: str, folder: Path) -> list[str]:
    """MRR of each."""
    data = load_triples(folder)
    plain = [r5.ChainReasoner(seed=seed).fit(data.train, data.valid) for seed in range(3)]
    answerer = plain[0]._answerer
    figures = [mrr(answerer.graph, data, of(answerer))]
    fitting.Fitter = QuotaFitter  # type: ignore[misc]
    quotas = r5.ChainReasoner(seed=0, rules=4 * QUOTA_OF).fit(data.train, data.valid)
    fitting.Fitter = Fitter  # type: ignore[misc]
    figures.append(mrr(quotas._answerer.graph, data, of(quotas._answerer)))
    wider = closed(plain[0])
    on_it = plain[0]._on(wider)
    figures.append(mrr(on_it.graph, data, of(on_it)))
    again = r5.ChainReasoner(seed=0).fit(wider, data.valid)
    figures.append(mrr(again._answerer.graph, data, of(again._answerer)))
    each = [of(one._answerer) for one in plain]

    def mean(step: int, source: int) -> np.ndarray | None:
        said = [one(step, source) for one in each]
        return None if said[0] is None else np.mean(said, axis=0)

    figures.append(mrr(answerer.graph, data, mean))
    return [title, *map(share, figures[:2]), f"{wider.number_of_edges - plain[0].graph_.number_of_edges:,}",
            *map(share, figures[2:])]  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--datasets", default="")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    rows = []
    for one in load_peers().chosen([name for name in options.datasets.split(",") if name]):
        if (options.data / one.folder).is_dir():
            rows.append(row(one.title, options.data / one.folder))
            print(" | ".join(rows[-1]), flush=True)
    head = [
        "MRR on valid",
        "as it is",
        "quotas",
        "facts derived",
        "answered with them",
        "learned with them",
        "3 models",
    ]
    text = f"# Tried and not kept\n\n{__doc__.split(chr(10) * 2, 2)[2].strip()}\n\n" + table(head, rows) + "\n"
    if options.out:
        options.out.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
