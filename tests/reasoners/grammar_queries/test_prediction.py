"""Answers, probabilities and suspicious edges of the grammar engine."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from r5.data.builder import Row
from r5.data.generators.kinship.dataset import generate_kinship
from r5.derivations.derivation import Fact
from r5.examples import Examples
from r5.graph import Graph
from r5.reasoners.grammar import GrammarReasoner
from tests.helpers.groups import Table, cyclic, draw, symmetric
from tests.helpers.stories import FAMILY, chain, dataset

FAST = {"restarts": (0.5,), "annealing_steps": 10, "sparse_steps": 5}


def test_a_story_has_an_answer_with_a_derivation() -> None:
    data = dataset(FAMILY, [chain("wife daughter aunt", "sister")])
    answer = GrammarReasoner(**FAST).fit(data.train).predict(data.test[0])
    assert answer.relation == "sister"
    assert answer.probability is not None and answer.probability > 0.9
    assert answer.derivation is not None
    assert str(answer.derivation) == (
        "e0 -daughter-> e2  because  e0 -wife-> e1, e1 -daughter-> e2\n"
        "e0 -sister-> e3  because  e0 -daughter-> e2, e2 -aunt-> e3"
    )
    assert answer.derivation.steps[0].score == pytest.approx(1.0)
    assert answer.derivation.believed == ()


def test_a_wrong_edge_is_suspicious() -> None:
    """Addition modulo 6, with one 5 in ten mislabelled as 0."""
    rng = np.random.default_rng(0)
    rows = []
    for _ in range(1500):
        true = rng.integers(0, 6, rng.integers(2, 4))
        shown = [0 if x == 5 and rng.random() < 0.1 else x for x in true]
        rows.append(chain(" ".join(f"r{x}" for x in shown), f"r{true.sum() % 6}"))
    data = dataset(rows, [chain("r0 r2 r3", "r4"), chain("r0 r2 r3", "r5")])
    model = GrammarReasoner(**FAST).fit(data.train)
    first, *others = model.suspicious_edges(data.test[0])
    assert str(first).startswith("observed e0 -r0-> e1, most likely r5: 0.9")
    assert all(other.probability < 0.1 for other in others)
    assert all(edge.probability < 0.1 for edge in model.suspicious_edges(data.test[1]))
    right, wrong = model.predict(data.test[0]), model.predict(data.test[0]).alternatives[0]
    assert (right.relation, wrong.relation) == ("r5", "r4")
    assert wrong.derivation is not None
    assert wrong.derivation.doubts == ((Fact("e0", "r0", "e1"), Fact("e0", "r5", "e1")),)
    assert wrong.derivation.belief[0] > 0.9


def test_an_edge_of_an_unseen_relation_is_not_suspicious() -> None:
    model = GrammarReasoner(**FAST).fit(dataset(FAMILY).train)
    asked = Graph.from_triples([("a", "father", "b"), ("b", "godmother", "c"), ("b", "father", "d")])
    example = Examples.over(asked, [0], [2], [-1])[0]
    why = "cannot say: every path found from a to c uses godmother (never seen in training)"
    assert str(model.predict(example)) == why
    assert str(model.predict_plain(Examples.of([example]))[0]) == why
    assert str(model.predict_as(example, "aunt")) == why
    assert model.suspicious_edges(example) == []
    nothing = model.predict_proba(Examples.over(asked, [3], [0], [-1]))
    np.testing.assert_array_equal(model.predict_proba(Examples.of([example])), nothing)


def test_unreadable_paths_do_not_imply_that_there_is_no_relation() -> None:
    """Entities without a path are unrelated in training; here the only path has an unseen relation."""
    rows = [*FAMILY * 5, *[Row([("a", "father", "b"), ("c", "father", "d")], "a", "d", "none")] * 20]
    model = GrammarReasoner(**FAST, unrelated="none").fit(dataset(rows).train)
    asked = Graph.from_triples([("a", "father", "b"), ("b", "godmother", "c"), ("x", "father", "y")])
    assert model.ask(asked, "a", "y").relation == "none"
    assert str(model.ask(asked, "a", "c")) == (
        "cannot say: every path found from a to c uses godmother (never seen in training)"
    )


def test_without_a_path_the_answers_have_their_frequencies() -> None:
    data = dataset(FAMILY)
    model = GrammarReasoner(**FAST).fit(data.train)
    apart = Graph.from_triples([("a", "father", "b"), ("c", "father", "d")], data.vocabulary)
    examples = Examples.over(apart, [0], [3], [-1])
    assert str(model.predict(examples[0])) == "cannot say: no path leads from a to d"
    assert model.suspicious_edges(examples[0]) == []
    likely = dict(zip(model.vocabulary_.known, model.predict_proba(examples)[0].tolist(), strict=True))
    assert {name: round(p, 3) for name, p in likely.items() if p > 0.01} == dict.fromkeys(
        ("aunt", "daughter", "sister", "son"), 0.25
    )


@pytest.mark.parametrize("wrong", [0.0, 0.1])
@pytest.mark.parametrize("table", [cyclic(3), symmetric()], ids=["Z3", "S3"])
def test_a_long_chain_of_one_relation_has_an_answer_or_a_suspicious_edge(table: Table, wrong: float) -> None:
    """The length of a path alone is no evidence for label noise."""
    paths, products = draw(table, 800, [2, 3], wrong, seed=0)
    rows = [chain(" ".join(f"g{x}" for x in path), f"g{y}") for path, y in zip(paths, products, strict=True)]
    model = GrammarReasoner(restarts=(0.5,)).fit(dataset(rows).train)
    for member in range(len(table)):
        product, sure = member, []
        for length in range(2, 201):
            product = table[product][member]
            if length in (3, 4, 5, 10, 20, 50, 100, 200):
                (found,) = model.predict_plain(dataset([], [chain(" ".join([f"g{member}"] * length), None)]).test)
                assert found.relation == f"g{product}" or (found.probability or 0.0) < 0.5
                sure.append(found.probability or 0.0)
        longer = sure[1:]  # than what was learned from
        assert all(later <= before + 0.02 for before, later in pairwise(longer))


def test_a_transitive_relation_keeps_its_label() -> None:
    """brother <= brother, brother: a hundred brothers are no mislabelled path to aunt."""
    model = GrammarReasoner(restarts=(0.5,)).fit(generate_kinship(train=1000).train)
    for name in ("brother", "sister"):
        assert model.rules_.heads(name, name) == (name,)
        for length in (5, 25, 100, 200):
            found = model.predict(dataset([], [chain(" ".join([name] * length), None)]).test[0])
            assert found.relation == name
    # No derivation without mistakes, and values far below what a number can hold: still an answer, and no sure one.
    mixed = " ".join(("brother", "father", "son", "sister")[(n * n + n // 3) % 4] for n in range(300))
    assert 0.0 < (model.predict_plain(dataset([], [chain(mixed, None)]).test)[0].probability or 0.0) < 0.2
