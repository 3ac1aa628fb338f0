"""ChainReasoner: completion of one graph, on families whose rules are known."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score

import r5
from r5._util.runtime.budget import Budget
from r5.chains.graph.known_answers import KnownAnswers
from r5.chains.graph.step_graph import distinct
from r5.examples import Example, Examples, Query
from r5.reasoners.chains import ChainReasoner
from tests.oracle import chains as oracle


def families(count: int = 40) -> list[tuple[str, str, str]]:
    """Couples with two children each, who have a child: parents, spouses (both ways) and grandparents."""
    found = []
    for n in range(count):
        names = [f"{role}{n}" for role in ("mother", "father", "ann", "tom", "zoe")]
        mother, father, ann, tom, zoe = names
        found += [(mother, "spouse", father), (father, "spouse", mother), (ann, "sibling", tom), (tom, "sibling", ann)]
        found += [(child, "parent", old) for child in (ann, tom) for old in (mother, father)]
        found += [(zoe, "parent", ann), (zoe, "grandparent", mother), (zoe, "grandparent", father)]
    return found


HELD_OUT = [("zoe3", "grandparent", "father3"), ("tom5", "parent", "mother5"), ("mother7", "spouse", "father7")]
GRAPH = r5.Graph.from_triples([fact for fact in families() if fact not in HELD_OUT])


@pytest.fixture(scope="module")
def model() -> ChainReasoner:
    return ChainReasoner(seed=0).fit(GRAPH)


@pytest.mark.parametrize("fact", HELD_OUT)
def test_missing_facts_are_found_from_both_ends(model: ChainReasoner, fact: tuple[str, str, str]) -> None:
    head, relation, tail = fact
    assert model.complete(head=head, relation=relation, top=1)[0].entity == tail
    assert model.complete(tail=tail, relation=relation, top=1)[0].entity == head


def test_reasons_sum_to_the_score_and_rest_on_facts_of_the_graph(model: ChainReasoner) -> None:
    there = set(GRAPH.triples())
    for query in ({"head": "zoe3"}, {"tail": "father3"}):
        for answer in model.complete(relation="grandparent", top=20, explain=True, **query):
            assert sum(reason.weight for reason in answer.reasons) == pytest.approx(answer.score, abs=1e-9)
            for fact in (fact for reason in answer.reasons for fact in reason.facts):
                reversed_ = (fact.target, r5.relations.inverse_name(fact.relation), fact.source)
                reverse = (fact.target, fact.relation, fact.source)
                both_ways = fact.relation in ("spouse", "sibling") and reverse in there
                assert (fact.source, fact.relation, fact.target) in there or reversed_ in there or both_ways
    best = model.complete(head="zoe3", relation="grandparent", top=1, explain=True)[0]
    assert ("parent", "parent") in [reason.rule.body for reason in best.reasons if reason.weight > 0]


def test_shares_sum_to_one_and_known_facts_are_left_out(model: ChainReasoner) -> None:
    every = model.complete(head="zoe3", relation="grandparent", top=10_000)
    assert sum(answer.share or 0.0 for answer in every) == pytest.approx(1)
    chances = [answer.probability for answer in every]
    assert chances == sorted(chances, reverse=True)
    assert chances[0] > 0.5 > chances[1]
    assert "mother3" not in [answer.entity for answer in every]
    with_known = model.complete(head="zoe3", relation="grandparent", top=10_000, known=True)
    assert [answer.entity for answer in with_known if answer.known] == ["mother3"]
    assert len(with_known) == GRAPH.number_of_nodes


def test_ranks_are_those_of_comparing_all_scores(model: ChainReasoner) -> None:
    facts = families()
    wanted = r5.Graph.from_triples(facts)
    asked = [facts.index(fact) for fact in HELD_OUT] + list(range(0, len(facts), 37))
    ends = [np.array([model.graph_.node(facts[i][end]) for i in asked]) for end in (0, 2)]
    kinds = [model.graph_.vocabulary.id(facts[i][1]) for i in asked]
    examples = r5.Examples.over(GRAPH, ends[0], ends[1], kinds)
    with pytest.warns(UserWarning, match="are in the graph"):
        counts = model.rank_answers(examples, [wanted])
    query_scorer = model._scorer
    node = {name: number for number, name in enumerate(GRAPH.entities)}
    known = [(node[h], model.vocabulary_.id(r), node[t]) for h, r, t in facts]
    for row, i in enumerate(asked):
        head, relation, tail = known[i]
        for column, (source, answer) in enumerate(((head, tail), (tail, head))):
            target = query_scorer.target(relation, bool(column))
            assert target is not None
            scores = query_scorer.scores(target, source)
            others = [f[2 - 2 * column] for f in known if (f[2 * column], f[1]) == (source, relation)]
            rounded = np.rint(scores * 2**30).tolist()
            right = oracle.places(rounded, answer, others)
            assert (counts.better[row, column], counts.equal[row, column]) == right
    ranking = r5.rank(model, r5.Examples.over(GRAPH, ends[0][:3], ends[1][:3], kinds[:3]), [wanted])
    assert ranking.n == 6
    assert ranking.hits[1] == 1.0


def test_the_filter_gives_the_answers_of_each_question() -> None:
    facts = distinct(np.array([[0, 1, 2], [0, 1, 3], [4, 1, 2], [0, 0, 5], [0, 1, 2]]))
    known = KnownAnswers(facts, 2)
    values, offsets = known.answers(np.array([0, 4, 5]), 1, False)
    assert (values.tolist(), offsets.tolist()) == ([2, 3, 2], [0, 2, 3, 3])
    values, offsets = known.answers(np.array([2]), 1, True)
    assert (values.tolist(), offsets.tolist()) == ([0, 4], [0, 2])


def test_the_same_on_any_number_of_threads_and_after_saving(model: ChainReasoner, tmp_path: Path) -> None:
    other = ChainReasoner(seed=0).fit(r5.Examples.from_edges(GRAPH), budget=Budget(threads=3))
    model.save(tmp_path / "model")
    loaded = r5.load_model(tmp_path / "model")
    assert isinstance(loaded, ChainReasoner)
    for again in (other, loaded):
        for step, target in model.model_.targets.items():
            for mine, theirs in zip(target.weights, again.model_.targets[step].weights, strict=True):
                assert np.array_equal(mine, theirs)
        assert again.model_.temperature == model.model_.temperature
        assert again.complete(head="zoe3", relation="grandparent") == model.complete(
            head="zoe3", relation="grandparent"
        )
    assert loaded.graph_ == GRAPH
    assert loaded.rules_ == model.rules_


def test_rules_have_weights_and_counted_figures(model: ChainReasoner) -> None:
    rule = next(r for r in model.rules_ if (r.head, r.body) == ("grandparent", ("parent", "parent")))
    assert rule.probability == 1.0 * rule.support / rule.predictions
    assert rule.support == 79
    assert rule.weight is not None and rule.weight > 0


def test_rules_from_elsewhere_are_weighed(model: ChainReasoner) -> None:
    rules = r5.RuleSet.of(
        [
            r5.Rule("grandparent", ("parent", "invented_0"), invented=True),
            r5.Rule("invented_0", ("parent",), invented=True),
            r5.Rule("spouse", ("parent^-1", "parent")),
        ]
    )
    made = ChainReasoner.from_rules(rules, GRAPH)
    assert {rule.key for rule in made.rules_} >= {("grandparent", ("parent", "parent"), None, None)}
    assert made.complete(head="zoe3", relation="grandparent", top=1)[0].entity == "father3"
    with pytest.raises(r5.R5Error, match="none of the 1 rules is a chain"):
        ChainReasoner.from_rules(r5.RuleSet.of([r5.Rule("owns", ("buys",))]), GRAPH)


def test_which_relation_holds(model: ChainReasoner) -> None:
    answer = model.ask(GRAPH, "zoe3", "father3")
    assert answer.relation == "grandparent"
    assert answer.derivation is not None
    examples = r5.Examples.from_edges(GRAPH)[:20]
    chances = model.predict_proba(examples)
    assert ((chances >= 0.0) & (chances <= 1.0)).all()
    own = chances[np.arange(20), examples.answers]
    # The only child zoe has one of her grandparents' two children as a parent.
    assert all(
        chance > (0.2 if one.source.startswith("zoe") else 0.9) for one, chance in zip(examples, own, strict=True)
    )


def test_a_relation_of_the_graph_comes_first_and_is_marked(model: ChainReasoner) -> None:
    for head, relation, tail in GRAPH.triples()[::7]:
        answer = model.ask(GRAPH, head, tail)
        assert (answer.relation, answer.known) == (relation, True)
        assert str(answer) == f"{relation} (in the graph)"


def test_unrelated_entities_have_no_answer(model: ChainReasoner) -> None:
    answers = [model.ask(GRAPH, f"zoe{n}", f"father{n + 1}") for n in range(10, 30)]
    assert [answer.relation for answer in answers] == [None] * 20
    assert "no rule makes one plausible" in (answers[0].reason or "")


def test_evaluation_asks_for_relations_that_the_graph_lacks(model: ChainReasoner) -> None:
    rows = [(GRAPH.node(head), GRAPH.node(tail), GRAPH.vocabulary.id(name)) for head, name, tail in HELD_OUT]
    examples = r5.Examples.over(GRAPH, *zip(*rows, strict=True))
    assert [one.relation for one in model.predict_held_out(examples)] == [name for _, name, _ in HELD_OUT]
    known = r5.Examples.over(GRAPH, [GRAPH.node("zoe3")], [GRAPH.node("mother3")], [GRAPH.vocabulary.id("grandparent")])
    assert model.predict_held_out(known)[0].relation != "grandparent"


def test_a_fact_has_one_probability_wherever_it_is_asked(model: ChainReasoner) -> None:
    for head, relation, tail in HELD_OUT:
        shown = [
            model.score_fact(head, relation, tail),
            model.complete(head=head, relation=relation, tail=tail)[0],
            next(one for one in model.complete(head=head, relation=relation) if one.tail == tail),
            next(one for one in model.complete(tail=tail, relation=relation) if one.head == head),
            next(one for one in model.complete(head=head) if (one.relation, one.tail) == (relation, tail)),
            next(one for one in model.complete(head=head, tail=tail) if one.relation == relation),
            next(one for one in model.new_facts(50) if one.fact.to_json() == [head, relation, tail]),
        ]
        assert {one.probability for one in shown} == {shown[0].probability}
        assert model.predict_as(_question(head, tail), relation).probability == shown[0].probability


def _question(head: str, tail: str) -> Example:
    return Example(GRAPH, Query(GRAPH.node(head), GRAPH.node(tail)))


def test_a_known_fact_is_masked_while_it_is_scored(model: ChainReasoner) -> None:
    known = model.score_fact("zoe5", "grandparent", "father5", explain=True)
    assert known.known and known.probability > 0.5
    facts = {tuple(fact.to_json()) for reason in known.reasons for fact in reason.facts}
    assert ("zoe5", "grandparent", "father5") not in facts
    assert sum(reason.weight for reason in known.reasons) == pytest.approx(known.score, abs=1e-9)
    left = GRAPH.without_triples([("zoe5", "grandparent", "father5")])
    removed = model.score_fact("zoe5", "grandparent", "father5", left)
    # The evidence of similar entities is reduced by the share of the masked fact, not computed anew.
    assert not removed.known and removed.score == pytest.approx(known.score, abs=0.05)
    rules = ChainReasoner(seed=0, similarity=False).fit(GRAPH)
    scores = [rules.score_fact("zoe5", "grandparent", "father5", graph).score for graph in (GRAPH, left)]
    assert scores[0] == pytest.approx(scores[1], abs=1e-9)


def test_new_facts_within_a_filter(model: ChainReasoner) -> None:
    assert {one.relation for one in model.new_facts(5, relation="parent")} == {"parent"}
    assert {one.head for one in model.new_facts(5, head="zoe3")} == {"zoe3"}
    assert {one.tail for one in model.new_facts(5, tail="father3")} == {"father3"}
    sure = model.new_facts(50, min_probability=0.5)
    assert {tuple(one.fact.to_json()) for one in sure} == set(HELD_OUT)


def test_an_audit_finds_wrong_facts_and_what_fits_better() -> None:
    wrong = [("zoe3", "grandparent", "father9"), ("tom5", "parent", "mother15")]
    right = [("zoe3", "grandparent", "father3"), ("tom5", "parent", "mother5")]
    graph = r5.Graph.from_triples([fact for fact in families() if fact not in right] + wrong)
    model = ChainReasoner(seed=0).fit(graph)
    found = model.audit(2, explain=True)
    assert {tuple(one.completion.fact.to_json()) for one in found} == set(wrong)
    for one in found:
        assert one.better is not None and tuple(one.better.fact.to_json()) in right
        assert one.completion.known and one.completion.probability < 0.1 < one.usual
    assert {one.completion.relation for one in model.audit(5, relation="spouse")} == {"spouse"}


def test_an_audit_offers_another_tail_where_a_head_has_one() -> None:
    cities = {f"city{n}": f"country{n % 3}" for n in range(12)}
    facts = [(city, "located_in", country) for city, country in cities.items()]
    for n in range(60):
        facts += [(f"p{n}", relation, f"city{n % 12}") for relation in ("born_in", "lives_in")]
        facts.append((f"p{n}", "citizen_of", f"country{n % 3}"))
    facts.remove(("p5", "citizen_of", "country2"))
    model = ChainReasoner(seed=0).fit(r5.Graph.from_triples([*facts, ("p5", "citizen_of", "country0")]))
    found = model.audit(1)[0]
    assert found.completion.fact.to_json() == ["p5", "citizen_of", "country0"]
    assert found.better is not None and found.better.fact.to_json() == ["p5", "citizen_of", "country2"]


def test_answers_as_a_frame(model: ChainReasoner) -> None:
    frame = model.complete_frame([("zoe3", "grandparent", None), ("zoe3", "grandparent", "father3")], top=2)
    assert frame["query"].tolist() == [1, 1, 2]
    assert frame["tail"].tolist()[0] == "father3" and frame["probability"].tolist()[0] > 0.5


def test_new_facts_are_new_and_the_surest_first(model: ChainReasoner) -> None:
    best = model.new_facts(20)
    assert tuple(best[0].fact.to_json()) in HELD_OUT
    assert not {tuple(answer.fact.to_json()) for answer in best} & set(GRAPH.triples())
    chances = [answer.probability for answer in best]
    assert chances == sorted(chances, reverse=True)


def test_what_cannot_be_asked_is_said(model: ChainReasoner) -> None:
    with pytest.raises(r5.R5Error, match="give a head, a tail, or both"):
        model.complete(relation="parent")
    with pytest.raises(r5.R5Error, match="a whole number from 1 on"):
        model.audit(0)
    with pytest.raises(r5.R5Error, match="did you mean"):
        model.complete(head="zoe33x", relation="parent")
    with pytest.raises(r5.R5Error, match="the model has no rules for the relation 'owns'; it knows grandparent, "):
        model.complete(head="zoe3", relation="owns")
    with pytest.raises(r5.R5Error, match="no facts"):
        ChainReasoner().fit(r5.Graph.from_triples([]))


def test_entities_and_relations_never_seen() -> None:
    graph = r5.Graph.from_triples([*families(6), ("lonely", "likes", "lonely")])
    model = ChainReasoner(seed=0).fit(graph)
    wider = r5.Graph.from_triples([*families(6), ("stranger", "parent", "ann1"), ("zoe1", "owns", "house")])
    kept = r5.Graph.from_triples(families(6), wider.vocabulary)
    examples = r5.Examples.over(wider, [wider.node("stranger")], [wider.node("ann1")], [wider.vocabulary.id("parent")])
    with pytest.warns(UserWarning, match="1 of the facts to rank have an entity"):
        ranking = r5.rank(model, examples)
    assert ranking.n == 2
    assert 0 < ranking.mrr < 1
    assert model.complete(kept, head="zoe1", relation="likes") is not None
    assert model.complete(head="lonely", relation="grandparent")


def test_facts_added_later_are_answered_with_the_rules_that_are_there(model: ChainReasoner) -> None:
    new = [("uma", "parent", "bea"), ("bea", "parent", "max"), ("bea", "parent", "lea"), ("uma", "likes", "tea")]
    graph = model.graph_.with_triples(new)
    best = model.complete(graph, head="uma", relation="grandparent", top=2, explain=True)
    assert {answer.entity for answer in best} == {"max", "lea"}
    assert all(answer.probability > 0.2 for answer in best)
    facts = [fact.to_json() for reason in best[0].reasons for fact in reason.facts]
    assert ["uma", "parent", "bea"] in facts
    assert model.complete(graph, tail="lea", relation="grandparent", top=1)[0].entity == "uma"
    assert model.complete(graph, head="uma")[0].relation in model.vocabulary_
    assert model.ask(graph, "uma", "max").relation == "grandparent"
    with pytest.raises(r5.R5Error, match="the model has no rules for the relation 'likes'"):
        model.complete(graph, head="uma", relation="likes")
    with pytest.raises(r5.R5Error, match="no entity is called 'uma'"):
        model.complete(head="uma", relation="grandparent")


def test_a_time_limit_keeps_what_was_learned_or_says_so() -> None:
    budget = Budget()
    budget.cancel()
    with pytest.raises(r5.R5Error, match="before anything was learned"):
        ChainReasoner().fit(GRAPH, budget=budget)


def test_hubs_self_loops_and_duplicates() -> None:
    facts = [(f"p{i}", "citizen", "land") for i in range(3_000)] + [("land", "same", "land")] * 2
    facts += [(f"p{i}", "knows", f"p{i + 1}") for i in range(50)] + [(f"p{i + 1}", "knows", f"p{i}") for i in range(50)]
    model = ChainReasoner(seed=0, frontier=100).fit(r5.Graph.from_triples(facts))
    assert model.complete(head="p2999", relation="citizen", known=True, top=1)[0].entity == "land"
    answers = model.complete(head="land", relation="same", known=True, top=3, explain=True)
    assert answers[0].entity == "land"
    assert sum(reason.weight for reason in answers[0].reasons) == pytest.approx(answers[0].score, abs=1e-9)
    new = model.complete(tail="land", relation="citizen", top=5)
    assert len(new) == 1  # all but the country itself are citizens already


def random_graph(seed: int, nodes: int = 30, pairs: int = 160) -> r5.Graph:
    """Random pairs of entities, each with one of four relations drawn for it: nothing tells which."""
    rng = np.random.default_rng(seed)
    chosen = rng.choice(nodes * (nodes - 1), pairs, replace=False)
    ends = [(pair // (nodes - 1), pair % (nodes - 1)) for pair in chosen.tolist()]
    rows = [(f"e{a}", f"r{rng.integers(4)}", f"e{b + (b >= a)}") for a, b in ends]
    return r5.Graph.from_triples(rows)


def test_cross_validation_on_random_relations_is_at_chance() -> None:
    scores = []
    for seed in (0, 1):
        examples = Examples.from_edges(random_graph(seed))
        names = list(examples.vocabulary.names(examples.answers))
        scores += cross_val_score(ChainReasoner(seed=0), examples, names, cv=2).tolist()
    # 320 answers at a chance of .25 have a standard error of .024; learning from the whole graph gives .7.
    assert abs(np.mean(scores) - 0.25) < 0.1


def test_cross_validation_on_rules_that_hold_is_far_above_chance() -> None:
    examples = Examples.from_edges(r5.Graph.from_triples(families(12)))
    folds = KFold(3, shuffle=True, random_state=0)
    assert cross_val_score(ChainReasoner(seed=0), examples, cv=folds).mean() > 0.9


def test_learns_from_the_facts_given_alone() -> None:
    examples = Examples.from_edges(GRAPH)
    few = examples[:50]
    model = ChainReasoner(seed=0).fit(few)
    assert model.summary_["facts"] == 50
    assert set(model.graph_.triples()) == set(GRAPH.triples()[:50])
    again = ChainReasoner(seed=0).fit(list(few))
    assert again.graph_ == model.graph_
    found = GridSearchCV(ChainReasoner(epochs=1), {"support": [2]}, cv=[(range(50), range(50, 60))], refit=False)
    assert found.fit(examples).cv_results_["mean_test_score"][0] == ChainReasoner(epochs=1).fit(few).score(
        examples[50:60]
    )
    assert ChainReasoner(seed=0).fit(examples).graph_ is GRAPH


def test_learns_from_background_facts_in_every_fold(tmp_path: Path) -> None:
    rows = families(10)
    known = [row for row in rows if row[1] != "grandparent"]
    asked = [row for row in rows if row[1] == "grandparent"]
    for name, part in (("facts", known), ("train", asked)):
        (tmp_path / f"{name}.txt").write_text("".join("\t".join(row) + "\n" for row in part))
    data = r5.load(tmp_path)
    fold = [data.train[i] for i in range(5)]
    assert sorted(ChainReasoner(seed=0).fit(fold).graph_.triples()) == sorted([*known, *asked[:5]])
    assert ChainReasoner(seed=0).fit(data.train).summary_["facts"] == len(rows)
