"""Speed of the engine r5: episodes per second, ratio to the plain-Python twin, cost of more relations.

    python benchmarks/agent_speed.py [--data DIR] [--out results.json]

With --data, episodes are those of GraphLog's Re 0 (public code: 0.57 per second); otherwise of a generated world. All
figures are measured one after the other in one run.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from r5.agent.beyond.rule_shares import log_shares as log_shares_of
from r5.agent.episode import play
from r5.agent.network.replay import Batch
from r5.agent.search.forest import Forest
from r5.agent.settings import R5Settings
from r5.agent.state.states import Evaluator, Pairs, States
from r5.agent.training.training import Training, TrainingQuery
from r5.data.formats.examples.graphlog import load_graphlog
from r5.data.generators.world.dataset import generate_world
from r5.paths.search import find_paths
from r5.relations import Vocabulary
from tests.oracle import episode as slow

EPOCHS = 3
TWIN_EPISODES = 40


def queries_of(data: Path | None) -> tuple[list[TrainingQuery], Vocabulary]:
    train = (load_graphlog(data / "graphlog" / "re_0") if data else generate_world(train=1000)).train
    found = find_paths(train, max_length=12)
    pairs = zip((found[i] for i in range(len(train))), train.answers.tolist(), strict=True)
    return [TrainingQuery(tuple(paths), answer) for paths, answer in pairs if paths], found.vocabulary


def spread(queries: list[TrainingQuery], vocabulary: Vocabulary, relations: int, seed: int = 0) -> list[TrainingQuery]:
    """Return the queries over more relations: each query renames a relation to one of several copies."""
    rng = np.random.default_rng(seed)
    copies = relations // len(vocabulary)
    renamed = []
    for query in queries:
        copy = int(rng.integers(copies))
        paths = tuple(tuple(r * copies + copy for r in path) for path in query.paths)
        renamed.append(TrainingQuery(paths, query.answer * copies + copy))
    return renamed


def rate(
    queries: list[TrainingQuery], relations: int, settings: R5Settings
) -> tuple[Training, list[float], list[float]]:
    """Return episodes per second and per processor second of some epochs, learning included."""
    words = Vocabulary(tuple(f"r{i}" for i in range(relations))).with_invented(settings.invented)
    training = Training(words, settings, queries)
    rates, busy = [], []
    for _ in range(EPOCHS):
        start, work = time.perf_counter(), time.process_time()
        training.run_epoch()
        rates.append(len(queries) / (time.perf_counter() - start))
        busy.append(len(queries) / (time.process_time() - work))
    return training, rates, busy


def one_leaf_at_a_time(training: Training) -> Evaluator:
    """Return an evaluator that calls the PyTorch network once per leaf."""
    trainer = training.trainer
    assert trainer is not None  # noqa: S101

    def evaluate(pairs: Pairs) -> tuple[np.ndarray, np.ndarray]:
        nothing = np.zeros(0, dtype=np.float32)
        with torch.no_grad():
            log_rho, value = trainer.network(
                Batch(pairs.counts, pairs.features, pairs.left, pairs.right, nothing, nothing)
            )
        return log_rho.exp().double().numpy(), value.double().numpy()

    return evaluate


def twin_ratio(training: Training, queries: list[TrainingQuery], settings: R5Settings) -> dict[str, float]:
    """Return episodes per second of fast and slow search, with the same memory, network and share of masked answers.

    The twin plays a sample of the episodes of the fast search.
    """
    memory = training.memory
    rules = {body: (head, score) for body, head, score, _ in memory.items()}
    log_shares = dict(zip(rules, log_shares_of(memory).tolist(), strict=True))
    hidden_answers = np.random.default_rng(0).random(len(queries)) < settings.hidden_answers
    targets = [-1 if hidden else query.answer for query, hidden in zip(queries, hidden_answers, strict=True)]
    asked = [[list(path) for path in query.paths] for query in queries]
    states, forest = States(memory, training.states.evaluate, settings), Forest()
    start = time.perf_counter()
    fast = play(states, forest, asked, targets, settings, None)
    fast_rate = len(queries) / (time.perf_counter() - start)
    chosen = range(0, len(queries), max(len(queries) // TWIN_EPISODES, 1))
    evaluate = one_leaf_at_a_time(training)
    same = 0
    start = time.perf_counter()
    for i in chosen:
        game = slow.SlowEpisode(asked[i], targets[i], rules, memory.known, states.fresh, evaluate, settings, log_shares)
        same += [action[:2] for action in fast[i].actions] == slow.play(game, settings)
    slow_rate = len(chosen) / (time.perf_counter() - start)
    return {
        "search_episodes_per_second": round(fast_rate, 1),
        "twin_episodes_per_second": round(slow_rate, 2),
        "ratio_to_twin": round(fast_rate / slow_rate, 1),
        "twin_made_the_same_merges": round(same / len(chosen), 3),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    settings = R5Settings(end_right=0.35)
    torch.set_num_threads(1)
    queries, vocabulary = queries_of(options.data)
    few = len(vocabulary)
    rate(queries[:64], few, settings)  # compiles
    training, rates, busy = rate(queries, few, settings)
    ratio = twin_ratio(training, queries, settings)
    many = 200 // few * few
    _, many_rates, _ = rate(spread(queries, vocabulary, many), many, settings)
    found = {
        "simulations": settings.simulations,
        "relations": few,
        "episodes_per_second_by_epoch": [round(r) for r in rates],
        "episodes_per_processor_second": [round(r) for r in busy],
        **ratio,
        "many_relations": many,
        "episodes_per_second_with_many": [round(r) for r in many_rates],
    }
    text = json.dumps(found, indent=1)
    print(text)
    if options.out is not None:
        options.out.write_text(text + "\n")


if __name__ == "__main__":
    main()
