"""Training of networks on examples: choice of the epoch, several paths, masked facts, and a published data set."""

from __future__ import annotations

import numpy as np
import pytest

from r5.examples import Examples
from r5.graph import Graph
from r5.relations import DUMMY
from tests.helpers.baselines import small_baseline
from tests.helpers.relatives import chain, examples, family


def test_networks_have_no_rules_and_no_derivations() -> None:
    model = small_baseline("gru", epochs=1).fit(family())
    assert len(model.rules_) == 0
    assert all(answer.derivation is None and answer.reason is None for answer in model.predict_many(family()))


def test_one_example_is_enough() -> None:
    alone = small_baseline("gcn", epochs=1).fit(family()[:1])
    assert alone.predict(family()[3]).relation == family()[0].answer_name


def test_probabilities_of_several_paths_are_averaged() -> None:
    model = small_baseline("gru", epochs=12).fit(family())
    edges = [("a", "father", "b"), ("b", "sister", "c"), ("a", "wife", "d"), ("d", "daughter", "c")]
    answer = model.predict(Examples.over(Graph.from_triples(edges), [0], [2], [-1])[0])
    assert {answer.relation, answer.alternatives[0].relation} == {"aunt", "daughter"}
    assert answer.probability == pytest.approx(0.5, abs=0.05)


def test_fewer_than_fifty_validation_examples_do_not_choose_the_epoch() -> None:
    few = small_baseline("rnn", epochs=3).fit(family(), family())
    assert few.summary_["chosen_by"] == "training loss"
    assert few.summary_["history"][0]["valid_accuracy"] is None
    enough = small_baseline("rnn", epochs=3).fit(family(), family(9))
    assert enough.summary_["chosen_by"] == "validation accuracy"
    assert enough.summary_["best_epoch"] <= len(enough.summary_["history"]) <= 3


@pytest.mark.parametrize("held_out", ["short", "long"])
def test_a_tenth_of_the_training_examples_chooses_the_epoch(held_out: str) -> None:
    model = small_baseline("story-rnn", epochs=2, held_out=held_out).fit(family(84))
    assert model.summary_["examples"] == 454
    assert ("longer" in model.summary_["chosen"]) == (held_out == "long")


def test_few_training_examples_are_not_held_out() -> None:
    assert "chosen" not in small_baseline("story-rnn", epochs=1).fit(family(), family(12)).summary_


def test_variants_are_what_a_training_of_their_own_gives() -> None:
    data = family(84)
    both = small_baseline("story-rnn", epochs=2, held_out="short").fit(data, variants=["long"])
    alone = small_baseline("story-rnn", epochs=2, held_out="long").fit(data)
    variant = both.variants_["long"]
    assert variant.settings == alone.settings
    assert variant.predict_proba(data).tobytes() == alone.predict_proba(data).tobytes()


def test_direct_edges_are_read_with_the_dummy_relation() -> None:
    rows = [chain("father", "parent"), chain("mother", "parent"), chain("wife", "spouse")] * 4
    model = small_baseline("lstm", direct="dummy").fit(examples(rows))
    assert DUMMY in model.vocabulary_
    assert model.score(examples(rows)) == 1.0


def test_a_fact_that_is_the_answer_is_masked() -> None:
    """Each edge of two pairs as a query: with both edges visible, r and s would be equally likely."""
    graph = Graph.from_triples([("a", "r", "b"), ("a", "s", "b"), ("c", "r", "d"), ("c", "s", "d")])
    queries = Examples.from_edges(graph)
    model = small_baseline("rgcn", inverse=False).fit(queries)
    probabilities = model.predict_proba(queries)
    assert probabilities[np.arange(4), queries.answers].min() > 0.9
