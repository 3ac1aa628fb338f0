"""Facts of symmetric relations in reasons."""

from __future__ import annotations

import r5


def test_facts_of_symmetric_relations_are_those_of_the_graph_and_never_the_fact_in_question() -> None:
    both = [pair for n in range(12) for pair in ((f"a{n}", "knows", f"b{n}"), (f"b{n}", "knows", f"a{n}"))]
    chain = [(f"b{n}", "knows", f"a{n + 1}") for n in range(11)]
    triples = [*both, *chain, *((f"{side}{n}", "lives_in", f"t{n // 3}") for n in range(12) for side in "ab")]
    model = r5.ChainReasoner(seed=0).fit(r5.Graph.from_triples(triples))
    found = 0
    for head, tail in (("a3", "b3"), ("b3", "a3"), ("b3", "a4"), ("a4", "b3")):
        (one,) = model.complete(head=head, relation="knows", tail=tail, explain=True, known=True)
        for reason in one.reasons:
            assert not (reason.kind == "rule" and reason.rule.body == (reason.rule.head,))
            stored = [fact.stored() for fact in reason.facts]
            assert all((fact.source, fact.relation, fact.target) in triples for fact in stored)
            assert one.fact not in stored
            found += reason.rule.body == ("knows^-1",)
    assert found  # the reverse of a fact speaks for it
