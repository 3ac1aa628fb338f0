"""R5Reasoner: training, prediction, explanation, model folders and missing answers."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from r5.data.generators.world.dataset import generate_world
from r5.errors import R5Error
from r5.examples import Example, Examples, Query
from r5.graph import Graph
from r5.reasoners.base import Progress
from r5.reasoners.r5 import R5Reasoner
from r5.reasoners.registry import load_model
from r5.storage.folder import ModelError, StoredModel, read_model, write_model

FAMILY = [
    (("mother", "mother"), "grandmother"),
    (("mother", "brother"), "uncle"),
    (("mother", "sister"), "aunt"),
    (("brother", "sister"), "sister"),
    (("sister", "brother"), "brother"),
]


def example(*relations: str, answer: str | None = None) -> Example:
    """Return a chain of facts between people, with the relation of its ends as the answer."""
    names = ["mother", "sister", "brother", "grandmother", "uncle", "aunt", *relations]
    people = [f"p{i}" for i in range(len(relations) + 1)]
    chain = [(people[i], relation, people[i + 1]) for i, relation in enumerate(relations)]
    graph = Graph.from_triples([*chain, *((f"x{i}", name, f"y{i}") for i, name in enumerate(sorted(set(names))))])
    wanted = None if answer is None else graph.vocabulary.id(answer)
    return Example(graph, Query(graph.node("p0"), graph.node(people[-1])), wanted)


def family_examples() -> Examples:
    return Examples.of([example(*body, answer=head) for body, head in FAMILY * 6])


@pytest.fixture(scope="module")
def model() -> R5Reasoner:
    return R5Reasoner(seed=0, epochs=3, invented=4, simulations=50).fit(family_examples())


def test_long_chains_have_answers_with_derivations(model: R5Reasoner) -> None:
    answer = model.predict(example("mother", "brother", "sister", "brother"))
    assert answer.relation == "uncle"
    assert answer.derivation is not None
    assert str(answer.derivation.steps[-1].result) == "p0 -uncle-> p4"
    assert all(step.score is not None and step.score > 0 for step in answer.derivation.steps)
    assert answer.score is not None
    assert 0 < answer.score <= 1


def test_rules_are_those_of_the_family(model: R5Reasoner) -> None:
    assert {(rule.head, rule.body) for rule in model.rules_} == {(head, body) for body, head in FAMILY}
    assert all(rule.score > 0 and not rule.invented for rule in model.rules_)


def test_a_missing_rule_is_named(model: R5Reasoner) -> None:
    answer = model.predict(example("uncle", "mother"))
    assert answer.relation is None
    assert str(answer) == "cannot say: no rule has the body uncle, mother"


def test_an_unseen_relation_is_named(model: R5Reasoner) -> None:
    answer = model.predict(example("mother", "godfather"))
    assert answer.reason == "every path found from p0 to p2 uses godfather (never seen in training)"


def test_a_missing_path_is_named(model: R5Reasoner) -> None:
    asked = example("mother", "mother")
    lonely = Example(asked.graph, Query(asked.graph.node("p0"), asked.graph.node("x0")))
    assert model.predict(lonely).reason == "no path leads from p0 to x0"
    assert model.predict_proba(Examples.of([lonely])).sum() == pytest.approx(1.0)


def test_an_unseen_relation_within_a_longer_chain_is_named(model: R5Reasoner) -> None:
    answer = model.predict(example("uncle", "uncle", "mother"))
    assert answer.relation is None
    assert answer.reason is not None
    assert answer.reason.startswith("no rule has the body ")


def test_an_ending_in_an_invented_relation_is_no_answer() -> None:
    queries = [example("mother", "sister", "uncle", answer="aunt"), example("mother", "sister", "aunt", answer="uncle")]
    model = R5Reasoner(seed=1, epochs=3, invented=4, network=False).fit(Examples.of(queries * 6))
    answers = [
        model.predict(example(*pair)) for pair in (("mother", "sister"), ("sister", "uncle"), ("sister", "aunt"))
    ]
    assert all(answer.relation is None for answer in answers)
    assert any("invented relation" in str(answer.reason) for answer in answers)
    assert any(rule.invented for rule in model.rules_)


def test_probabilities_are_shares_of_the_votes(model: R5Reasoner) -> None:
    shares = model.predict_proba(Examples.of([example("mother", "mother")]))
    assert shares.shape == (1, len(model.vocabulary_.known))
    assert shares[0, model.vocabulary_.id("grandmother")] == 1.0


def test_two_paths_that_disagree_give_an_alternative(model: R5Reasoner) -> None:
    edges = [("a", "mother", "b"), ("b", "mother", "d"), ("a", "brother", "c"), ("c", "sister", "d")]
    graph = Graph.from_triples(edges, example("mother", "uncle").graph.vocabulary)
    asked = Example(graph, Query(graph.node("a"), graph.node("d")))
    answer = model.predict(asked)
    assert {answer.relation, *(other.relation for other in answer.alternatives)} == {"grandmother", "sister"}
    assert np.count_nonzero(model.predict_proba(Examples.of([asked]))) == 2
    together = R5Reasoner(seed=0, epochs=2, combine="together", network=False).fit(family_examples()).predict(asked)
    assert together.relation in ("grandmother", "sister")
    assert together.derivation is not None


def test_the_score_of_an_answer_is_its_number_of_votes(model: R5Reasoner) -> None:
    """Two paths to one relation outvote one path to another, whatever the scores of the paths."""
    edges = [("a", "mother", "b"), ("b", "mother", "d"), ("a", "mother", "e"), ("e", "mother", "d")]
    edges += [("a", "brother", "c"), ("c", "sister", "d")]
    graph = Graph.from_triples(edges, example("mother", "uncle").graph.vocabulary)
    answer = model.predict(Example(graph, Query(graph.node("a"), graph.node("d"))))
    assert answer.relation == "grandmother"
    assert [other.relation for other in answer.alternatives] == ["sister"]
    assert answer.score > answer.alternatives[0].score


def test_predict_as_searches_for_a_given_answer(model: R5Reasoner) -> None:
    edges = [("a", "mother", "b"), ("b", "mother", "d"), ("a", "brother", "c"), ("c", "sister", "d")]
    graph = Graph.from_triples(edges, example("mother", "uncle").graph.vocabulary)
    asked = Example(graph, Query(graph.node("a"), graph.node("d")))
    for relation, through in (("grandmother", "b"), ("sister", "c")):
        case = model.predict_as(asked, relation)
        assert case.relation == relation
        assert case.derivation is not None
        assert case.derivation.steps[-1].left.target == through
    assert model.predict_as(asked, "uncle").reason == "nothing speaks for uncle"
    assert model.predict_as(asked, "unheard of").reason == "nothing speaks for unheard of"


def test_a_copy_without_a_rule_does_not_use_it(model: R5Reasoner) -> None:
    asked = example("mother", "mother")
    off = [rule for rule in model.rules_ if rule.body == ("mother", "mother")]
    copy = model.without_rules(off)
    assert len(copy.rules_) == len(model.rules_) - 1
    assert copy.predict(asked).reason == "no rule has the body mother, mother"
    assert model.predict(asked).relation == "grandmother"
    assert model.without_rules([]).predict(asked) == model.predict(asked)


def test_a_saved_model_predicts_the_same(model: R5Reasoner, tmp_path: Path) -> None:
    model.save(tmp_path / "model")
    again = load_model(tmp_path / "model")
    asked = Examples.of([example("mother", "sister", "brother"), example("aunt", "aunt")])
    assert again.predict_many(asked) == model.predict_many(asked)
    assert again.rules_ == model.rules_
    assert again.get_params() == model.get_params()


def test_a_model_without_network_is_saved(tmp_path: Path) -> None:
    model = R5Reasoner(seed=0, epochs=2, network=False).fit(family_examples())
    model.save(tmp_path / "model")
    assert load_model(tmp_path / "model").predict(example("mother", "sister")).relation == "aunt"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rules.heads": np.full(5, 99, dtype=np.int32)}, "not in its vocabulary"),
        ({"rules.bodies": np.zeros((5, 2), dtype=np.int32)}, "two rules with one body"),
        ({"observed": np.zeros(2)}, "'observed'"),
        ({"network.types": np.zeros((1, 1), dtype=np.float32)}, "'network.types'"),
    ],
)
def test_damaged_models_are_refused(
    model: R5Reasoner, tmp_path: Path, change: dict[str, np.ndarray], message: str
) -> None:
    model.save(tmp_path / "model")
    stored = read_model(tmp_path / "model")
    parts = (stored.engine, stored.settings, stored.vocabulary, stored.rules, {**stored.arrays, **change}, {})
    write_model(tmp_path / "other", StoredModel(*parts))
    with pytest.raises(ModelError, match=message):
        load_model(tmp_path / "other")


def test_settings_of_a_model_are_checked(model: R5Reasoner) -> None:
    stored = StoredModel("r5", {"colour": 1}, model.vocabulary_, model.rules_, {}, {})
    with pytest.raises(ModelError, match="settings cannot be used"):
        R5Reasoner.from_stored(stored)


def test_progress_has_loss_rules_and_accuracy() -> None:
    seen: list[Progress] = []
    model = R5Reasoner(seed=0, preset="tuned", epochs=2, patience=0, restarts=1)
    model.fit(family_examples(), family_examples(), progress=seen.append)
    assert seen[-1].done == seen[-1].total == 60
    assert "first epoch" in [told.message for told in seen]  # after the paths have been found
    for word in ("epoch 2/2", "loss", "5 rules", "0 invented in use", "validation accuracy 1.000"):
        assert word in seen[-1].message


def test_prediction_before_fit_is_refused() -> None:
    with pytest.raises(R5Error, match="learned nothing yet"):
        R5Reasoner().predict(example("mother", "mother"))


def test_examples_without_paths_or_answers_are_left_out() -> None:
    usable = [example(*body, answer=head) for body, head in FAMILY]
    asked = example("mother", "mother")
    lonely = Example(asked.graph, Query(asked.graph.node("p0"), asked.graph.node("x0")), 0)
    model = R5Reasoner(epochs=1, network=False).fit(Examples.of([*usable, lonely, asked]))
    assert model.summary_["queries"] == 5
    with pytest.raises(R5Error, match="nothing can be learned"):
        R5Reasoner(network=False).fit(Examples.of([lonely]))


def test_a_rule_with_one_relation_in_the_body_is_learned_through_the_dummy() -> None:
    graphs = [Graph.from_triples([("a", "mother", "b"), ("c", "parent", "d")]) for _ in range(6)]
    queries = [Example(graph, Query(0, 1), graph.vocabulary.id("parent")) for graph in graphs]
    model = R5Reasoner(epochs=2, direct="dummy", network=False).fit(Examples.of(queries))
    answer = model.predict(queries[0])
    assert answer.relation == "parent"
    assert str(answer.derivation) == "a -parent-> b  because  a -mother-> b"


def test_the_same_seed_gives_the_same_answers() -> None:
    data = generate_world(train=60, test=30)
    first, second = (R5Reasoner(seed=3, epochs=2).fit(data.train).predict_many(data.test) for _ in range(2))
    assert first == second


def test_a_generated_world_is_learned() -> None:
    data = generate_world(train=300, test=60)
    assert R5Reasoner(seed=0, epochs=4).fit(data.train).score(data.test) > 0.8


def test_importing_the_package_does_not_import_torch() -> None:
    code = "import sys, r5, r5.reasoners.r5; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_history_has_every_epoch_and_watch_changes_nothing() -> None:
    data = generate_world(train=60, valid=20, test=20, seed=1)
    seen: list[tuple[float, int]] = []

    def watch(model: R5Reasoner, entry: dict[str, object]) -> None:
        seen.append((model.score(data.test), len(model.rules_)))

    settings = {"epochs": 3, "restarts": 2, "patience": 0, "network": False}
    watched = R5Reasoner(seed=0, **settings).fit(data.train, data.valid, watch=watch)
    alone = R5Reasoner(seed=0, **settings).fit(data.train)
    history = watched.summary_["history"]
    assert [(entry["restart"], entry["epoch"]) for entry in history] == [(r, e) for r in (0, 1) for e in (1, 2, 3)]
    assert [entry["rules"] for entry in history] == [rules for _, rules in seen]
    assert all(0 <= entry["valid_accuracy"] <= 1 for entry in history)
    assert alone.summary_["history"][0]["valid_accuracy"] is None
    assert watched.rules_ == alone.rules_
    best = watched.summary_["best_restart"] * 3 + watched.summary_["best_epoch"] - 1
    assert seen[best] == (watched.score(data.test), len(watched.rules_))
