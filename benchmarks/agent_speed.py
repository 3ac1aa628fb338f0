"""Speed of the r5 engine: episodes a second, the ratio to the plain-Python twin, and the cost of more relations.

    python benchmarks/agent_speed.py [--data DIR] [--out results.json]

With --data, episodes are those of GraphLog's Re 0 (the public code: 0.57 a second); without, of a
generated world. All figures are taken in one run, one after the other.
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

from r5.agent.episodes import play
from r5.agent.replay import Batch
from r5.agent.search import Forest
from r5.agent.settings import Settings
from r5.agent.state import Evaluator, Pairs, States
from r5.agent.training import Lesson, Training
from r5.data.formats.graphlog import load_graphlog
from r5.data.generators.world.dataset import generate_world
from r5.paths.find import find_paths
from r5.relations import Vocabulary
from tests.oracle import episodes as slow

EPOCHS = 3
TWIN_EPISODES = 40


def lessons_of(data: Path | None) -> tuple[list[Lesson], Vocabulary]:
    train = (load_graphlog(data / "graphlog" / "re_0") if data else generate_world(train=1000)).train
    found = find_paths(train, max_length=12)
    pairs = zip((found[i] for i in range(len(train))), train.answers.tolist(), strict=True)
    return [Lesson(tuple(paths), answer) for paths, answer in pairs if paths], found.vocabulary


def spread(lessons: list[Lesson], vocabulary: Vocabulary, relations: int, seed: int = 0) -> list[Lesson]:
    """The same lessons over more relations: each is renamed to one of several new ones, the same within a lesson."""
    rng = np.random.default_rng(seed)
    copies = relations // len(vocabulary)
    renamed = []
    for lesson in lessons:
        copy = int(rng.integers(copies))
        paths = tuple(tuple(r * copies + copy for r in path) for path in lesson.paths)
        renamed.append(Lesson(paths, lesson.answer * copies + copy))
    return renamed


def rate(lessons: list[Lesson], relations: int, settings: Settings) -> tuple[Training, list[float]]:
    """Episodes a second of some epochs, learning included."""
    words = Vocabulary(tuple(f"r{i}" for i in range(relations))).with_invented(settings.invented)
    training = Training(words, settings, lessons)
    rates = []
    for _ in range(EPOCHS):
        start = time.perf_counter()
        training.run_epoch()
        rates.append(len(lessons) / (time.perf_counter() - start))
    return training, rates


def one_leaf_at_a_time(training: Training) -> Evaluator:
    """The PyTorch network itself, as a plain script would call it."""
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


def twin_ratio(training: Training, lessons: list[Lesson], settings: Settings) -> dict[str, float]:
    """Episodes a second of fast and slow search, one memory and one network, the answer hidden as often as in training.

    The twin plays a sample of the episodes that the fast search plays.
    """
    memory = training.memory
    rules = {body: (head, score) for body, head, score, _ in memory.items()}
    merits = dict(zip(rules, memory.merits().tolist(), strict=True))
    blind = np.random.default_rng(0).random(len(lessons)) < settings.blind
    targets = [-1 if hidden else lesson.answer for lesson, hidden in zip(lessons, blind, strict=True)]
    queries = [[list(path) for path in lesson.paths] for lesson in lessons]
    states, forest = States(memory, training.states.evaluate), Forest()
    start = time.perf_counter()
    fast = play(states, forest, queries, targets, settings, None)
    fast_rate = len(lessons) / (time.perf_counter() - start)
    chosen = range(0, len(lessons), max(len(lessons) // TWIN_EPISODES, 1))
    evaluate = one_leaf_at_a_time(training)
    same = 0
    start = time.perf_counter()
    for i in chosen:
        game = slow.SlowEpisode(queries[i], targets[i], rules, memory.known, states.fresh, evaluate, merits)
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
    settings = Settings.of("graphlog-few", simulations=200)
    torch.set_num_threads(1)
    lessons, vocabulary = lessons_of(options.data)
    few = len(vocabulary)
    rate(lessons[:64], few, settings)  # compiles
    training, rates = rate(lessons, few, settings)
    ratio = twin_ratio(training, lessons, settings)
    many = 200 // few * few
    _, many_rates = rate(spread(lessons, vocabulary, many), many, settings)
    found = {
        "simulations": settings.simulations,
        "relations": few,
        "episodes_per_second_by_epoch": [round(r) for r in rates],
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
