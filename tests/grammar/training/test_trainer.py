"""Learning on problems with a known answer: groups, a world without short paths, many relations."""

from __future__ import annotations

import time

import numpy as np
import pytest

from r5._util.ragged import Ragged
from r5.grammar.corpus.corpus import Corpus
from r5.grammar.inference.answers import answer
from r5.grammar.model import FittedGrammar
from r5.grammar.settings import GrammarSettings
from r5.grammar.training.rule_candidates import find_candidates
from r5.grammar.training.schedule import schedule
from r5.grammar.training.trainer import learn, update_grammar
from tests.helpers.groups import Pairs, Table, cyclic, draw, symmetric

ONE = GrammarSettings(restarts=(0.5,))


def build_corpus(pairs: Pairs, relations: int) -> Corpus:
    return Corpus.of([(path,) for path in pairs[0]], pairs[1], relations)


def accuracy(learned: FittedGrammar, pairs: Pairs) -> float:
    paths, labels = pairs
    posterior = answer(learned.model, np.arange(len(paths) + 1), Ragged.of(paths)).posterior
    return float(np.mean(posterior.argmax(axis=1) == labels))


def hard_table(learned: FittedGrammar) -> Table:
    """The most used head of each pair; -1 where there is none."""
    index = learned.counts.index
    size = index.relations
    uses = np.zeros((size, size, size))
    uses[index.lefts, index.rights, index.heads] = learned.counts.rules
    return np.where(uses.max(axis=2) > 0.5, uses.argmax(axis=2), -1).tolist()


@pytest.mark.parametrize("wrong", [0.0, 0.1])
@pytest.mark.parametrize("table", [cyclic(6), symmetric()], ids=["Z6", "S3"])
def test_group_is_learned_from_short_paths(table: Table, wrong: float) -> None:
    learned = learn(build_corpus(draw(table, 2000, [2, 3], wrong, seed=0), 6), ONE)
    assert hard_table(learned) == table
    assert accuracy(learned, draw(table, 200, [12], 0.0, seed=1)) == 1.0


@pytest.mark.parametrize("table", [cyclic(5), symmetric()], ids=["Z5", "S3"])
def test_group_is_learned_without_paths_of_two(table: Table) -> None:
    """No example says what a pair becomes; the table follows from how longer paths agree."""
    learned = learn(build_corpus(draw(table, 1500, [3, 4], 0.0, seed=0), len(table)), GrammarSettings())
    assert hard_table(learned) == table
    assert accuracy(learned, draw(table, 100, [8], 0.0, seed=1)) == 1.0


def test_restarts_do_not_depend_on_the_number_of_threads() -> None:
    corpus = build_corpus(draw(cyclic(4), 200, [2, 3], 0.1, seed=0), 4)
    runs = [learn(corpus, GrammarSettings(restarts=(0.1, 0.5, 0.9), threads=threads)) for threads in (1, 3)]
    assert runs[0].model.weight.tobytes() == runs[1].model.weight.tobytes()
    assert runs[0].model.confusion.tobytes() == runs[1].model.confusion.tobytes()


def test_every_step_is_reported() -> None:
    corpus = build_corpus(draw(cyclic(3), 30, [2, 3], 0.0, seed=0), 3)
    settings = GrammarSettings(restarts=(0.5, 0.9), annealing_steps=4, sparse_steps=2)
    heard: list[str] = []
    learn(corpus, settings, heard.append)
    assert len(heard) == 2 * len(schedule(settings, corpus, 0.5)) == 2 * (2 * 2 + 4 + 2)
    assert heard[0].startswith("paths up to 2, log likelihood -")


def test_curriculum_skips_lengths_absent_from_early_steps() -> None:
    settings = GrammarSettings(annealing_steps=4, sparse_steps=2)
    corpus = Corpus.of([((0, 1),), ((0, 1, 1),), ((0, 1, 1, 0),)], [0, 1, 0], 2)
    assert [step.length for step in schedule(settings, corpus, 0.5)] == [2, 2, 3, 3, 4, 4, *[4] * 6]
    assert [step.length for step in schedule(settings, corpus, 0.5, 3)] == [2, 2, 3, 3, *[4] * 6]


