"""Predictions without an answer have a reason: no path, a pair without a rule, an invented relation."""

from __future__ import annotations

import pytest

from r5.data.builder import DatasetBuilder, Row
from r5.examples import Example, Examples, Query
from r5.grammar.settings import GrammarSettings
from r5.graph import Graph
from r5.reasoners.base import Reasoner
from r5.reasoners.grammar import GrammarReasoner
from r5.reasoners.r5 import R5Reasoner
from r5.relations import Vocabulary
from r5.rules.ruleset import Rule, RuleSet

RULES = [("grandmother", ("mother", "mother")), ("uncle", ("mother", "brother")), ("uncle", ("uncle", "brother"))]
KNOWN_PATH = [("a", "mother", "b"), ("b", "brother", "c"), ("c", "brother", "d")]


def training() -> Examples:
    builder = DatasetBuilder("family")
    for head, body in RULES * 6:
        builder.add("train", Row([("a", body[0], "b"), ("b", body[1], "c")], "a", "c", head))
    return builder.build().train


def by_grammar() -> Reasoner:
    """A grammar of just these rules; one that is learned takes other pairs for wrong edges and answers."""
    return GrammarReasoner.from_rules(
        RuleSet.of(Rule(head, body) for head, body in RULES), settings=GrammarSettings(dense_rules=0)
    )


def by_agent() -> Reasoner:
    return R5Reasoner(seed=0, epochs=2, network=False).fit(training())


@pytest.fixture(scope="module", params=[by_grammar, by_agent], ids=["grammar", "r5"])
def model(request: pytest.FixtureRequest) -> Reasoner:
    made: Reasoner = request.param()
    return made


def asked(*relations: str) -> Example:
    people = [f"p{n}" for n in range(len(relations) + 1)]
    graph = Graph.from_triples([*zip(people, relations, people[1:], strict=False), ("x", "mother", "y")])
    return Example(graph, Query(0, len(relations)))


def test_rules_give_answers(model: Reasoner) -> None:
    assert model.predict(asked("mother", "brother")).relation == "uncle"


@pytest.mark.parametrize(
    ("relations", "reason"),
    [
        (("brother", "uncle"), "no rule has the body brother, uncle"),
        (("mother", "brother", "mother"), "no rule has the body brother, mother"),
    ],
)
def test_the_reason_names_the_pair_without_a_rule(model: Reasoner, relations: tuple[str, ...], reason: str) -> None:
    answer = model.predict(asked(*relations))
    assert (answer.relation, answer.derivation, answer.alternatives) == (None, None, ())
    # Search may come upon another pair that has no rule, such as that of what was merged and what is left.
    expected = {reason, "no rule has the body uncle, mother"}
    assert answer.reason in expected
    assert str(answer) == f"cannot say: {answer.reason}"
    assert answer.to_json()["reason"] == answer.reason


def test_the_reason_names_an_unseen_relation(model: Reasoner) -> None:
    reason = model.predict(asked("mother", "godfather")).reason
    assert reason is not None
    assert "godfather (never seen in training)" in reason


@pytest.mark.parametrize("inverse", [False, True])
def test_a_longer_path_of_seen_relations_gives_the_answer(model: Reasoner, inverse: bool) -> None:
    graph = Graph.from_triples([*KNOWN_PATH, ("a", "godfather", "x"), ("x", "godfather", "d")], inverse=inverse)
    assert model.unseen_relations(Graph.from_triples(KNOWN_PATH)) == ()
    strange = ("brother^-1", "godfather", "mother^-1") if inverse else ("godfather",)
    assert model.unseen_relations(graph) == strange
    answer, other = model.ask(graph, "a", "d"), model.ask(Graph.from_triples(KNOWN_PATH), "a", "d")
    assert answer.relation == "uncle"
    assert answer == other


def test_the_reason_names_ignored_paths_if_the_others_have_no_rule(model: Reasoner) -> None:
    known = [("a", "brother", "b"), ("b", "uncle", "c"), ("c", "godfather", "z")]
    graph = Graph.from_triples([*known, ("a", "godfather", "y"), ("y", "mother", "c")])
    reason = "no rule has the body brother, uncle; paths that use godfather (never seen in training) are left out"
    assert model.ask(graph, "a", "c").reason == reason


def test_an_unseen_edge_elsewhere_changes_no_reason(model: Reasoner) -> None:
    graph = Graph.from_triples([("a", "godfather", "b"), ("c", "mother", "d")])
    assert model.ask(graph, "c", "b").reason == "no path leads from c to b"
    assert model.ask(graph, "a", "b").reason == (
        "only a single edge leads from a to b, and such paths are not read (direct=skip)"
    )


def test_unseen_relations_affect_only_their_example(model: Reasoner) -> None:
    words = Vocabulary.of(["mother", "brother", "godfather"])
    rows = [
        [("p", "mother", "q"), ("q", "godfather", "r")],
        [("p", "mother", "q"), ("q", "brother", "r")],
        [("p", "godfather", "q"), ("q", "godfather", "r")],
    ]
    examples = Examples.of([Example(Graph.from_triples(row, words), Query(0, 2)) for row in rows])
    answers = model.predict_many(examples)
    assert [answer.relation for answer in answers] == [None, "uncle", None]
    assert [answer.relation for answer in model.predict_plain(examples)] == [None, "uncle", None]
    assert answers == [model.predict(example) for example in examples]


def test_the_reason_is_no_path(model: Reasoner) -> None:
    graph = asked("mother", "brother").graph
    answer = model.predict(Example(graph, Query(0, graph.node("y"))))
    assert str(answer) == "cannot say: no path leads from p0 to y"


def test_the_reason_names_the_span_without_a_derivation() -> None:
    rules = RuleSet.of([Rule("a", ("x", "y")), Rule("b", ("y", "z")), Rule("c", ("x", "x")), Rule("d", ("z", "x"))])
    model = GrammarReasoner.from_rules(rules, settings=GrammarSettings(dense_rules=0))
    assert model.predict(asked("x", "y", "z")).reason == "no rules merge x, y, z"


def test_the_reason_names_no_invented_relation() -> None:
    rules = RuleSet.of([Rule("thing", ("x", "y"), invented=True), Rule("z", ("thing", "x"))])
    model = GrammarReasoner.from_rules(rules, settings=GrammarSettings(dense_rules=0))
    assert model.predict(asked("x", "y")).reason == "the path ends in an invented relation, whose meaning is not known"
    assert model.predict(asked("x", "y", "x")).relation == "z"