def test_many_relations_have_only_suggested_rules() -> None:
    """A cyclic group of 24 in 1,000 relations: too many rules to consider all."""
    pairs = draw(cyclic(24), 1600, [2, 3], 0.0, seed=0)
    corpus = build_corpus(pairs, 1000)
    index = find_candidates(corpus, ONE, np.random.default_rng(0))
    assert 500 <= len(index) < 2000
    learned = learn(corpus, GrammarSettings(restarts=(0.5,), annealing_steps=5, sparse_steps=3))
    assert accuracy(learned, draw(cyclic(24), 50, [8], 0.0, seed=1)) == 1.0


def copies(table: Table, count: int, each: int, lengths: list[int], seed: int) -> Pairs:
    """Groups side by side, each over relations of its own."""
    paths: list[tuple[int, ...]] = []
    labels: list[int] = []
    for copy in range(count):
        first = copy * len(table)
        some, products = draw(table, each, lengths, 0.0, seed + copy)
        paths += [tuple(first + member for member in path) for path in some]
        labels += [first + product for product in products]
    return paths, labels


def test_training_handles_a_thousand_relations() -> None:
    """250 cyclic groups of four: 4,000 rules of 10 ** 9. The charts must not be as wide as the relations are many."""
    paths, labels = copies(cyclic(4), 250, 10, [3], seed=0)
    table = [(4 * copy + a, 4 * copy + b) for copy in range(250) for a in range(4) for b in range(4)]
    products = [a - a % 4 + (a + b) % 4 for a, b in table]
    corpus = build_corpus((paths + 2 * table, labels + 2 * products), 1000)
    start = time.process_time()
    learned = learn(corpus, GrammarSettings(annealing_steps=10, sparse_steps=5))
    assert time.process_time() - start < 60  # with compilation; 2 s without
    assert learned.model.index.open
    assert len(learned.model.index) < 5000
    assert learned.model.confusion.size < 5000
    assert accuracy(learned, copies(cyclic(4), 100, 2, [7], seed=1000)) == 1.0


def test_training_resumes_with_a_thousand_relations() -> None:
    """One group among many is known but for one of its members, which later examples show."""
    known = copies(cyclic(4), 10, 100, [2, 3], seed=0)
    first = [n for n, path in enumerate(known[0]) if 3 not in path]
    settings = GrammarSettings(annealing_steps=10, sparse_steps=5)
    learned = learn(build_corpus(([known[0][n] for n in first], [known[1][n] for n in first]), 900), settings)
    asked = draw(cyclic(4), 100, [6], 0.0, seed=1)
    before = accuracy(learned, asked)
    later = update_grammar(learned, build_corpus(draw(cyclic(4), 200, [2, 3], 0.0, seed=2), 1000), settings)
    assert later.model.index.open
    assert later.model.relations == 1000
    assert before < 0.8
    assert accuracy(later, asked) == 1.0
    assert accuracy(later, copies(cyclic(4), 10, 10, [6], seed=50)) > 0.97


def test_many_relations_are_learned_without_short_paths() -> None:
    """Guesses at what a pair may mean: enough to learn the paths that are there."""
    paths = [(0, 1, 2), (3, 1, 2), (0, 1, 4)] * 5
    corpus = build_corpus((paths, [5, 6, 7] * 5), 100)
    learned = learn(corpus, GrammarSettings(restarts=(0.5,), dense_rules=1000))
    assert learned.counts.unexplained == 0.0
    assert accuracy(learned, (paths, [5, 6, 7] * 5)) == 1.0


def test_confusions_are_learned_among_many_relations() -> None:
    """Relation 5 of a group is shown as 7, which no rule knows, every third time."""
    paths, labels = draw(cyclic(6), 600, [2, 3], 0.0, seed=0)
    shown = [tuple(7 if word == 5 and n % 3 == 0 else word for word in path) for n, path in enumerate(paths)]
    learned = learn(build_corpus((shown, labels), 100), GrammarSettings(restarts=(0.5,), dense_rules=1000))
    assert learned.model.index.open
    assert accuracy(learned, (shown, labels)) > 0.99


def test_update_learns_rules_of_a_new_relation() -> None:
    table = cyclic(5)
    pairs = draw(table, 1000, [2], 0.0, seed=0)
    first = [n for n, path in enumerate(pairs[0]) if 4 not in path]
    learned = learn(build_corpus(([pairs[0][n] for n in first], [pairs[1][n] for n in first]), 5), ONE)
    asked = draw(table, 200, [5], 0.0, seed=1)
    before = accuracy(learned, asked)
    learned = update_grammar(learned, build_corpus(pairs, 5), ONE)
    assert before < 0.8
    assert accuracy(learned, asked) == 1.0
